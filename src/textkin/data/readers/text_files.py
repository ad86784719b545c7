r"""Text files as lines: gzip or plain, UTF-8 or another encoding, with or without a byte order mark.

Lines end at ``\n`` or ``\r\n`` only: U+2028, a form feed or a lone ``\r`` inside a text is text. A file
without any ``\n`` in which ``\r`` seems to end lines is rejected. ``gzip_input.py`` has the limits on the
length of lines and on compressed sizes. Every invalid byte is an error with file and line. The lines of
Parquet and Arrow files are their rows as JSON objects, see ``parquet_files.py``; those of spreadsheets are
their rows, see ``workbook_files.py``; those of a JSON list are its objects, see ``json_array.py``. The line
``sep=,`` by which Excel names the delimiter of a CSV file counts as blank.
"""

import codecs
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import islice
from pathlib import Path

from textkin.base.errors import DataError, either, has_rows, is_column_file
from textkin.base.gzip_input import lines_of, unpacked
from textkin.base.parquet_files import json_lines
from textkin.base.paths import is_standard
from textkin.base.sharded_files import files_of
from textkin.base.standard_streams import input_status, open_input
from textkin.base.workbook_files import workbook_rows
from textkin.data.readers.encodings import as_utf8, refuse_kind
from textkin.data.readers.json_array import MOST_BYTES, holds_array, objects_in, too_large

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20
_WITH_HEADER = {".csv", ".tsv"}
_DELIMITER = re.compile(rb'"?sep=[^"\r\n]"?\r?\n')


def raw_lines(path: Path | str, encoding: str | None = None) -> Iterator[str]:
    r"""Yield the lines of a text file without their ``\n``; a ``\r`` before it is kept.

    Args:
        path: the file.
        encoding: encoding of the file; by default UTF-8, or UTF-16 with a byte order mark.

    Raises:
        DataError: the file is missing, a folder, empty, in another encoding, contains NUL bytes, or is
            invalid gzip; a line is too long, or all lines end in ``\r``.
    """
    number = 0
    if has_rows(path):
        yield from _rows(path)
        return
    with _open(path, encoding) as stream:
        try:
            start = stream.peek(1)
            if b"\0" in start:  # it may have any size, and a single line
                _check(start.removeprefix(_BOM), path)
            if holds_array(stream, path):
                yield from objects_in(_whole(stream, path), path)
                return
            for number, line in enumerate(lines_of(stream, path), 1):
                content = line
                if number == 1:
                    refuse_returns(line, path)
                    content = line.removeprefix(_BOM)
                    if _DELIMITER.fullmatch(content) and _is_csv(path):
                        content = b"\n"
                yield decode(content.removesuffix(b"\n"), path, number)
        except (EOFError, zlib.error, OSError) as error:
            raise _unreadable(path, error, line=number + 1) from error
    if number == 0:
        raise _empty(path)


def _whole(stream: BufferedReader, path: Path | str) -> str:
    """The content of a JSON list.

    Raises:
        DataError: it is not UTF-8, or too large.
    """
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise too_large(path)
    content = content.removeprefix(_BOM)
    _check(content, path)
    return content.decode()


def _is_csv(path: Path | str) -> bool:
    return bool(_WITH_HEADER & {suffix.lower() for suffix in Path(path).suffixes})


def lines(path: Path | str, encoding: str | None = None) -> Iterator[str]:
    r"""Yield the lines of a text file without their ``\n`` or ``\r\n``.

    Errors are those of :func:`raw_lines`.
    """
    for line in raw_lines(path, encoding):
        yield line.removesuffix("\r")


def read_bytes(path: Path | str) -> bytes:
    """The whole content, decompressed, without byte order mark.

    It must be UTF-8 without NUL.

    Raises:
        DataError: as :func:`raw_lines`.
    """
    chunks = []
    if has_rows(path):
        return "".join(f"{line}\n" for line in _rows(path)).encode()
    with _open(path) as stream:
        while chunk := stream.read(_CHUNK):
            chunks.append(chunk)
            if b"\0" in chunk:  # the rest is not a text either, and may be large
                break
    content = b"".join(chunks).removeprefix(_BOM)
    if not content:
        raise _empty(path)
    if b"\0" in content or not content.isascii():
        _check(content, path)
    return content


def head(path: Path | str, *, size: int = 1 << 16) -> bytes:
    """The first bytes of a file, decompressed, without byte order mark, for detection; not validated.

    Raises:
        DataError: the file is missing, a folder or empty.
    """
    if has_rows(path):
        return _begin_of_rows(path, size)
    with _open(path) as stream:
        start = stream.read(size).removeprefix(_BOM)
    if not start:
        raise _empty(path)
    return start


def first_lines(path: Path | str, count: int) -> list[bytes]:
    """The first lines of a file, or its first rows, not validated; none for an empty file.

    Raises:
        DataError: the file is missing, a folder, or invalid.
    """
    if has_rows(path):
        return [line.encode() for line in islice(_rows_of(path), count)]
    with _open(path) as stream:
        found = list(islice(lines_of(stream, path), count))
    return [line.removeprefix(_BOM) if place == 0 else line for place, line in enumerate(found)]


