"""Progress of long work (a bar on a terminal, else lines), and notes: always on standard error.

Nothing here fails if standard error is closed or full: output never affects results. The level of Python's
logger "textkin" controls the amount: WARNING and above omit progress and remarks, DEBUG adds details. The
command line sets it by ``-q`` and ``-v``.
"""

import io
import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, TextIO, TypeVar, cast

from textkin.base.printable import visible_line
from textkin.base.spelling import is_command, spelt

_Item = TypeVar("_Item")
_LINE_EVERY_SECONDS = 10.0
_LOGGER = "textkin"
_PRINTED: ContextVar[set[str] | None] = ContextVar("_PRINTED", default=None)


class Progress:
    """A counter of finished work; obtained from :func:`progress`.

    The base class is silent. Subclasses show the count.
    """

    def advance(self, steps: int = 1) -> None:
        """Count ``steps`` more units as done."""

    def note(self, text: str) -> None:
        """Show a few words (a loss, a score) next to the count."""


class _Lines(Progress):
    def __init__(self, *, title: str, total: int | None) -> None:
        self._title = visible_line(title)
        self._total = total
        self._done = 0
        self._note = ""
        self._last = time.monotonic()
        self._shown: int | None = None  # the last count

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._last >= _LINE_EVERY_SECONDS and self._done != self._total:  # the end is shown anyway
            self._last = now
            self.show()

    def note(self, text: str) -> None:
        self._note = text

    def end(self, *, always: bool) -> None:
        """Show the count at the end of work that took long enough to be shown before, or always."""
        if self._shown not in (None, self._done) or (always and self._shown is None):
            self.show()

    def show(self) -> None:
        total = "" if self._total is None else f"/{self._total}"
        note = f"  {visible_line(self._note)}" if self._note else ""
        _say(f"{self._title}: {self._done}{total}{note}\n")
        self._shown = self._done


def note(text: str) -> None:
    """Print an essential message for the user on one permanent line of standard error."""
    _say(f"textkin: {visible_line(spelt(text))}\n")


def show_text(text: str) -> None:
    """Print a user's text as :func:`note` prints a message; it has no marks, only what the user wrote."""
    _say(f"textkin: {visible_line(text)}\n")


def note_once(text: str) -> None:
    """:func:`note` a message unless the same call of a verb has printed it.

    A file that is opened repeatedly, to detect its format and to read it, is remarked upon once.
    """
    printed = _PRINTED.get()
    if printed is None or text not in printed:
        note(text)
    if printed is not None:
        printed.add(text)


@contextmanager
def one_call() -> Iterator[None]:
    """Make the block, or the one around it, the call of :func:`note_once`."""
    if _PRINTED.get() is not None:
        yield
        return
    token = _PRINTED.set(set())
    try:
        yield
    finally:
        _PRINTED.reset(token)


def remark(text: str) -> None:
    """:func:`note` an optional message, such as advice or a discovery.

    Quiet processes omit it.
    """
    if not is_quiet():
        note(text)


def detail(text: str) -> None:
    """:func:`note` a message for verbose processes only: loaded files, durations."""
    if is_verbose():
        note(text)


@contextmanager
def timed(title: str) -> Iterator[None]:
    """Report the duration of the block as a :func:`detail`."""
    start = time.perf_counter()
    yield
    detail(f"{title}: {time.perf_counter() - start:.2f} s")


def is_quiet() -> bool:
    """True if progress and remarks are omitted, by the level of Python's logger "textkin"."""
    return logging.getLogger(_LOGGER).level >= logging.WARNING


def is_verbose() -> bool:
    """True if details are printed, by the level of Python's logger "textkin"."""
    return 0 < logging.getLogger(_LOGGER).level <= logging.DEBUG


def on_terminal() -> bool:
    """True if someone may be watching: standard error is a terminal."""
    return sys.stderr is not None and _Unfailing(sys.stderr).isatty()


def be_quiet() -> None:
    """Omit progress and remarks in this process from now on."""
    logging.getLogger(_LOGGER).setLevel(logging.WARNING)


def be_verbose() -> None:
    """Print details in this process from now on."""
    logging.getLogger(_LOGGER).setLevel(logging.DEBUG)


@contextmanager
def same_level() -> Iterator[None]:
    """Restore the level after the block."""
    logger = logging.getLogger(_LOGGER)
    level = logger.level
    try:
        yield
    finally:
        logger.setLevel(level)


def _say(text: str) -> None:
    if sys.stderr is not None:  # None in processes started without it
        _Unfailing(sys.stderr).write(text)


class _Unfailing(io.TextIOBase):
    """A stream that ignores errors of another one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def isatty(self) -> bool:
        with suppress(OSError, ValueError):
            return self._stream.isatty()
        return False

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
        return len(text)

    def flush(self) -> None:
        self.write("")


@contextmanager
def progress(
    title: str, *, total: int | None = None, quiet: bool = False, requested: bool = False
) -> Iterator[Progress]:
    """Show the progress of a piece of work for the block.

    Args:
        title: a few words about the work.
        total: number of units, if known.
        quiet: True to show nothing at all.
        requested: True if the caller asked for progress, wherever it is shown.
    """
    start = time.perf_counter()
    if quiet or is_quiet() or not (requested or on_terminal() or _shows_lines()):
        yield Progress()
    elif on_terminal():
        with _bar(title, total) as bar:
            yield bar
    else:
        lines = _Lines(title=title, total=total)
        try:
            yield lines
        finally:
            lines.end(always=requested)
    if not quiet:
        detail(f"{title}: {time.perf_counter() - start:.2f} s")


def _shows_lines() -> bool:
    """True where lines are read without a terminal: in logs of commands, notebooks and verbose programs."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    in_notebook = type(shell).__name__ == "ZMQInteractiveShell"
    return is_command() or in_notebook or 0 < logging.getLogger(_LOGGER).level <= logging.INFO


def track(
    items: Iterable[_Item],
    *,
    title: str,
    total: int | None = None,
    quiet: bool = False,
    requested: bool = False,
) -> Iterator[_Item]:
    """Yield ``items``, and show the number taken so far, as :func:`progress` does."""
    with progress(title, total=total, quiet=quiet, requested=requested) as shown:
        for item in items:
            yield item
            shown.advance()


@contextmanager
def _bar(title: str, total: int | None) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with RichProgress(
        *columns, console=Console(file=cast("IO[str]", _Unfailing(sys.stderr))), transient=True
    ) as bar:
        task = bar.add_task(visible_line(title), total=total, note="")

        class _Bar(Progress):
            def advance(self, steps: int = 1) -> None:
                bar.advance(task, steps)

            def note(self, text: str) -> None:
                bar.update(task, note=visible_line(text))

        yield _Bar()
