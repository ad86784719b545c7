"""Facts and state of a collection, checked; and the errors of a damaged one.

A row keeps its number until its text changes. Numbers come from the change counter, so later rows have
greater ones. The vectors of a text's windows share one row, so that they are written whole or not at all.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textkin.base.errors import DataError
from textkin.collection.store.address import Place
from textkin.collection.store.back_end import BackEnd, Change, State, Which, write_until_done

FORMAT = 2
"""The version of what is stored, itself a fact."""

WINDOWS = "windows"
"""The fact that holds the tokens per window; 0 or none if each text has one vector."""

PATIENCE = 30.0
"""Seconds to wait for another writer; adding a file takes a while."""

FIX = "look at it by `check_collection()`, save what is left by `repair_collection()`"
_FIX_ADDRESS = "look at it by `check_collection()`, restore the database from a backup"


_WIDEST = 1 << 20

_OWN: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "format": lambda value: type(value) is int,
        "dim": lambda value: type(value) is int and 0 < value <= _WIDEST,
        "analyser": lambda value: isinstance(value, str),
        WINDOWS: lambda value: type(value) is int and value >= 0,
    }
)
"""Types of the store's own facts; other facts are checked by their writers."""


def require_format(back_end: BackEnd) -> None:
    """Check that this textkin supports what a collection's back end has.

    Raises:
        DataError: it doesn't.
    """
    if (version := fact(back_end, "format")) != FORMAT:
        is_newer = isinstance(version, int) and version > FORMAT
        fix = "use a newer textkin" if is_newer else "add the texts to a new one: `add()`"
        raise DataError(f"format {version}, expected {FORMAT}", path=str(back_end.place), fix=fix)


def fact(back_end: BackEnd, name: str) -> Any:
    """The value noted under a name; None without.

    Raises:
        DataError: it is corrupt.
    """
    found = back_end.facts(name)
    return read_fact(back_end.place, name, found[name]) if name in found else None


def read_fact(place: Place, name: str, text: Any) -> Any:
    """The value of a fact's JSON text.

    Raises:
        DataError: it is corrupt.
    """
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise unreadable(place, name) from None
    if name in _OWN and not _OWN[name](value):
        raise unreadable(place, name)
    return value


def unreadable(place: Place, name: str) -> DataError:
    """The error about an unreadable fact."""
    return damaged(place, f"what is noted as {name!r} is not what was written")


def fact_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Facts in stored form."""
    return {
        name: json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
        for name, value in values.items()
    }


def note_fact(back_end: BackEnd, name: str, value: Any) -> None:
    """Note a JSON value under a name."""
    facts = fact_texts({name: value})
    write_until_done(back_end, lambda state: Change(state.counter, state, facts=facts))


def state_of(back_end: BackEnd) -> State:
    """The collection's state, as of the moment that is read.

    Raises:
        DataError: this is corrupt.
    """
    found = back_end.state()
    parts = () if found is None else (found.counter, found.live, found.forgotten)
    if found is None or not all(type(one) is int and one >= 0 for one in parts):
        raise damaged(back_end.place, "the counter of its changes is not what was written")
    return found


def rows_since(back_end: BackEnd, change: int, last: int | None = None) -> int:
    """The number of rows that have come since a change, up to another if given."""
    return back_end.count(Which(low=change, high=last))


def damaged(place: Place, what: str) -> DataError:
    """The error about a collection with invalid contents."""
    fix = FIX if isinstance(place, Path) else _FIX_ADDRESS
    return DataError(f"damaged: {what}", path=place if isinstance(place, Path) else str(place), fix=fix)


def collection_of(place: Place) -> Place:
    """The user's name for a back end's collection: its folder or address."""
    return place.parent if isinstance(place, Path) else place
