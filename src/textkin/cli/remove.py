"""``textkin remove``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.collection_options import CollectionPlace, Wait, WhereOption, entries_in_words, note_filter
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin remove tickets.kin --ids closed.txt
textkin remove tickets.kin --where 'year <= 2014'
"""


def command(
    collection: CollectionPlace,
    /,
    *,
    ids: Annotated[Path | None, Option("Entries with these ids, one a line.", metavar="FILE")] = None,
    where: WhereOption = None,
    wait: Wait = None,
    as_json: AsJson = False,
) -> None:
    """Remove entries from a collection, by id or by a filter.

    What the command has told is gone for good, and found by no search.
    """
    from textkin.collection.store.open_store import open_store
    from textkin.data.readers.text_files import lines

    if (ids is None) == (where is None):
        raise UsageError("--ids and --where: one of them says which entries go", fix="give one of them")
    named = [] if ids is None else [line for line in lines(ids) if line.strip()]
    with open_store(collection) as store:
        odd = () if where is None or not len(store) else store.filter_notes(where)
        removed = store.remove(named, where=where, wait=wait)
        note_filter(odd)
        left = len(store)
    missing = len(set(named)) - removed if ids is not None else 0
    if as_json:
        emit_json({"collection": collection, "removed": removed, "missing": missing, "entries": left})
        return
    absent = f", {missing:,} id{'s were' if missing > 1 else ' was'} not there" if missing else ""
    emit_text(f"{entries_in_words(removed)} removed{absent}")
    emit_text(f"{collection} holds {entries_in_words(left)}")
