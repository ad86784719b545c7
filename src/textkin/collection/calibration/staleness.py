"""How much a collection has changed since something was fitted to it.

Probabilities are those of a collection of a size. The more entries there are, the more of them resemble a
query without answering it, or answer it after all. On SciFact, fitted at a quarter of the documents, the
error of "is it answered" was .052 there, .065 with 25 % more documents, .099 with 50 % and .161 with twice
as many; fitted anew, it was .057.
"""

from __future__ import annotations

from typing import Final

from textkin.data.protocols import Store

MOST: Final = 0.25
"""So much of a collection may be new, or gone, of as many entries as it was fitted at."""


def growth(store: Store, *, entries: int, change: int) -> str:
    """What has changed, in words; "" where it is little.

    Args:
        store: the collection.
        entries: so many it had when something was fitted.
        change: the number of the last change then.
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
