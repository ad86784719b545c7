"""``textkin inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textkin.cli.collections import CollectionFolder, Wait
from textkin.cli.options import AsJson, EncoderName
from textkin.cli.output import emit_json, emit_text
from textkin.errors import UsageError

EXAMPLES = """
textkin inspect tickets.kin
textkin inspect tickets.kin --check
textkin inspect tickets.kin --export tickets.jsonl
"""


def command(
    collection: CollectionFolder,
    check: Annotated[
        bool, typer.Option("--check", help="Verify the database, every row, and every file of the cache.")
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Make the cache anew; of a damaged database save what it still has into a new one, and say "
            "what was lost.",
        ),
    ] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Give back the room of removed entries; one file of the cache.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write all entries to a file: .jsonl or .parquet."),
    ] = None,
    passport: Annotated[
        Path | None,
        typer.Option(
            "--passport",
            metavar="FILE",
            help="Write the passport of the collection's model, with the thresholds that were fitted here.",
        ),
    ] = None,
    model: EncoderName = None,
    wait: Wait = None,
    as_json: AsJson = False,
) -> None:
    """Tell what a collection holds; check, repair or export it.

    With --check, the exit code is 8 if anything is not what was written.
    --model is for --repair, where texts have lost their vectors.
    """
    from textkin.passports import write_passport
    from textkin.store.care import check_collection
    from textkin.store.local import LocalStore
    from textkin.tasks.find.inspect import export as export_to
    from textkin.tasks.find.inspect import inspect, passport_of_collection
    from textkin.tasks.find.inspect import repair as repair_it

    if sum((check, repair, compact, export is not None, passport is not None)) > 1:
        raise UsageError(
            "several of --check, --repair, --compact, --export, --passport", fix="give one at a time"
        )
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
            raise typer.Exit(8)
        return
    if repair:
        repaired = repair_it(collection, model)
        emit_json(repaired) if as_json else emit_text(str(repaired))
        return
    if export is not None:
        with LocalStore.open(collection) as store:
            count = export_to(store, export)
        emit_json({"out": export, "entries": count}) if as_json else emit_text(
            f"{count:,} entries written to {export}"
        )
        return
    if compact:
        with LocalStore.open(collection) as store:
            store.compact(wait=wait)
    account = inspect(collection)
    emit_json(account) if as_json else emit_text(str(account))
