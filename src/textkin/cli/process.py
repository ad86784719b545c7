"""The process of a command: its standard streams, and the signals that end it."""

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import TextIO

from textkin.base.locks import is_one_of_several

_STREAMS = 3  # standard input, output and error

_OUTPUT_TAKEN: ContextVar[bool] = ContextVar("output_taken", default=False)


class Ended(KeyboardInterrupt):
    """A signal asked the process to end.

    Attributes:
        number: number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def in_process() -> Iterator[None]:
    """Make standard output and error safe to write to within the block.

    A stream that the process was started without is a closed pipe, or of errors nothing; standard input is
    empty then. What a stream's encoding doesn't have is escaped.
    """
    for number in range(_STREAMS):
        try:
            os.fstat(number)
        except OSError:  # else the next file that is opened would be taken for the stream
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - until the process ends
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    yield
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        drop(sys.stderr)


@contextmanager
def signals_that_end() -> Iterator[None]:
    """Raise :class:`Ended` on SIGTERM and SIGHUP, as KeyboardInterrupt on Ctrl-C.

    The first one counts: several may be sent to end a group of processes, and they must not interrupt the
    clean-up. Signals that the process already ignored stay ignored. One of several processes
    that fails ignores all further ones: torchrun sends them at once, before the error is reported.
    """
    numbers = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if threading.current_thread() is threading.main_thread()
        and signal.getsignal(number) is signal.SIG_DFL
    ]

    def end(number: int, _: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Ended(number)

    for number in numbers:
        signal.signal(number, end)
    afterwards = signal.SIG_DFL
    try:
        yield
    except BaseException:
        afterwards = signal.SIG_IGN if is_one_of_several() else signal.SIG_DFL
        raise
    finally:
        for number in numbers:
            signal.signal(number, afterwards)


def drop(stream: TextIO) -> None:
    """Discard buffered output, so that Python doesn't fail on it at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class _Closed(io.TextIOBase):
    """Standard output of a process that was started without."""

    encoding = "utf-8"

    def fileno(self) -> int:
        return 1

    def write(self, text: str) -> int:
        if text:  # rich writes nothing at times
            raise BrokenPipeError
        return 0


@contextmanager
def taking_output(taken: bool) -> Iterator[None]:
    """Reserve standard output for the command's result, if ``taken``, while the block runs."""
    token = _OUTPUT_TAKEN.set(taken)
    try:
        yield
    finally:
        _OUTPUT_TAKEN.reset(token)


def output_is_taken() -> bool:
    """Check whether the command writes its result to standard output, so that nothing else may."""
    return _OUTPUT_TAKEN.get()
