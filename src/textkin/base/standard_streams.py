"""Standard input and output where a file is named: ``-``.

Readers go over a file more than once, and a pipe can be read once. So what comes in is copied to a file
without a name, which then is the process's standard input: it can be read again and again, from its start.
Standard output takes tables as they come; what needs a file, such as a folder or an index, refuses it. A file
that is called ``-`` is named by its whole path.
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
from typing import IO, TYPE_CHECKING, final

from textkin.base.errors import DataError, OutputError, UsageError, conflict, invalid
from textkin.base.paths import STANDARD, is_standard
from textkin.base.progress import note

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_INPUT = 0
_CHUNK = 1 << 16


def open_input() -> io.BufferedReader:
    """What stands in standard input, from its start; to be closed, which leaves standard input open.

    Raises:
        DataError: the process was started without it, or it can't be read.
        OutputError: what comes in can't be kept, as the disk for temporary files is full.
    """
    _keep_input()
    return io.BufferedReader(_FromStart(), _CHUNK)


def input_status() -> os.stat_result:
    """What the system says of standard input once it is kept; raises as :func:`open_input`."""
    _keep_input()
    return os.fstat(_INPUT)


def typed_lines(*, blank: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of standard input as they come, each after its number, without blanks around.

    Args:
        blank: give blank lines, too, which are left out else.

    Raises:
        DataError: a line isn't UTF-8, which the system's locale may let through, or nothing can be read.
    """
    for number in count(1):
        try:
            line = sys.stdin.readline()
            line.encode()
        except UnicodeError as error:  # in decoding, of what was read ahead
            place = number if isinstance(error, UnicodeEncodeError) else None
            raise DataError("is no UTF-8", path=STANDARD, line=place, fix="pipe texts in UTF-8") from error
        except OSError as error:
            raise DataError(f"can't be read ({error.strerror or error})", path=STANDARD) from error
        if not line:
            return
        if (text := line.strip()) or blank:
            yield number, text


def refuse_output(path: Path | str, needed: str) -> None:
    """Refuse standard output for what must be a file.

    Args:
        path: where something goes.
        needed: what it is, such as "a folder".

    Raises:
        UsageError: the path is ``-``.
    """
    if is_standard(path):
        raise invalid("out", STANDARD, expected=f"{needed}, not standard output")


def refuse_input(path: Path | str, why: str) -> None:
    """Refuse standard input for what must be a file.

    Args:
        path: what is read.
        why: why it must, as what follows "since".

    Raises:
        UsageError: the path is ``-``.
    """
    if is_standard(path):
        raise UsageError(
            f"standard input ({STANDARD}) can't be used here: {why}", fix="save it as a file", value=STANDARD
        )


def refuse_two_inputs(given: Mapping[str, object]) -> None:
    """Refuse standard input for two things at once.

    Args:
        given: what is read, by the names of the arguments; what is no path goes unseen.

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
    r"""Standard output as a stream of UTF-8 with ``\n`` line ends, for the time of the block.

    Raises:
        OutputError: the disk that it leads to is full.
        BrokenPipeError: nobody reads it any more.
    """
    stream = sys.stdout
    stream.flush()
    if not isinstance(stream, io.TextIOWrapper):
        yield stream  # it takes texts, such as what a notebook puts there
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
    """Make standard input a file that can be read again, unless it is one."""
    try:
        mode = os.fstat(_INPUT).st_mode
        if stat.S_ISREG(mode) and os.lseek(_INPUT, 0, os.SEEK_CUR) == 0:
            os.pread(_INPUT, 1, 0)  # it may be open to be written to only
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


@final
class _FromStart(io.RawIOBase):
    """Standard input, which is a file, with a place of its own: several may read it at once."""

    def __init__(self) -> None:
        self._place = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place."""
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
