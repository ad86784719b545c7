"""Entries of a collection, and the report of adding some."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.results import Summary


@dataclass(frozen=True, slots=True)
class Entry:
    """A text of a collection.

    Attributes:
        entry_id: id for replacing or removing it.
        text: text to search.
        metadata: values for filters, as JSON-compatible values by name.

    Example:
        >>> import textkin as tk
        >>> tk.Entry("t1", "Where can I park?", {"lang": "en"}).metadata["lang"]
        'en'
    """

    entry_id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


Window = tuple[int, int]
"""The start and the end of a window in its text, in characters."""

WindowsOf = Callable[[Sequence[str]], Sequence[Sequence[Window]]]
"""Function that splits texts into windows, one or more each."""


@dataclass(frozen=True, slots=True, eq=False)
class EntryWindows:
    """The vectors of an entry.

    Attributes:
        vectors: one vector, or one per window. Shape [windows, dim].
        spans: position of each window in the text; empty if the text has one vector.
    """

    vectors: NDArray[np.float32]
    spans: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Added(Summary):
    """The report of adding entries, all of which are on disk.

    Each entry is counted as if they were added one by one.

    Attributes:
        given: number of entries.
        new: number of entries with a new id.
        changed: number of entries that replaced another text or other metadata.
        unchanged: number of entries that existed with the same content, maybe from an earlier row.
        encoded: number of distinct texts that were encoded.
        windows: number of windows of encoded texts that have several.

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
    encoded: int = 0
    windows: int = 0

    def __add__(self, other: Added) -> Added:
        """The sum of two reports."""
        return Added(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))
