"""``remove``: remove entries from a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import CollectionPlace, Wait, Where

if TYPE_CHECKING:
    from textkin.verbs.collections.removed import RemovedEntries

Ids = Annotated[
    Any,
    Option(
        "File with the ids of the entries, one per line.",
        metavar="FILE",
        command=Path,
        python="Or the ids in a list.",
    ),
]


@verb
def remove(
    collection: CollectionPlace, /, *, ids: Ids = None, where: Where = None, wait: Wait = None
) -> RemovedEntries:
    """Remove entries from a collection, by id or by a filter.

    Removed entries are gone for good, and no later search finds them.

    Returns:
        :class:`RemovedEntries`.

    Raises:
        UsageError: neither or both of ids and where are given, or the filter can't be parsed.
        OutputError: another process is writing, or the disk is full.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("notes", ["Where can I park?"], id=["t1"])
        >>> tk.remove("notes", ids=["t1"]).removed
        1
    """
    from textkin.verbs.collections.removed import remove_entries

    return remove_entries(collection, ids=ids, where=where, wait=wait)
