"""The interface of workers, and the order of their results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

Handle = Any
"""A reference to a value that workers have, or will have."""

_Mark = TypeVar("_Mark")

Piece = tuple[Any, ...]
"""The input of a piece of work, which may include handles."""

_AHEAD = 3
"""Number of pieces queued or running per worker: none is idle, and few results wait."""


class Workers(Protocol):
    """Processes on one machine or several. The work of a crashed process is repeated.

    Work is a module-level function whose result depends only on its arguments.
    """

    @property
    def slots(self) -> int:
        """The number of pieces that run at a time."""

    def share(self, value: Any) -> Handle:
        """Share a value with all workers. As an argument of work, the handle is replaced by the value."""

    def keep(self, value: Any) -> Kept:
        """Share a value that each worker builds once, such as a model."""

    def submit(self, work: Callable[..., Any], *given: Any) -> Handle:
        """Start a piece of work; return the handle of its result."""

    def first_done(self, handles: Sequence[Handle]) -> Handle:
        """One of these handles whose result is ready, after waiting for one."""

    def result(self, handle: Handle) -> Any:
        """The result of a piece of work.

        Raises:
            TextkinError: the error of the work, or workers crash repeatedly.
        """


class Kept(Protocol):
    """A value built once in each worker."""

    def value(self) -> Any:
        """The value, within a worker."""


def as_done(
    workers: Workers, waiting: deque[_Mark], begin: Callable[[_Mark], Handle]
) -> Iterator[tuple[_Mark, Any]]:
    """Yield the marker of each piece of work with its result, as they finish.

    Args:
        workers: the workers.
        waiting: markers of the pieces, removed as the pieces start. The caller may add more meanwhile.
        begin: function that submits a piece.
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
    """Yield the result of each piece, in order."""
    begun: deque[Handle] = deque()
    for given in pieces:
        begun.append(workers.submit(work, *given))
        if len(begun) >= _AHEAD * workers.slots:
            yield workers.result(begun.popleft())
    while begun:
        yield workers.result(begun.popleft())
