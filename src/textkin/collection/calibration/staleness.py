"""The growth of a collection since something was fitted to it.

Probabilities hold for a collection of a certain size. The more entries there are, the more of them resemble a
query without answering it, or answer it after all. On SciFact, fitted at a quarter of the documents, the
error of "is it answered" was .052 there, .065 with 25 % more documents, .099 with 50 % and .161 with twice as
many; refitted, it was .057.
"""

from typing import Final

from textkin.collection.store.collection_store import CollectionStore

MOST: Final = 0.25
"""The fraction of entries that may be new or removed, relative to the count when fitted."""


def growth(store: CollectionStore, *, entries: int, change: int) -> str:
    """The change since a fit, in words; "" if small.

    Args:
        store: the collection.
        entries: the number of entries when something was fitted.
        change: the number of the last change at that time.
    """
    with store.reading():
        most = MOST * entries
        if store.counter() - change <= most:
            return ""
        come = store.newer(change)
        gone = max(entries - (len(store) - come), 0)
    if max(come, gone) <= most:
        return ""
    kinds = [f"{count:,} {what}" for count, what in ((come, "are new"), (gone, "are gone")) if count]
    return f"it had {entries:,} entries then; since, {' and '.join(kinds)}"
