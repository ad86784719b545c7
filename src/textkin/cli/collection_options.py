"""Options that the commands of collections share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.progress import note
from textkin.collection.store.address import Place, place_of

if TYPE_CHECKING:
    from textkin.collection.store.filter_warnings import FilterNote


def place_in_words(given: str) -> Place:
    """A collection's folder or address, as given on the command line."""
    return place_of(given)


# Typer takes no unions; what the parser gives is a Place.
CollectionPlace = Annotated[
    Any,
    Option(
        "Folder of a collection, or postgresql://USER@HOST/DATABASE.",
        metavar="COLLECTION",
        parse=place_in_words,
    ),
]
WhereOption = Annotated[
    str | None,
    Option(
        """Entries whose metadata fit, such as 'lang = "en" and year >= 2020'. Also: != < <= > or not """
        "in (...), contains, exists; numbers are compared with numbers, quoted texts with texts.",
        flag="--where",
        metavar="FILTER",
    ),
]
RerankModel = Annotated[
    str | None,
    Option(
        "Put the first hits in the order of a scorer of pairs, such as the folder of a cross-encoder.",
        flag="--rerank",
        metavar="MODEL",
    ),
]
RerankDepth = Annotated[
    int, Option("With --rerank: so many hits.", flag="--rerank-depth", metavar="N", low=1)
]
AcceptDrift = Annotated[
    bool,
    Option(
        "Go on with a model that is not the one of the collection's passport, and say by how much its "
        "vectors are off.",
        flag="--accept-drift",
    ),
]
Wait = Annotated[
    float | None,
    Option("Seconds to wait for another writer. Default: 30.", flag="--wait", metavar="SECONDS", low=0),
]


def query_of(text: str) -> str:
    """Return the query or text unchanged, if it isn't blank.

    Raises:
        UsageError: it is blank.
    """
    if not text.strip():
        raise UsageError("the text is blank", fix="say what to look for, or leave it out to be asked")
    return text


def entries_in_words(count: int) -> str:
    """A number of entries in words, such as "1 entry"."""
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


def note_filter(notes: Iterable[FilterNote]) -> None:
    """Print notes on a filter, such as misspelt names."""
    for one in notes:
        note(str(one))


def names_of(columns: str | None) -> tuple[str, ...]:
    """The columns in a list with commas.

    Raises:
        UsageError: one is empty or comes twice.
    """
    if columns is None:
        return ()
    names = tuple(name.strip() for name in columns.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise UsageError(f"the columns {columns!r}", fix="write each name once, with commas between them")
    return names
