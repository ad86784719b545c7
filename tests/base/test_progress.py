import errno
import io
import sys

import pytest

from textkin.base import progress as module
from textkin.base.progress import progress, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_where_there_is_no_terminal(capsys, monkeypatch):
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with progress("reading", total=5) as shown:
        for step in range(5):
            shown.note(f"step {step}")
            shown.advance()
    out, err = capsys.readouterr()
    assert out == ""
    # One line in ten seconds, of four seconds a step, and one at the end.
    assert err == "reading: 3/5  step 2\nreading: 5/5  step 4\n"


def test_the_last_line_comes_after_an_error_too(capsys):
    with pytest.raises(KeyError), progress("reading") as shown:
        shown.advance(2)
        raise KeyError
    assert capsys.readouterr().err == "reading: 2\n"


def test_quiet_is_silent(capsys):
    assert list(track([1, 2], title="x", quiet=True)) == [1, 2]
    with progress("x", quiet=True) as shown:
        shown.advance()
        shown.note("y")
    assert capsys.readouterr() == ("", "")


def test_track_counts_what_was_taken(capsys):
    taken = track("abc", title="x", total=3)
    assert next(taken) == "a"
    assert list(taken) == ["b", "c"]
    assert capsys.readouterr().err == "x: 3/3\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_decides_no_result(monkeypatch, terminal):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    stream = (Terminal if terminal else io.StringIO)()
    stream.write = stream.flush = full
    monkeypatch.setenv("TERM", "xterm")
    for stderr in (stream, None):
        monkeypatch.setattr(sys, "stderr", stderr)
        module.note("hello")
        assert list(track("abc", title="x", total=3)) == list("abc")
        with progress("y", total=2) as shown:
            shown.note("z")
            shown.advance()


def test_a_bar_on_a_terminal_shows_titles_as_they_are(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress("reading [red]a.tsv", total=4) as shown:
        shown.advance(4)
        shown.note("loss [b]0.5")
    assert "reading [red]a.tsv" in terminal.getvalue()
    assert "loss [b]0.5" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()
