"""What a collection holds and answers: entries, and what became of those that were given to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.results import ResultRow, Summary


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """A text of a collection.

    Attributes:
        entry_id: its id, by which it is replaced or removed.
        text: what is searched.
        metadata: what filters ask for, JSON values by name.

    Example:
        >>> import textkin as tk
        >>> tk.Entry("t1", "Where can I park?", {"lang": "en"}).metadata["lang"]
        'en'
    """

    entry_id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


Window = tuple[int, int]
"""Where a window begins in its text, and where it ends: characters, the end excluded."""

WindowsOf = Callable[[Sequence[str]], Sequence[Sequence[Window]]]
"""What parts texts into windows, one or more each."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class EntryWindows:
    """The vectors of an entry.

    Attributes:
        vectors: one, or one a window. Shape [windows, dim].
        spans: where its windows stand in the text; empty where the text has one vector.
    """

    vectors: NDArray[np.float32]
    spans: tuple[Window, ...] = ()


@final
@dataclass(frozen=True, slots=True, repr=False)
class Added(Summary):
    """What became of entries that were given to a collection; all of it is on the disk.

    Attributes:
        given: entries.
        new: of them those with an id that was not there.
        changed: those that took the place of one with another text or other metadata.
        unchanged: those that were there just so.
        repeated: those whose id came again among the next thousands, which count instead.
        encoded: different texts that vectors were made for.
        windows: the windows of those of them that are in several.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("questions", create=True) as questions:
        ...     questions.add(["Where can I park?", "When do you open?"]).new
        2
    """

    given: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    repeated: int = 0
    encoded: int = 0
    windows: int = 0

    def __add__(self, other: Added) -> Added:
        """The account of both."""
        return Added(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields()