def decode(line: bytes, path: Path | str, number: int) -> str:
    """Decode one line, the ``number``-th of ``path``.

    Raises:
        DataError: it is not UTF-8, or it holds a NUL byte.
    """
    if b"\0" in line:
        raise DataError(
            f"a NUL byte at byte {line.index(0) + 1} of the line, expected text",
            path=path,
            line=number,
            fix=either(
                "give a text file; binary files hold NUL bytes", "read UTF-16 with `encoding=utf-16-le`"
            ),
        )
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line is not UTF-8",
            path=path,
            line=number,
            fix=either(
                "name its encoding, such as `encoding=cp1252`",
                "convert it: iconv -f CP1252 -t UTF-8 OLD > NEW",
            ),
        ) from error


def copied_encoding(path: Path | str, encoding: str | None = None) -> str:
    """The encoding of a copy of a text file: its own, with its byte order mark.

    Raises:
        DataError: the file is missing, a folder or invalid.
    """
    if has_rows(path):
        return "utf-8"
    with _stream(path) as stream, unpacked(stream, path) as content:
        start = content.peek(3)
    if start[:2] in _UTF16 and encoding is None:
        return "utf-16"
    written = encoding or "utf-8"
    has_mark = start.startswith(_BOM) and codecs.lookup(written).name == "utf-8"
    return "utf-8-sig" if has_mark else written


def status(path: Path | str) -> os.stat_result:
    """The system's status of a file or folder.

    Raises:
        DataError: it is missing or inaccessible, its name is too long, or links form a loop.
    """
    try:
        return input_status() if is_standard(path) else Path(path).stat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def refuse_returns(content: bytes, path: Path | str) -> None:
    r"""Raise if lines seem to end in ``\r`` alone, for content up to the first ``\n`` or the end.

    Raises:
        DataError: there is a ``\r`` between other bytes, and no ``\n``.
    """
    if b"\r" in content.rstrip(b"\r") and b"\n" not in content:
        raise DataError(
            r"the lines end in \r alone, as on old Macintoshes",
            path=path,
            line=1,
            fix=r"convert the file: tr '\r' '\n' < OLD > NEW",
        )


def _check(content: bytes, path: Path | str) -> None:
    broken = content.find(0)
    try:
        (content if broken < 0 else content[:broken]).decode()
    except UnicodeDecodeError as error:
        broken = error.start
    if broken >= 0:
        start = content.rfind(b"\n", 0, broken) + 1
        end = content.find(b"\n", broken)
        decode(content[start : end if end >= 0 else None], path, content.count(b"\n", 0, start) + 1)


def _rows(path: Path | str) -> Iterator[str]:
    """The rows of a column file or spreadsheet as lines, at least one."""
    _require_file(path)
    found = _rows_of(path)
    first = next(found, None)
    if first is None:
        raise DataError("the file holds no rows", path=path, fix="give at least one row")
    yield first
    yield from found


def _rows_of(path: Path | str) -> Iterator[str]:
    return json_lines(path) if is_column_file(path) else workbook_rows(path)


def _begin_of_rows(path: Path | str, size: int) -> bytes:
    found = b""
    for line in _rows(path):
        found += line.encode() + b"\n"
        if len(found) >= size:
            break
    return found[:size]


def _require_file(path: Path | str) -> None:
    mode = status(path).st_mode
    if stat.S_ISDIR(mode):
        raise DataError("is a folder, expected a file", path=path, fix="give one of the files in it")
    if not stat.S_ISREG(mode):
        raise DataError(
            "is a pipe or device, and files are read more than once",
            path=path,
            fix="save it as a file first, or pipe it in and name it -",
        )


@contextmanager
def _open(path: Path | str, encoding: str | None = None) -> Iterator[BufferedReader]:
    with _stream(path) as stream:
        refuse_kind(stream.peek(16)[:16], path)
        with unpacked(stream, path) as packed:
            try:
                content = as_utf8(packed, path, encoding)
            except (EOFError, zlib.error, OSError) as error:
                raise _unreadable(path, error, line=1) from error
            with content:
                yield content


@contextmanager
def _stream(path: Path | str) -> Iterator[BufferedReader]:
    """The bytes of a file, whose errors while it is open become those of data."""
    _require_file(path)
    try:
        with open_input() if is_standard(path) else Path(path).open("rb") as stream:
            yield stream
    except (EOFError, zlib.error, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path | str, error: Exception, *, line: int | None = None) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError("no such file", path=path, fix="check the path")
    if isinstance(error, EOFError):
        return DataError("the gzip data end too early", path=path, line=line, fix="fetch the file again")
    if isinstance(error, (zlib.error, gzip.BadGzipFile)):
        return DataError(f"broken gzip data ({error})", path=path, line=line, fix="fetch the file again")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DataError(f"can't be read ({reason})", path=path, fix="check the path and its permissions")


def _empty(path: Path | str) -> DataError:
    if is_standard(path):
        return DataError("is empty", path=path, fix="pipe at least one row into the command")
    return DataError("the file is empty", path=path, fix="give a file with at least one row")


def filled_files_of(path: Path | str) -> list[Path]:
    """The file itself, or the non-empty files ``part-*`` of a folder; at least one.

    A table with only a header is recognised by another part that begins with the same line.

    Raises:
        DataError: a folder has no such files, or one can't be read.
    """
    files = files_of(path)
    if len(files) == 1:
        return files
    begun = {file: first_lines(file, 2) for file in files}
    headers = {lines[0] for lines in begun.values() if len(lines) > 1}

    def is_filled(file: Path) -> bool:
        lines = begun[file]
        return bool(lines) and not (_is_csv(file) and len(lines) == 1 and lines[0] in headers)

    return [file for file in files if is_filled(file)] or files[:1]
