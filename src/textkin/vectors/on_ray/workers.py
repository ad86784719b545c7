"""What the pieces of some work are given to, and in which order their results come back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

Handle = Any
"""Stands for a value that workers have, or will have."""

_Mark = TypeVar("_Mark")

Piece = tuple[Any, ...]
"""What a piece of work is given, handles among it."""

_AHEAD = 3
"""So many pieces a worker are waiting or worked on, so that none is idle and few results wait."""


class Workers(Protocol):
    """Processes on one machine or several. What one of them was doing when it died is done again.

    Work is a function of a module, which depends on what it is given and on nothing else.
    """

    @property
    def slots(self) -> int:
        """How many pieces are worked on at a time."""
        ...

    def share(self, value: Any) -> Handle:
        """Have a value where every worker can get it; given to work, the handle becomes the value."""
        ...

    def keep(self, value: Any) -> Kept:
        """Have a value that each worker makes once, such as a model."""
        ...

    def submit(self, work: Callable[..., Any], *given: Any) -> Handle:
        """Begin a piece of work; the handle stands for its result."""
        ...

    def first_done(self, handles: Sequence[Handle]) -> Handle:
        """One of these whose result is there, as soon as there is one."""
        ...

    def result(self, handle: Handle) -> Any:
        """The result of a piece of work.

        Raises:
            TextkinError: as the work did, or workers die time and again.
        """
        ...


class Kept(Protocol):
    """A value that is made once in each worker."""

    def value(self) -> Any:
        """The value, in a worker."""
        ...


def as_done(
    workers: Workers, waiting: deque[_Mark], begin: Callable[[_Mark], Handle]
) -> Iterator[tuple[_Mark, Any]]:
    """What stands for each piece of work, with its result, as they come.

    Args:
        workers: do the work.
        waiting: stands for the pieces; taken away as they begin. The caller may add more meanwhile.
        begin: submits a piece.
    """
    begun: dict[Handle, _Mark] = {}
    while waiting or begun:
        while waiting and len(begun) < _AHEAD * workers.slots:
            mark = waiting.popleft()
            begun[begin(mark)] = mark
        handle = workers.first_done(list(begun))
        mark = begun.pop(handle)
        yield mark, workers.result(handle)


def in_order(workers: Workers, work: Callable[..., Any], pieces: Iterable[Piece]) -> Iterator[Any]:
    """The result of each piece, in their order."""
    begun: deque[Handle] = deque()
    for given in pieces:
        begun.append(workers.submit(work, *given))
        if len(begun) >= _AHEAD * workers.slots:
            yield workers.result(begun.popleft())
    while begun:
        yield workers.result(begun.popleft())
