"""``textkin inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson, CollectionPlace, EncoderName
from textkin.collection.store.address import Place
from textkin.verbs.options import Wait

EXAMPLES = """
textkin inspect tickets.kin
textkin inspect tickets.kin --check
textkin inspect questions.kin --approximate 700
textkin inspect tickets.kin --export tickets.jsonl
"""


def command(
    collection: CollectionPlace,
    /,
    *,
    check: Annotated[bool, Option("Verify the database, every row, and every file of the cache.")] = False,
    repair: Annotated[
        bool,
        Option("Rebuild the cache. Of a damaged database, save what is readable and list what was lost."),
    ] = False,
    compact: Annotated[
        bool, Option("Free the space of removed entries, and merge the cache's files.")
    ] = False,
    export: Annotated[
        Path | None,
        Option("Write all entries to a file: .jsonl, .parquet, .arrow.", metavar="FILE"),
    ] = None,
    approximate: Annotated[
        int | None,
        Option(
            "Cluster the vectors for approximate search, into about the square root of the number of "
            "entries, and measure its recall; 0 removes the index. In PostgreSQL: links per vector of an "
            "HNSW index, usually 16.",
            metavar="CELLS",
            low=0,
        ),
    ] = None,
    passport: Annotated[
        Path | None,
        Option(
            "File for the passport of the collection's model and its thresholds.",
            metavar="FILE",
        ),
    ] = None,
    model: EncoderName = None,
    wait: Wait = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents of a collection; check, repair or export it.

    With --check, the exit code is 8 if any file is damaged.
    --model is for --repair, where texts have lost their vectors.
    """
    from textkin.collection.inspect import export as export_to
    from textkin.collection.inspect import inspect, passport_of_collection
    from textkin.collection.inspect import repair as repair_it
    from textkin.collection.store.maintenance import check_collection
    from textkin.collection.store.open_store import open_store
    from textkin.models.passports.making import write_passport

    given = (check, repair, compact, *(one is not None for one in (approximate, export, passport)))
    if sum(given) > 1:
        raise UsageError(
            "several of --check, --repair, --compact, --approximate, --export, --passport",
            fix="give one at a time",
        )
    if approximate is not None:
        _approximate(collection, approximate, as_json=as_json)
        return
    if passport is not None:
        found_passport = passport_of_collection(collection)
        write_passport(found_passport, passport)
        emit_json({"out": passport, "model": found_passport.model}) if as_json else emit_text(
            f"the passport of {found_passport.model} written to {passport}"
        )
        return
    if check:
        found = check_collection(collection)
        emit_json(found) if as_json else emit_text(str(found))
        if found.database or found.cache:
            raise SystemExit(8)
        return
    if repair:
        repaired = repair_it(collection, model, wait=wait)
        emit_json(repaired) if as_json else emit_text(str(repaired))
        return
    if export is not None:
        with open_store(collection) as store:
            count = export_to(store, export)
        emit_json({"out": export, "entries": count}) if as_json else emit_text(
            f"{count:,} entries written to {shown_output(export)}"
        )
        return
    if compact:
        with open_store(collection) as store:
            store.compact(wait=wait)
    account = inspect(collection)
    emit_json(account) if as_json else emit_text(str(account))


def _approximate(collection: Place, cells: int, *, as_json: bool) -> None:
    """Build clusters of vectors, and show the recall of searches in them."""
    from textkin.collection.store.open_store import open_store

    with open_store(collection) as store:
        if not cells:
            store.cells.drop()
            emit_json({"cells": 0}) if as_json else emit_text("no cells: searches are exact")
            return
        made = store.cells.make(cells)
        told = store.cells.in_words()
    found = {probe: made.recall(probe) for probe in made.probes()}
    if as_json:
        emit_json({"cells": cells, "recall": {str(probe): one for probe, one in found.items()}})
        return
    emit_text(told)
    for probe, one in found.items():
        emit_text(f"--probe {probe}: {'nothing to measure on' if one is None else one.sentence()}")
