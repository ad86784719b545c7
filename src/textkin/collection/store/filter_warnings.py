"""Suspicious filters: names that no entry has, and texts compared with a number."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from textkin.base.printable import shortened, visible_line
from textkin.collection.store.database import Database
from textkin.collection.store.filters import Where

_LONGEST = 40


@final
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
        shown = shortened(visible_line(self.example), _LONGEST)
        are = "is a text" if self.texts == 1 else "are texts"
        counts = f"{self.texts:,} of its {self.values:,} values {are}"
        return f"{self.name!r} is compared with a number, but {counts}, such as {shown!r}"


def notes_on(database: Database, asked: Where) -> list[FilterNote]:
    """Suspicious parts of a filter, by name."""
    missing = set(unknown_names(database, asked.asserted | asked.denied))
    found = [FilterNote(name, 0) for name in missing]
    for name in asked.numeric - missing:
        sql, values = database.filters.is_no_number(name)
        texts = _count(database, sql, values)
        if texts:
            row = database.execute(f"SELECT metadata FROM texts WHERE {sql} LIMIT 1", values).fetchone()
            there = _count(database, *database.filters.exists(name))
            found.append(FilterNote(name, there, texts, str(json.loads(row[0])[name])))
    return sorted(found, key=lambda one: one.name)


def unknown_names(database: Database, names: Iterable[str]) -> list[str]:
    """The names that no entry has in its metadata."""
    missing = []
    for name in sorted(names):
        sql, values = database.filters.exists(name)
        there = database.execute(f"SELECT EXISTS (SELECT 1 FROM texts WHERE {sql})", values).fetchone()
        missing += [] if there[0] else [name]
    return missing


def _count(database: Database, sql: str, values: tuple[object, ...]) -> int:
    return int(database.execute(f"SELECT count(*) FROM texts WHERE {sql}", values).fetchone()[0])
