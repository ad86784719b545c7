"""Standard input and output in place of files: ``-``.

Readers pass over a file several times, but a pipe can be read only once. So the input is copied to an unnamed
temporary file, which becomes the process's standard input and can be read repeatedly from its start. Standard
output receives tables as they are produced; output that needs a file, such as a folder or an index, is
rejected. A file named ``-`` can be given by its full path.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING

from textkin.base.errors import DataError, OutputError, UsageError, conflict, invalid
from textkin.base.paths import STANDARD, is_standard
from textkin.base.progress import note

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_INPUT = 0
_CHUNK = 1 << 16


def open_input() -> io.BufferedReader:
    """Open standard input from its start; closing it leaves standard input open.

    Raises:
        DataError: the process was started without standard input, or it can't be read.
        OutputError: the input can't be stored because the disk for temporary files is full.
    """
    _keep_input()
    return io.BufferedReader(_FromStart(), _CHUNK)


def input_status() -> os.stat_result:
    """The system's status of standard input after it was stored; errors as in :func:`open_input`."""
    _keep_input()
    return os.fstat(_INPUT)


def typed_lines(*, blank: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the lines of standard input as they arrive, with their numbers, stripped of whitespace.

    Args:
        blank: True to include blank lines.

    Raises:
        DataError: a line isn't UTF-8, which the system's locale may accept, or input can't be read.
    """
    for number in count(1):
        try:
            line = sys.stdin.readline()
            line.encode()
        except UnicodeError as error:  # from decoding data that was read ahead
            place = number if isinstance(error, UnicodeEncodeError) else None
            raise DataError("is not UTF-8", path=STANDARD, line=place, fix="pipe texts in UTF-8") from error
        except OSError as error:
            raise DataError(f"can't be read ({error.strerror or error})", path=STANDARD) from error
        if not line:
            return
        if (text := line.strip()) or blank:
            yield number, text


def refuse_output(path: Path | str, needed: str) -> None:
    """Raise if standard output is given where a file is required.

    Args:
        path: the output path.
        needed: the required output, such as "a folder".

    Raises:
        UsageError: the path is ``-``.
    """
    if is_standard(path):
        raise invalid("out", STANDARD, expected=f"{needed}, not standard output")


def refuse_input(path: Path | str, why: str) -> None:
    """Raise if standard input is given where a file is required.

    Args:
        path: the input path.
        why: the reason, as it follows "since".

    Raises:
        UsageError: the path is ``-``.
    """
    if is_standard(path):
        raise UsageError(
            f"standard input ({STANDARD}) can't be used here: {why}", fix="save it as a file", value=STANDARD
        )


def refuse_two_inputs(given: Mapping[str, object]) -> None:
    """Raise if standard input is given for two inputs.

    Args:
        given: inputs by argument name; values that are not paths are ignored.

    Raises:
        UsageError: more than one is ``-``.
    """
    named = [name for name, one in given.items() if isinstance(one, str | Path) and is_standard(one)]
    if len(named) > 1:
        raise conflict(
            *named, why=f"standard input ({STANDARD}) can be read once", fix="name files for the others"
        )


@contextmanager
def standard_output() -> Iterator[IO[str]]:
    r"""Standard output as a UTF-8 stream with ``\n`` line ends, for the block.

    Raises:
        OutputError: the disk that it is redirected to is full.
        BrokenPipeError: the reader has closed the pipe.
    """
    stream = sys.stdout
    stream.flush()
    if not isinstance(stream, io.TextIOWrapper):
        yield stream  # it accepts texts, like the streams of notebooks
        return
    encoding, errors = stream.encoding, stream.errors
    stream.reconfigure(encoding="utf-8", newline="\n")
    try:
        yield stream
        stream.flush()
    finally:
        if not stream.closed and sys.exc_info()[0] is None:
            stream.reconfigure(encoding=encoding, errors=errors)


def _keep_input() -> None:
    """Replace standard input by a file that can be read repeatedly, unless it is one."""
    try:
        mode = os.fstat(_INPUT).st_mode
        if stat.S_ISREG(mode) and os.lseek(_INPUT, 0, os.SEEK_CUR) == 0:
            os.pread(_INPUT, 1, 0)  # it may be open for writing only
            return
        if os.isatty(_INPUT):
            note("reading standard input; Ctrl-D ends it")
        with open(_INPUT, "rb", buffering=0, closefd=False) as stream:
            kept = _copied(stream)
    except OSError as error:
        raise DataError(f"can't be read ({error.strerror or error})", path=STANDARD) from error
    with kept:
        os.dup2(kept.fileno(), _INPUT)
    os.lseek(_INPUT, 0, os.SEEK_SET)


def _copied(stream: IO[bytes]) -> IO[bytes]:
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller
    try:
        shutil.copyfileobj(stream, kept, _CHUNK)
        kept.flush()
    except OSError as error:
        kept.close()
        raise OutputError(
            f"can't keep standard input in {tempfile.gettempdir()}: {error.strerror or error}",
            fix="free space there, or name another folder by TMPDIR",
        ) from error
    except BaseException:
        kept.close()
        raise
    return kept


class _FromStart(io.RawIOBase):
    """Standard input, stored in a file, with a separate position for each reader."""

    def __init__(self) -> None:
        self._place = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a position."""
        start = (0, self._place, os.fstat(_INPUT).st_size)[whence]
        self._place = max(0, start + offset)
        return self._place

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill a buffer."""
        return self._fill(memoryview(buffer))

    def _fill(self, view: memoryview) -> int:
        found = os.pread(_INPUT, len(view), self._place)
        view[: len(found)] = found
        self._place += len(found)
        return len(found)
