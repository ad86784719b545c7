"""Progress of long work, a bar on a terminal and lines elsewhere, and notes: always on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Item = TypeVar("_Item")
_LINE_EVERY_SECONDS = 10.0


class Progress:
    """Counts work that is done; obtained from :func:`progress`.

    The base class is silent. Subclasses show the count.
    """

    def advance(self, steps: int = 1) -> None:
        """Note that ``steps`` more units are done."""

    def note(self, text: str) -> None:
        """Show a few words (a loss, a score) beside the count."""


class _Lines(Progress):
    def __init__(self, *, title: str, total: int | None) -> None:
        self._title = title
        self._total = total
        self._done = 0
        self._note = ""
        self._last = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._last >= _LINE_EVERY_SECONDS:
            self._last = now
            self.show()

    def note(self, text: str) -> None:
        self._note = text

    def show(self) -> None:
        total = "" if self._total is None else f"/{self._total}"
        note = f"  {self._note}" if self._note else ""
        sys.stderr.write(f"{self._title}: {self._done}{total}{note}\n")
        sys.stderr.flush()


def note(text: str) -> None:
    """Tell the user something on standard error, in one line that stays."""
    sys.stderr.write(f"textkin: {text}\n")


@contextmanager
def progress(title: str, *, total: int | None = None, quiet: bool = False) -> Iterator[Progress]:
    """Show the progress of a piece of work while the block runs.

    Args:
        title: what is being done, as a few words.
        total: how many units there are, when known.
        quiet: show nothing at all.
    """
    if quiet:
        yield Progress()
    elif sys.stderr.isatty():
        with _bar(title, total) as bar:
            yield bar
    else:
        lines = _Lines(title=title, total=total)
        try:
            yield lines
        finally:
            lines.show()


def track(
    items: Iterable[_Item], *, title: str, total: int | None = None, quiet: bool = False
) -> Iterator[_Item]:
    """Yield ``items`` and show how many have been taken."""
    with progress(title, total=total, quiet=quiet) as shown:
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
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, note="")

        class _Bar(Progress):
            def advance(self, steps: int = 1) -> None:
                bar.advance(task, steps)

            def note(self, text: str) -> None:
                bar.update(task, note=text)

        yield _Bar()
