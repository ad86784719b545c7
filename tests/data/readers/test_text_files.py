import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base import gzip_input as unpacked
from textkin.base.errors import DataError
from textkin.data.readers import Reading, load, load_pairs, load_texts
from textkin.data.readers import text_files as source
from textkin.data.readers.trec import read_qrels
from textkin.text.word_vectors import load_vectors


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.txt"


def test_lines_end_only_at_line_feeds(file: Path) -> None:
    file.write_bytes("a\u2028b\x0cc\rd\r\n\u0085e\n\nlast".encode())
    assert list(source.lines(file)) == ["a\u2028b\x0cc\rd", "\u0085e", "", "last"]


def test_byte_order_mark_and_gzip_by_content(file: Path) -> None:
    file.write_bytes(gzip.compress(b"\xef\xbb\xbfone\ntwo\n"))
    assert list(source.lines(file)) == ["one", "two"]
    assert source.read_bytes(file) == b"one\ntwo\n"


def test_ten_megabytes_in_a_line(file: Path) -> None:
    file.write_text("x" * 10_000_000 + "\nshort\n")
    assert [len(line) for line in source.lines(file)] == [10_000_000, 5]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"good\nb\xe9d\n", 2, 2),
        (b"good\ngood\nb\0d\n", 3, 3),
        (b"\xff\xfea\0\n\0b", 2, 2),
        (b"\xff\xfe\0\0a\0\0\0", 1, 1),
    ],
)
def test_broken_encodings_name_the_line(file: Path, content: bytes, line: int, words: str) -> None:
    file.write_bytes(content)
    for read in (lambda: list(source.lines(file)), lambda: source.read_bytes(file)):
        with pytest.raises(DataError) as caught:
            read()
        assert caught.value.line == words
        assert caught.value.line == line
        assert str(file) in str(caught.value)


def test_truncated_and_damaged_gzip(file: Path) -> None:
    packed = gzip.compress(bytes(range(32, 127)) * 2000)
    for broken, words in (
        (packed[:-20], "end too early"),
        (packed[:40] + b"xxxx" + packed[44:], "broken gzip"),
    ):
        file.write_bytes(broken)
        for read in (lambda: list(source.lines(file)), lambda: source.read_bytes(file)):
            with pytest.raises(DataError, match=words):
                read()


def test_lines_that_end_in_returns_alone_are_named(file: Path) -> None:
    file.write_bytes(b"a\tb\rc\td\r")
    for read in (lambda: list(source.lines(file)), lambda: load_pairs(file), lambda: read_qrels(file)):
        with pytest.raises(DataError) as error:
            read()
        assert error.value.line == 1
    file.write_bytes(b"a\tb\rc\r\n")
    assert list(source.lines(file)) == ["a\tb\rc"]


def _peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as caught:
            work()
        assert len(str(caught.value)) < 400
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_packed_file_of_nul_bytes_takes_little_memory(file: Path) -> None:
    file.write_bytes(gzip.compress(bytes(150_000_000), 9))
    for read in (lambda: list(source.lines(file)), lambda: source.read_bytes(file), lambda: load_pairs(file)):
        assert _peak(read) < 20_000_000


@pytest.mark.slow
def test_what_unpacks_to_very_much_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacked, "MOST_BYTES", 1 << 20)
    file.write_bytes(gzip.compress(b"a 0.5\n" * 1_000_000))
    for read in (
        lambda: list(source.lines(file)),
        lambda: source.read_bytes(file),
        lambda: load_vectors(file),
    ):
        with pytest.raises(DataError) as error:
            read()
        assert str(error.value.path).endswith("data.txt")
    monkeypatch.setattr(unpacked, "MOST_TIMES", 1_000)
    assert len(list(source.lines(file))) == 1_000_000


def test_a_line_has_an_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacked, "LONGEST_LINE", 1 << 20)
    file.write_bytes(b"x" * (1 << 20) + b"\ny\n")
    with pytest.raises(DataError) as error:
        list(source.lines(file))
    assert error.value.line == 1
    file.write_bytes(b"z\n" + b"x" * ((1 << 20) - 1) + b"\ny\n")
    assert [len(line) for line in source.lines(file)] == [1, (1 << 20) - 1, 1]


def test_links_in_a_circle_and_long_names(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path, words in ((tmp_path / "loop", "symbolic links"), (tmp_path / ("x" * 300), "name too long")):
        for read in (load, load_texts, read_qrels, lambda path: load(path, reading=Reading(format="beir"))):
            with pytest.raises(DataError, match=f"can't be read .*{words}"):
                read(path)


def test_missing_empty_and_folder(file: Path) -> None:
    with pytest.raises(DataError) as error:
        list(source.lines(file))
    assert str(error.value.path).endswith("data.txt")
    with pytest.raises(DataError) as error:
        list(source.lines(file.parent))
    assert str(error.value.path).endswith("test_missing_empty_and_folder0")
    for empty in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(empty)
        with pytest.raises(DataError) as error:
            source.read_bytes(file)
        assert str(error.value.path).endswith("data.txt")
    file.write_bytes(b"")
    with pytest.raises(DataError) as error:
        list(source.lines(file))
    assert str(error.value.path).endswith("data.txt")
    with pytest.raises(DataError) as error:
        list(source.lines("a\0b"))
    assert str(error.value.path).endswith("a\u0000b")


@settings(deadline=None)
@given(st.text())
def test_bytes_and_lines_agree(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "source.txt"
    file.write_bytes(text.encode())
    try:
        content = source.read_bytes(file)
        source.refuse_returns(content, file)
    except DataError:
        with pytest.raises(DataError):
            list(source.lines(file))
    else:
        expected = [line.removesuffix("\r") for line in content.decode().split("\n")]
        assert list(source.lines(file)) == (expected[:-1] if content.endswith(b"\n") else expected)
