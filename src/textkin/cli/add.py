"""``textkin add``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from textkin.base.options import Option
from textkin.cli.collection_options import AcceptDrift, Wait, entries_in_words, names_of, place_in_words
from textkin.cli.output import emit_json, emit_text, note_read, note_truncation
from textkin.cli.shared_options import AsJson, Download, EncoderName, EncodingName, Quoting, TextColumn, fetch

EXAMPLES = """
textkin add tickets.kin tickets.csv --text subject --id ticket --metadata lang,year
textkin add questions.kin questions.txt
textkin add papers.kin scifact --model runs/minilm --analyser english
textkin add papers.kin scifact --window-tokens 64
"""


def command(
    collection: Annotated[
        Any,  # a Place: Typer takes no unions
        Option(
            "The folder of the collection, or postgresql://USER@HOST/DATABASE?collection=NAME; made if "
            "it isn't there.",
            metavar="COLLECTION",
            parse=place_in_words,
        ),
    ],
    texts: Annotated[
        Path,
        Option(
            "Plain text with one text a line, a table (CSV, TSV, JSONL), a folder of these in files "
            "part-*, or a BEIR folder.",
            metavar="TEXTS",
        ),
    ],
    /,
    *,
    model: EncoderName = None,
    text: TextColumn = None,
    ids: Annotated[
        str | None,
        Option(
            "The table's column of ids. An entry takes the place of one with the same id. Without ids a "
            "hash of the text is one.",
            flag="--id",
            metavar="COLUMN",
        ),
    ] = None,
    metadata: Annotated[
        str | None,
        Option("Columns to keep, which --where asks for.", metavar="COLUMN,..."),
    ] = None,
    analyser: Annotated[
        str | None,
        Option(
            "How a new collection reads words: plain, or a language, such as english, to stem words and "
            "leave stop words out.  [default: plain]",
            metavar="NAME",
        ),
    ] = None,
    windows: Annotated[
        int | None,
        Option(
            "A new collection has longer texts in overlapping windows of so many tokens, each with a "
            "vector; 0: one vector of each text, of what the model reads.  [default: what the model reads; 0 "
            "if it reads whole texts]",
            flag="--window-tokens",
            metavar="TOKENS",
            low=0,
        ),
    ] = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    accept_drift: AcceptDrift = False,
    wait: Wait = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Add texts to a collection that remembers them.

    New and changed texts are encoded, others are left as they are. The
    collection keeps to one model. What the command has told is on the disk
    for good, and found at once; a call that was stopped goes on where it was.
    """
    from textkin.collection.open_collection import open_collection
    from textkin.data.readers.entries import EntryFile, EntryReading

    fetch(model, download=download)
    reading = EntryReading(
        text=text, ids=ids, metadata=names_of(metadata), quoting=quoting, encoding=encoding
    )
    file = EntryFile(texts, reading=reading)
    file.require_begin()  # so that no empty collection is made of a file that can't be read
    with open_collection(
        collection,
        model=model,
        create=True,
        analyser=analyser,
        windows=windows,
        wait=wait,
        accept_drift=accept_drift,
    ) as opened:
        added, read = opened.add_file(file, wait=wait)
        count, name = len(opened), opened.model.name
        truncation, coverage = opened.truncation, opened.coverage
    note_read(read)
    note_truncation(truncation)
    if coverage is not None:
        coverage.tell()
    if as_json:
        emit_json(
            {
                "collection": collection,
                "entries": count,
                "model": name,
                "added": added,
                "has_ids": file.has_ids,
                "read": read,
                "truncation": truncation,
                "coverage": coverage,
            }
        )
        return
    told = f"{added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
    repeated = f", {added.repeated:,} repeated" if added.repeated else ""
    several = f", the long ones in {added.windows:,} windows" if added.windows else ""
    emit_text(f"{told}{repeated}; {added.encoded:,} different texts encoded by {name}{several}")
    emit_text(f"{collection} holds {entries_in_words(count)}")
