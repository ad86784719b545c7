import errno
import io
import logging
import sys

import pytest

from textkin.base import progress as module
from textkin.base.progress import note_once, one_call, progress, same_level, track
from textkin.base.spelling import Spelling, spelling_as


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def four_seconds_a_step(monkeypatch):
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))


def test_a_command_writes_lines_of_long_work(capsys, four_seconds_a_step):
    with spelling_as(Spelling("command")), progress("reading", total=5) as shown:
        for step in range(5):
            shown.note(f"step {step}")
            shown.advance()
    # One line in ten seconds, of four seconds a step, and one at the end.
    assert capsys.readouterr() == ("", "reading: 3/5  step 2\nreading: 5/5  step 4\n")


def test_short_work_of_a_command_writes_none(capsys):
    with spelling_as(Spelling("command")):
        assert list(track("abc", title="x")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("level", "lines"), [(logging.NOTSET, 0), (logging.INFO, 2)])
def test_a_program_shows_lines_only_where_its_level_says_so(capsys, four_seconds_a_step, level, lines):
    with same_level():
        logging.getLogger("textkin").setLevel(level)
        assert len(list(track(range(6), title="x"))) == 6
    assert capsys.readouterr().err.count("\n") == lines


def test_the_last_line_comes_after_an_error_too(capsys, four_seconds_a_step):
    with spelling_as(Spelling("command")), pytest.raises(KeyError), progress("reading") as shown:
        for _ in range(4):
            shown.advance()
        raise KeyError
    assert capsys.readouterr().err == "reading: 3\nreading: 4\n"


def test_quiet_is_silent(capsys):
    assert list(track([1, 2], title="x", quiet=True)) == [1, 2]
    with progress("x", quiet=True) as shown:
        shown.advance()
        shown.note("y")
    assert capsys.readouterr() == ("", "")


def test_track_yields_all():
    taken = track("abc", title="x", total=3)
    assert next(taken) == "a"
    assert list(taken) == ["b", "c"]


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


def test_a_file_read_twice_is_remarked_upon_once_a_call(capsys):
    for _ in range(2):
        with one_call(), one_call():
            note_once("x")
            note_once("x")
    note_once("x")
    assert capsys.readouterr().err == "textkin: x\n" * 3
