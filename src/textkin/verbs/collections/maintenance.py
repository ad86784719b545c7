"""``collection_info``, ``check_collection`` and their kind: look after a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import CollectionPlace, EncoderModel, Wait

if TYPE_CHECKING:
    from textkin.collection.contents import CollectionSummary
    from textkin.collection.store.check import CollectionHealth
    from textkin.collection.store.repair import Repaired
    from textkin.verbs.collections.maintained import ExportedEntries, IndexedCollection

ExportFile = Annotated[
    Path, Option("File for the entries: .jsonl, .parquet or .arrow. - prints JSON lines.", metavar="FILE")
]
Cells = Annotated[
    int | None,
    Option(
        "Number of cells; 0 removes the index. Default: the square root of the number of entries. In "
        "PostgreSQL: links per vector of an HNSW index, by default 16.",
        metavar="[CELLS]",
        low=0,
        argument=True,
    ),
]


@verb
def collection_info(collection: CollectionPlace, /) -> CollectionSummary:
    """Show what a collection holds: entries, model, sizes, calibration.

    Returns:
        :class:`CollectionSummary`, with a field for each of these.

    Raises:
        UsageError: there is no collection.
        DataError: it is damaged.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("about", ["Where can I park?", "When do you open?"])
        >>> tk.collection_info("about").entries
        2
    """
    from textkin.collection.contents import summary_of
    from textkin.verbs.collections.opened import store_of

    with store_of(collection) as store:
        return summary_of(store)


@verb
def check_collection(collection: CollectionPlace, /) -> CollectionHealth:
    """Check every row and file of a collection for damage.

    The exit code is 8 if anything is damaged. Damaged files of the cache are made again at the next search. A
    damaged database needs a repair.

    Returns:
        :class:`CollectionHealth`: the number of entries, and what is damaged.

    Raises:
        UsageError: there is no collection.
        OutputError: the database can't be reached.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("sound", ["Where can I park?"])
        >>> tk.check_collection("sound").database
        ()
    """
    from textkin.collection.store.check_and_repair import check_collection as check
    from textkin.verbs.collections.opened import place_in

    return check(place_in(collection))


@verb
def repair_collection(
    collection: CollectionPlace, /, *, model: EncoderModel = None, wait: Wait = None
) -> Repaired:
    """Rebuild a collection's cache, and save what a damaged database still holds.

    The damaged database is kept beside the new one, and the result lists what was lost. The model is needed
    only where texts have lost their vectors.

    Returns:
        :class:`Repaired`: the numbers of saved and of lost entries.

    Raises:
        UsageError: there is no collection, or it is in PostgreSQL.
        DataError: nothing can be read.
        ModelError: the model is needed and doesn't exist.
        OutputError: another process is writing, or the disk is full.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("mended", ["Where can I park?"])
        >>> tk.repair_collection("mended").lost
        0
    """
    from textkin.collection.contents import repair

    return repair(collection, model, wait=wait)


@verb
def compact_collection(collection: CollectionPlace, /, *, wait: Wait = None) -> CollectionSummary:
    """Free the space of removed entries, and merge the files of the cache.

    Returns:
        :class:`CollectionSummary`, as of :func:`textkin.collection_info`.

    Raises:
        UsageError: there is no collection.
        OutputError: another process is writing, or the disk is full.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("smaller", ["Where can I park?", "When do you open?"], id=["a", "b"])
        >>> removed = tk.remove("smaller", ids=["a"])
        >>> tk.compact_collection("smaller").entries
        1
    """
    from textkin.collection.contents import summary_of
    from textkin.verbs.collections.opened import store_of

    with store_of(collection) as store:
        store.compact(wait=wait)
        return summary_of(store)


@verb
def index_collection(collection: CollectionPlace, /, cells: Cells = None) -> IndexedCollection:
    """Make an index for approximate search, and measure its recall.

    The vectors are clustered into cells. A search with `probe` looks at the nearest cells only. Entries that
    are added later are always searched.

    Returns:
        :class:`IndexedCollection`: the number of cells, and the recall by the number of probed cells.

    Raises:
        UsageError: there is no collection, or it has too few entries for so many cells.
        OutputError: another process is writing, or the disk is full.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("indexed", [f"note {number}" for number in range(100)])
        >>> tk.index_collection("indexed", 4).cells
        4
    """
    from textkin.verbs.collections.maintained import make_index
    from textkin.verbs.collections.opened import store_of

    with store_of(collection) as store:
        return make_index(store, cells)


@verb
def export_collection(collection: CollectionPlace, /, *, out: ExportFile) -> ExportedEntries:
    """Write the entries of a collection to a file: ids, texts and metadata.

    Returns:
        :class:`ExportedEntries`: the file and the number of entries.

    Raises:
        UsageError: there is no collection, or the file's ending is unknown.
        MissingExtraError: a column file without pyarrow.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("written", ["Where can I park?"])
        >>> tk.export_collection("written", out="written.jsonl").entries
        1
    """
    from textkin.collection.contents import export
    from textkin.verbs.collections.maintained import ExportedEntries
    from textkin.verbs.collections.opened import store_of

    with store_of(collection) as store:
        return ExportedEntries(out, export(store, out))
