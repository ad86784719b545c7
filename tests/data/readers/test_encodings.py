"""Files in other encodings, read and copied unchanged, and errors for files that aren't text."""

import gzip
import zipfile
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.cli import main
from textkin.data.readers.entries import EntryFile, EntryReading
from textkin.data.readers.read_report import SkipCounter

LINES = ["id;text", "1;Où est l’entrée – 5 €?", "2;où est l’entrée – 5 €?", "3;Café"]


def written(path: Path, encoding: str, end: str = "\r\n") -> Path:
    path.write_bytes("".join(f"{line}{end}" for line in LINES).encode(encoding))
    return path


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("cp1252", "cp1252"),
        ("utf-16", None),
        ("utf-16-le", "utf-16-le"),
        ("utf-32", "utf-32"),
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-8", "utf8"),
    ],
)
def test_texts_are_read_and_copied_in_their_encoding(
    tmp_path: Path, encoding: str, named: str | None
) -> None:
    path = written(tmp_path / "texts.csv", encoding)
    reading = tk.TextReading(encoding=named)
    assert tk.load_texts(path, reading=reading).data.texts[2] == "Café"
    entries = EntryFile(path, reading=EntryReading(encoding=named)).entries(SkipCounter(path))
    assert [one.text for one in entries][2] == "Café"
    assert tk.dedupe(path, out=tmp_path / "out", encoding=named).counts.kept == 2
    expected = "".join(f"{LINES[place]}\r\n" for place in (0, 1, 3)).encode(encoding)
    assert (tmp_path / "out" / "kept.csv").read_bytes() == expected


def test_utf16_without_its_mark_is_bad_data(tmp_path: Path) -> None:
    path = written(tmp_path / "texts.csv", "utf-16-le")
    with pytest.raises(DataError) as caught:
        tk.load_texts(path, reading=tk.TextReading(encoding="utf-16"))
    assert caught.value.line == 1
    assert caught.value.line == 1
    with pytest.raises(UsageError) as error:
        tk.load_texts(path, reading=tk.TextReading(encoding="idna"))
    assert error.value.params == ("encoding",)


def test_packed_plain_and_at_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt.gz"
    path.write_bytes(gzip.compress("naïve\r\nNaïve\r\nplain\n".encode("cp1252")))
    assert main(["dedupe", str(path), "--encoding", "cp1252", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "kept.txt").read_bytes() == "Naïve\r\nplain\n".encode("cp1252")


def test_pairs_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes("question1,question2,is_duplicate\ncafé,bar,1\nx,y,0\n".encode("cp1252"))
    assert tk.load_pairs(path, reading=tk.Reading(encoding="cp1252")).data.pairs[0].a == "café"
    with pytest.raises(DataError) as caught:
        tk.load_pairs(path)
    assert caught.value.line == 2
    assert caught.value.line == 2


def test_wrong_encodings_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "texts.csv", "cp1252")
    with pytest.raises(UsageError) as error:
        tk.load_texts(path, reading=tk.TextReading(encoding="cp-1253-x"))
    assert error.value.params == ("encoding",)
    with pytest.raises(UsageError) as error:
        tk.load_texts(path, reading=tk.TextReading(encoding="rot13"))
    assert error.value.params == ("encoding",)
    with pytest.raises(DataError) as caught:
        tk.load_texts(path, reading=tk.TextReading(encoding="utf-16-le"))
    assert caught.value.line == 1
    assert caught.value.line is not None
    path.write_bytes(b"a\nb\nc\x81\n")
    with pytest.raises(DataError) as caught:
        tk.load_texts(path, reading=tk.TextReading(encoding="cp1252"))
    assert caught.value.line == 3
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n%", "a PDF document"),
        (b"\x28\xb5\x2f\xfd\x00", "packed by zstd"),
        (b"BZh91AY&SY", "packed by bzip2"),
        (b"\xfd7zXZ\x00\x00", "packed by xz"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word document"),
        (b"SQLite format 3\x00", "an SQLite database"),
        ("text".encode("utf-32"), "UTF-32"),
    ],
)
def test_what_holds_no_text_is_named(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "texts.csv"
    path.write_bytes(content + b"\x00" * 16)
    with pytest.raises(DataError, match=f"is {kind}"):
        tk.load_texts(path)


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ("a.txt", "a zip archive"),
        ("xl/workbook.xml", "an Excel"),
        ("word/a.xml", "a Word"),
        ("content.xml", "an Open"),
    ],
)
def test_archives_are_named_by_what_is_in_them(tmp_path: Path, member: str, kind: str) -> None:
    path = tmp_path / "texts.csv"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(member, "x")
    with pytest.raises(DataError, match=f"is {kind}"):
        tk.load_texts(path)


@pytest.mark.parametrize("text", ["BZh is a word", "PAR1 of two", "7z is a tool", "{\\rt", "%PD", "PK"])
def test_a_text_may_begin_with_the_same_letters(tmp_path: Path, text: str) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(f"{text}\nb\n")
    assert tk.load_texts(path).data.texts == (text, "b")
