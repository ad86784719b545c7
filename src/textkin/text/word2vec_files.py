"""word2vec's binary files of word vectors.

The first line has the number of words and the dimension. Then each word follows as its bytes, a space, and
the numbers in single precision, little-endian. The original tool ends each row with a line feed, others
don't. The format is that of ``word2vec.c`` (Mikolov et al. 2013).
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.gzip_input import unpacked

WHOLE = "get the file again, whole"

_HEAD = re.compile(rb"(\d{1,18})[ \t](\d{1,18})[ \t]*\r?\n")
_LOOKED_AT = 1 << 16
_WIDEST = 1 << 16  # numbers of a vector
_LONGEST_WORD = 1 << 14  # bytes; the original tool allows at most a hundred
_CHUNK = 1 << 20
_FASTTEXT = b"\xba\x16\x4f\x2f"  # the first bytes of fastText's models, which end in .bin too
_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class BinaryHead:
    """The header of a binary file.

    Attributes:
        count: number of words.
        dim: dimension of the vectors.
        size: length of the header in bytes.
    """

    count: int
    dim: int
    size: int


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file of word vectors, decompressed if gzipped, after any byte order mark.

    Raises:
        DataError: the file can't be read, or is broken gzip.
    """
    try:
        with path.open("rb") as stream:
            content = unpacked(stream, path)
            if content.peek(len(_BOM)).startswith(_BOM):
                content.read(len(_BOM))
            yield content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"broken gzip file: {error}", path=path, fix=WHOLE) from error
    except OSError as error:
        raise DataError(
            f"can't read it: {error.strerror}", path=path, fix="give a file of word vectors"
        ) from error


def binary_head(stream: io.BufferedReader, path: Path) -> BinaryHead | None:
    """The header of a binary file; None for any other file.

    It is distinguished from a text file with the same first line by its first row: binary numbers are not
    text.

    Args:
        stream: stream at the beginning of the file; its position doesn't change.
        path: path for error messages.

    Raises:
        DataError: the file is a fastText model, or the header is impossible.
    """
    start = stream.peek(_LOOKED_AT)
    if start.startswith(_FASTTEXT):
        raise DataError(
            "is a model of fastText, not a file of word vectors", path=path, fix="give its .vec file"
        )
    found = _HEAD.match(start)
    if found is None:
        return None
    head = BinaryHead(int(found[1]), int(found[2]), found.end())
    _, _, row = start[head.size :].partition(b" ")
    if not _is_binary(row[: 4 * min(head.dim, _WIDEST)]):
        return None
    if not (head.count and 1 <= head.dim <= _WIDEST):
        raise DataError(
            f"promises {head.count:,} vectors of {head.dim:,} numbers, expected 1 or more, of 1 to "
            f"{_WIDEST:,} numbers",
            path=path,
            line=1,
            fix=WHOLE,
        )
    return head


def binary_rows(
    stream: io.BufferedReader, path: Path, head: BinaryHead
) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the offset of each row in the (decompressed) file, its word, and its numbers as bytes.

    Args:
        stream: stream at the beginning of the file.
        path: path for error messages.
        head: header of the file.

    Raises:
        DataError: the file is too short or too long, or a word is empty or has no end; the message gives the
            offset.
    """
    width = 4 * head.dim
    stream.read(head.size)
    offset, held = head.size, b""
    at = 0  # position in the buffer
    for row in range(head.count):
        # As much as the longest row needs, so that only a broken row is incomplete.
        if len(held) - at < _LONGEST_WORD + width + 2:
            offset, held, at = offset + at, held[at:] + stream.read(_CHUNK + width), 0
        if held[at : at + 1] == b"\n":
            at += 1
        blank = held.find(b" ", at, at + _LONGEST_WORD)
        end = blank + 1 + width
        if blank < 0 and len(held) - at >= _LONGEST_WORD:
            raise _broken(path, offset + at, f"a word of more than {_LONGEST_WORD:,} bytes")
        if blank < 0 or end > len(held):
            raise DataError(f"the file ends after {row:,} words of {head.count:,}", path=path, fix=WHOLE)
        word = held[at:blank]
        if not word or b"\n" in word:
            raise _broken(path, offset + at, "no word where one must begin")
        yield offset + at, word, held[blank + 1 : end]
        at = end
    if (held[at:] + stream.read(_CHUNK)).strip(b"\n"):
        raise _broken(path, offset + at, f"more than the {head.count:,} words that are promised")


def _is_binary(row: bytes) -> bool:
    """True if the start of a row contains bytes that never occur in text."""
    if _CONTROL.search(row):
        return True
    try:
        row.decode()
    except UnicodeDecodeError as error:
        return error.end < len(row) or error.reason != "unexpected end of data"
    return False


def _broken(path: Path, offset: int, what: str) -> DataError:
    return DataError(f"{what}, at byte {offset:,}", path=path, fix=WHOLE)
