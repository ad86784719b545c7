"""Notes on filters: names that no entry has, and texts compared with numbers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from textkin.base.printable import shortened, visible_line
from textkin.collection.store.back_end import BackEnd, Which
from textkin.collection.store.filters import EXISTS, NO_NUMBER, Compared, Where

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class FilterNote:
    """A suspicious name in a filter.

    Attributes:
        name: the metadata name.
        values: the number of entries that have it.
        texts: the number of these that are compared with a number and are texts not written as one.
        example: one of them.
    """

    name: str
    values: int
    texts: int = 0
    example: str = ""

    def __str__(self) -> str:
        if not self.values:
            return f"no entry has the metadata {self.name!r}, which the filter asks for"
        shown = shortened(visible_line(self.example), _SHOWN)
        are = "is a text" if self.texts == 1 else "are texts"
        counts = f"{self.texts:,} of its {self.values:,} values {are}"
        return f"{self.name!r} is compared with a number, but {counts}, such as {shown!r}"


def notes_on(back_end: BackEnd, asked: Where) -> list[FilterNote]:
    """Suspicious parts of a filter, by name."""
    compared = [one for one, _ in asked.compared() if one.sign != EXISTS]
    missing = unknown_names(back_end, {one.name for one in compared})
    found = [FilterNote(name, 0) for name in missing]
    numeric = {one.name for one in compared if not isinstance(one.value, str | bool)}
    for name in numeric.difference(missing):
        no_number = Compared(name, NO_NUMBER)
        if texts := back_end.count(Which(where=no_number)):
            [row] = back_end.rows(Which(where=no_number, limit=1), ("metadata",))
            there = back_end.count(Which(where=Compared(name, EXISTS)))
            found.append(FilterNote(name, there, texts, str(json.loads(row[0])[name])))
    return sorted(found, key=lambda one: one.name)


def unknown_names(back_end: BackEnd, names: Iterable[str]) -> list[str]:
    """The names that no entry has in its metadata."""
    return [
        name
        for name in sorted(names)
        if not list(back_end.rows(Which(where=Compared(name, EXISTS), limit=1), ("number",)))
    ]
