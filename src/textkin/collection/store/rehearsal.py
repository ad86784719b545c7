"""A rehearsal of all searches of collections, so that a server's first ones are fast."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import OutputError
from textkin.base.progress import remark
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry, Window

_TEXTS = ("where can I park", "when do you open", "how do I park my car", "what is open")
_DIM = 8
_WINDOW = 4  # tokens; any number above 0


def rehearse_searches() -> None:
    """Run all searches of collections in folders and in databases.

    Without a folder for temporary files, the first searches wait for that, and a remark says so.
    """
    try:
        with TemporaryDirectory(prefix="textkin-") as folder:
            for window, where in product((0, _WINDOW), (None, "number >= 1")):
                place = Path(folder) / f"windows-{window}"
                for store in _stages(place, window):
                    store.nearest(_vectors(_TEXTS), 2, where=where)
                    store.words(_TEXTS, 2, where=where)
    except (OSError, OutputError) as error:
        remark(f"the first searches will take longer, as no temporary collection can be made: {error}")


def _stages(place: Path, window: int) -> Iterator[CollectionStore]:
    """The collection with its rows in memory, then in a file."""
    entries = [Entry(text, text, {"number": number}) for number, text in enumerate(_TEXTS)]
    with open_store(place, create={"windows": window}) as store:
        for _ in store.add(entries, _vectors, windows_of=_halves if window else None):
            pass
        store.remove([_TEXTS[-1]])
        yield store
        store.compact()
    with open_store(place) as store:
        yield store


def _vectors(texts: Sequence[str]) -> Floats32:
    return np.random.default_rng(0).standard_normal((len(texts), _DIM), dtype=np.float32)


def _halves(texts: Sequence[str]) -> list[list[Window]]:
    return [[(0, len(text) // 2), (len(text) // 2, len(text))] for text in texts]
