"""Collections, and texts that are searched like one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.errors import DataError, inapplicable
from textkin.base.frames import column_names
from textkin.base.paths import exists, is_standard
from textkin.base.progress import progress
from textkin.collection.collection import OpenCollection
from textkin.collection.collection_model import ReadingTotals
from textkin.collection.open_collection import open_collection
from textkin.collection.store.address import MEMORY, Address, Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.open_store import is_there, open_store
from textkin.data.entry_records import Entry
from textkin.data.readers import TextReading
from textkin.data.readers.read_options import QuotingOption
from textkin.text.truncation_account import note_truncation
from textkin.verbs.inputs import text_reading, texts_from

_NOTHING = "check the path, make a collection by `add()`, or give texts first, then what to look for"


@dataclass(frozen=True, slots=True)
class Opened:
    """A collection, or texts that are searched like one.

    Attributes:
        collection: the open collection.
        ids: the ids of texts by those that the collection has for them; None of a collection on the disk.
    """

    collection: OpenCollection
    ids: Mapping[str, Any] | None = None

    def id_of(self, name: Any) -> Any:
        """The id by which the user knows an entry."""
        return name if self.ids is None else self.ids.get(name, name)


@contextmanager
def opened(
    given: Any,
    reading: TextReading,
    *,
    model: Any = None,
    accept_drift: bool = False,
    encoded: bool = True,
) -> Iterator[Opened]:
    """Open a collection for the block, or make one of texts in memory.

    Args:
        given: an open collection, its location, or texts as :func:`texts_from` takes them.
        reading: the columns of texts and ids.
        model: the model.
        accept_drift: continue with a model that isn't the collection's.
        encoded: False if only words are asked for, so that texts needn't be encoded.

    Raises:
        UsageError: there is no collection, or options don't go together.
        DataError: there is nothing, the collection is damaged, or the texts can't be read.
        ModelError: there is no such model.
    """
    if isinstance(given, OpenCollection):
        if model is not None:
            raise inapplicable("model", to="an open collection")
        yield Opened(given)
        return
    if (place := collection_place(given)) is not None:
        if isinstance(place, Path) and not exists(place):
            raise DataError("no such file or collection", path=place, fix=_NOTHING)
        with open_collection(place, model=model, accept_drift=accept_drift) as found:
            found.store.catch_up()
            yield Opened(found)
        return
    if accept_drift:
        raise inapplicable("accept_drift", to="texts")
    texts = texts_from(given, reading).told_apart()
    names = [str(one) for one in texts.ids]
    entries = [Entry(*one) for one in zip(names, texts.texts, strict=True)]
    with OpenCollection(open_store(f"{MEMORY}://", create={}), model) as made:
        encode = made.model.encode if encoded else _zeros
        with progress("reading texts", total=len(entries)) as shown:
            for part in made.store.add(entries, encode):
                shown.advance(part.given)
        yield Opened(made, dict(zip(names, texts.ids, strict=True)))


def _zeros(texts: Sequence[str]) -> Floats32:
    """Vectors that nothing is compared with."""
    return np.zeros((len(texts), 1), dtype=np.float32)


@contextmanager
def store_of(collection: Any) -> Iterator[CollectionStore]:
    """Open the store of a collection for the block; that of an open collection stays open.

    Raises:
        UsageError: there is no collection.
        DataError: it is damaged.
    """
    if isinstance(collection, OpenCollection):
        yield collection.store
    else:
        with open_store(collection) as store:
            yield store


def place_in(collection: Any) -> Place | str:
    """The location of a collection, which may be open."""
    return collection.folder if isinstance(collection, OpenCollection) else collection


def collection_place(given: Any) -> Place | None:
    """The location of a collection; None for texts and their files."""
    if isinstance(given, Address):
        return given
    if not isinstance(given, str | Path) or is_standard(given):
        return None
    place = place_of(given)
    return place if isinstance(place, Address) or is_there(place) or not exists(place) else None


def refuse_file_options(quoting: QuotingOption, encoding: str | None, texts: Any, other: Any) -> None:
    """Refuse options of files if neither the texts to search nor the other texts are of a file.

    A collection is none, and where results are in memory, a string is one of the other texts.

    Raises:
        UsageError: one is given.
    """
    first = () if collection_place(texts) is not None else texts
    text_reading(None, None, quoting, encoding, first, [other] if isinstance(other, str) else other)


def readings(first: Any, second: Any, reading: TextReading) -> tuple[TextReading, TextReading]:
    """The reading of the texts to search, and that of the other texts: columns are of what has columns.

    Raises:
        UsageError: columns are chosen, and neither has any.
    """
    both = tuple(reading if _has_columns(one) else TextReading() for one in (first, second))
    for param, value in (("text", reading.text), ("id", reading.id)):
        if value is not None and not (_has_columns(first) or _has_columns(second)):
            raise inapplicable(param, to="texts without columns")
    return both[0], both[1]


def _has_columns(data: Any) -> bool:
    if isinstance(data, Path) or (isinstance(data, str) and exists(data)):
        return collection_place(data) is None
    return column_names(data) is not None


def note_account(totals: ReadingTotals) -> None:
    """Report the numbers of truncated texts and of texts with many unknown tokens."""
    note_truncation(totals.truncation)
    if totals.coverage is not None:
        totals.coverage.tell()


def entries_in_words(number: int) -> str:
    """A number of entries, such as "1 entry"."""
    return count(number, "entry")
