"""Encodings of text files, and detection of binary file types, which are rejected by name."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.errors import DataError, either, unknown_choice
from textkin.base.paths import is_standard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_USUAL = (
    "utf-8",
    "cp1252",
    "latin-1",
    "utf-16",
    "utf-32",
    "cp1250",
    "cp1251",
    "shift_jis",
    "gb18030",
    "big5",
)
_OWN = f"give the file's own encoding, such as {', '.join(_USUAL[:4])}"
_CHUNK = 1 << 16
_UNPACK = "unpack it first"
_CONVERT = "write its texts to a text file, one per line"
# Patterns, since a text may begin with some of these letters.
_SIGNS: tuple[tuple[bytes, str, str], ...] = (
    (rb"%PDF-\d", "a PDF document", _CONVERT),
    (rb"\x28\xb5\x2f\xfd", "packed by zstd", f"{_UNPACK}: zstd -d FILE; gzip is read as it is"),
    (rb"BZh\d1AY&SY", "packed by bzip2", f"{_UNPACK}: bunzip2 FILE; gzip is read as it is"),
    (rb"\xfd7zXZ\x00", "packed by xz", f"{_UNPACK}: unxz FILE; gzip is read as it is"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Excel or Word document",
        "name it .xls, or save it as CSV",
    ),
    (rb"SQLite format 3\x00", "an SQLite database", _CONVERT),
    (rb"\{\\rtf\d", "an RTF document", _CONVERT),
    (rb"PAR1[\x00-\x08\x0e-\x1f]", "Parquet", "name it .parquet"),
    (rb"ARROW1\x00", "Arrow", "name it .arrow"),
)
_IN_ZIP = (
    ("xl/", "an Excel workbook", "name it .xlsx"),
    ("word/", "a Word document", "save it as plain text"),
    ("content.xml", "an OpenDocument file", "name it .ods, or save it as plain text"),
)


def check_encoding(encoding: str | None) -> None:
    """Raise unless this is an encoding of texts.

    Raises:
        UsageError: Python doesn't know the encoding.
    """
    if encoding is None:
        return
    try:
        if codecs.lookup(encoding).name in ("idna", "punycode"):  # encodings of host names, not of files
            raise LookupError(encoding)
        text = "".encode(encoding)
        text.decode(encoding)
    except (LookupError, ValueError, UnicodeError):
        raise unknown_choice("encoding", encoding, _USUAL) from None


def refuse_kind(start: bytes, path: Path | str) -> None:
    """Raise for a file without text lines, naming its type.

    Args:
        start: first bytes of the file.
        path: the file.

    Raises:
        DataError: it contains no text lines.
    """
    for sign, kind, fix in _SIGNS:
        if re.match(sign, start):
            raise DataError(f"is {kind}, expected text", path=path, fix=fix)
    if start.startswith(b"PK\x03\x04"):
        kind, fix = _in_zip(path)
        raise DataError(f"is {kind}, expected text", path=path, fix=fix)


def as_utf8(content: io.BufferedReader, path: Path | str, encoding: str | None) -> io.BufferedReader:
    """The content as UTF-8. UTF-16 is detected by its byte order mark.

    Reading raises :class:`DataError` if the bytes are not in that encoding.

    Raises:
        DataError: it is UTF-32, which must be specified.
    """
    start = content.peek(4)[:4]
    if encoding is None and start in _UTF32:
        raise DataError(
            "is UTF-32, expected UTF-8",
            path=path,
            line=1,
            fix=either("convert the file: iconv -f UTF-32 -t UTF-8 OLD > NEW", "give `encoding=utf-32`"),
        )
    if encoding is None and start[:2] in _UTF16:
        encoding = "utf-16"
    if encoding is None or codecs.lookup(encoding).name in ("utf-8", "ascii"):
        return content
    return io.BufferedReader(_Recoded(content, path, encoding), _CHUNK)


def _in_zip(path: Path | str) -> tuple[str, str]:
    """The type of a zip archive, and advice on it."""
    try:
        names = [] if is_standard(path) else zipfile.ZipFile(path).namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        names = []
    for begin, kind, fix in _IN_ZIP:
        if any(name.startswith(begin) for name in names):
            return kind, fix
    return "a zip archive", f"{_UNPACK}: unzip FILE; gzip is read as it is"


class _Recoded(io.RawIOBase):
    """A stream converted from another encoding to UTF-8."""

    def __init__(self, content: io.BufferedReader, path: Path | str, encoding: str) -> None:
        self._content, self._path, self._encoding = content, path, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._line = 1
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill a buffer."""
        while not self._ready and not self._ended:
            chunk = self._content.read(_CHUNK)
            self._ended = not chunk
            try:
                text = self._decoder.decode(chunk, self._ended)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(self._encoding, "replace")
                raise DataError(
                    f"byte 0x{error.object[error.start]:02x} is not {self._encoding}",
                    path=self._path,
                    line=self._line + before.count("\n"),
                    fix=_OWN,
                ) from error
            except UnicodeError as error:  # no byte order mark, or a codec that reports no position
                mark = codecs.lookup(self._encoding).name in ("utf-16", "utf-32")
                why = "has no byte order mark" if mark else "is in another encoding"
                fix = (
                    f"give `encoding={self._encoding}-le`, or {self._encoding}-be; else {_OWN}"
                    if mark
                    else _OWN
                )
                raise DataError(
                    f"{why}, expected {self._encoding}", path=self._path, line=self._line, fix=fix
                ) from error
            self._line += text.count("\n")
            self._ready = text.encode("utf-8", "surrogatepass")
        room = memoryview(buffer).cast("B")
        count = min(len(room), len(self._ready))
        room[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count
