"""Standard input as a file that can be read again, and standard output as one that is written."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from pathlib import Path

import pytest

import textkin as tk
from tests.giving_input import standard_input
from textkin.base.errors import DataError, UsageError
from textkin.base.files import (
    atomic_folder,
    atomic_path,
    atomic_text,
    ensure_folder,
    overwritten,
    sha256_of_file,
)
from textkin.base.standard_streams import open_input, typed_lines
from textkin.data.readers.text_files import lines, read_bytes

TEXTS = b"Can I pay by card?\nWhen do you open?\n" * 30_000
"""More than a pipe holds."""


@pytest.mark.parametrize("piped", [True, False])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_it_can_be_read_again_and_again(pack, piped: bool) -> None:
    content = pack(TEXTS)
    with standard_input(content, piped=piped):
        assert read_bytes("-") == TEXTS
        assert list(lines(Path("-"))) == TEXTS.decode().splitlines()
        assert sha256_of_file("-") == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_typed_lines_are_utf_8_whatever_the_locale_lets_through(
    errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(content: bytes) -> None:
        stream = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors=errors)
        monkeypatch.setattr("sys.stdin", stream)

    typed("Où?\n\n  Who? \n".encode())
    assert list(typed_lines()) == [(1, "Où?"), (3, "Who?")]
    typed(b"Why?\ncaf\xe9\n")
    with pytest.raises(DataError) as caught:
        list(typed_lines())
    assert str(caught.value.path).endswith("-")
    assert ("2: is not UTF-8" in str(caught.value)) == (errors == "surrogateescape")


def test_two_read_it_at_once() -> None:
    with standard_input(b"a\nb\nc\n"):
        first, second = lines("-"), lines("-")
        assert [next(first), next(second), next(second), next(first)] == ["a", "a", "b", "b"]


def test_a_file_of_which_a_part_was_read_begins_there(tmp_path: Path) -> None:
    with standard_input(b"header\nrow\n", piped=False):
        assert os.read(0, 7) == b"header\n"
        assert list(lines("-")) == ["row"]


def test_seeking() -> None:
    with standard_input(b"0123456789"), open_input() as stream:
        assert stream.seek(-3, os.SEEK_END) == 7 and stream.read() == b"789"
        assert stream.seek(2) == 2 and stream.read(2) == b"23"
        assert stream.seek(1, os.SEEK_CUR) == 5 and stream.read(1) == b"5"


def test_errors_name_it_and_the_line() -> None:
    with standard_input(b"fine\nb\xff\n"), pytest.raises(DataError) as error:
        list(lines("-"))
    assert error.value.line == 2
    with standard_input(b""), pytest.raises(DataError) as error:
        read_bytes("-")
    assert str(error.value.path).endswith("-")


def test_a_process_without_it_is_told() -> None:
    with standard_input(b""):
        os.close(0)
        try:
            with pytest.raises(DataError) as error:
                read_bytes("-")
            assert str(error.value.path).endswith("-")
        finally:
            os.open(os.devnull, os.O_RDONLY)


def test_functions_read_it_by_its_name() -> None:
    with standard_input(b"a,b,label\nx,y,1\nz,u,0\n"):
        found = tk.load_pairs("-")
    assert (found.report.path, found.data.name, len(found.data)) == ("-", "standard input", 2)
    with standard_input(b'{"a": "x", "b": "y"}\n'):
        assert [pair.a for pair in tk.load_pairs("-").data] == ["x"]


def test_one_text_of_one_stroke_is_a_text() -> None:
    """Users of a server write anything."""
    with standard_input(b"secret\n"):
        assert tk.encode("-").shape == tk.encode("a").shape


def test_text_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with atomic_text("-") as stream:
        stream.write("ä\n")
    assert capsys.readouterr().out == "ä\n"


def test_what_needs_a_file_refuses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for way in (atomic_path, atomic_folder):
        with pytest.raises(UsageError) as error, way("-"):
            pass
        assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        ensure_folder("-")
    assert error.value.params == ("out",)
    assert list(tmp_path.iterdir()) == []


def test_input_and_output_are_two_things() -> None:
    assert overwritten([Path("-")], ["-"]) is None
    assert overwritten([Path("a")], ["-", "a"]) == Path("a")


def test_one_thing_is_standard_input() -> None:
    """From Python, too: the same texts twice would look like an answer."""
    texts = ["Can I pay by card?"]
    for call in (
        lambda: tk.mine("-", against="-"),
        lambda: tk.mine(Path("-"), against=Path("-")),
        lambda: tk.calibrate("-", model="default", test="-"),
        lambda: tk.classify("-", examples="-", label="topic"),
        lambda: tk.measure("-", qrels="-"),
        lambda: tk.negatives("-", out="negatives.tsv", corpus="-"),
        lambda: tk.train("-", dev="-", recipe="static", out="run"),
    ):
        with (
            standard_input(TEXTS),
            pytest.raises(UsageError, match="can't be combined: standard input"),
        ):
            call()
    with standard_input(b"Can I pay by card?\n"):
        assert len(tk.mine("-", against=texts, top=1).rows()) == 1
