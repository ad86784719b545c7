"""``textkin match``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.printable import shortened, visible_line
from textkin.base.standard_streams import typed_lines
from textkin.cli.collection_options import (
    AcceptDrift,
    CollectionPlace,
    Wait,
    entries_in_words,
    names_of,
    query_of,
)
from textkin.cli.explain import show
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_accounts, note_read
from textkin.cli.shared_options import (
    AsJson,
    DecisionFile,
    EncoderName,
    EncodingName,
    Quoting,
    TextColumn,
    guards_of,
)

if TYPE_CHECKING:
    from textkin.collection.collection import OpenCollection
    from textkin.collection.match.match import MatchResult
    from textkin.collection.match.match_rules import MatchOptions
    from textkin.data.readers.entries import EntryReading
    from textkin.kinds.explanation import Explained

EXAMPLES = """
textkin match tickets.kin "I can't log in" --base-rate 0.01
textkin match tickets.kin "I can't log in" --explain
textkin match tickets.kin --texts new.csv --text subject --id ticket --out matches.tsv --add
textkin match questions.kin --stream --add --json < questions.log
"""

_LONGEST = 120  # characters of a text that are shown


def command(
    collection: CollectionPlace,
    text: Annotated[str | None, Option("What somebody says.", metavar="[TEXT]")] = None,
    /,
    *,
    texts: Annotated[
        Path | None,
        Option(
            "Match each text of a file: plain text with one text a line, or a table; with --out.",
            metavar="FILE",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option("With --texts: the table to write, .tsv, .csv, .jsonl or .parquet.", metavar="FILE"),
    ] = None,
    stream: Annotated[
        bool,
        Option("Match each line of standard input, and tell of it at once."),
    ] = False,
    add: Annotated[
        bool,
        Option(
            "Store each text when it is matched, a duplicate with a link (duplicate_of in its "
            "metadata), and match the next ones against it, too. Only what isn't linked is matched against."
        ),
    ] = False,
    base_rate: Annotated[
        float | None,
        Option(
            "So many of the texts to come have a duplicate in the collection.  [default: as many as of "
            "its own entries, estimated]",
            metavar="SHARE",
        ),
    ] = None,
    precision: Annotated[
        float,
        Option("Of the texts that are called duplicates, so many are.", metavar="SHARE"),
    ] = 0.95,
    ask: Annotated[
        float,
        Option("Ask from this probability of a duplicate on.", metavar="PROBABILITY"),
    ] = 0.1,
    threshold: Annotated[
        float | None,
        Option("From this cosine on a text is a duplicate, whatever was fitted.", metavar="COSINE"),
    ] = None,
    decision: DecisionFile = None,
    guard: Annotated[
        str | None,
        Option(
            "Never call texts duplicates that differ in these: numbers, negation, names, order, "
            "content; or none.  [default: those that labels were fitted with, else all but content]",
            metavar="NAME,...",
        ),
    ] = None,
    explain: Annotated[
        bool,
        Option("With TEXT: show which tokens make its cosine with the nearest stored text."),
    ] = False,
    column: TextColumn = None,
    ids: Annotated[
        str | None,
        Option("The table's column of ids; else a hash of the text.", flag="--id", metavar="COLUMN"),
    ] = None,
    metadata: Annotated[
        str | None,
        Option("With --add: columns to keep.", metavar="COLUMN,..."),
    ] = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    model: EncoderName = None,
    accept_drift: AcceptDrift = False,
    wait: Wait = None,
    as_json: AsJson = False,
) -> None:
    """Tell of a text whether somebody said this before.

    The verdict is duplicate, new, or ask, which is for a person. From which
    cosine on a text is a duplicate, and how probable that is, is fitted to
    labels with textkin calibrate COLLECTION, and holds at a base rate: where
    one text of a thousand has a duplicate, it takes a higher cosine than where
    every second one has.
    """
    from textkin.collection.match.match import told
    from textkin.collection.match.match_rules import MatchOptions
    from textkin.collection.open_collection import open_collection
    from textkin.data.readers.entries import EntryReading

    _check_inputs(text, texts, out, stream=stream)
    if explain and text is None:
        raise UsageError("--explain goes with TEXT", fix="leave it out, or give a text")
    options = MatchOptions(
        precision=precision,
        ask=ask,
        base_rate=base_rate,
        threshold=threshold,
        decision=decision,
        guards=guards_of(guard),
    )
    reading = EntryReading(
        text=column, ids=ids, metadata=names_of(metadata), quoting=quoting, encoding=encoding
    )
    with open_collection(collection, model=model, accept_drift=accept_drift) as opened:
        opened.store.catch_up()
        if texts is not None and out is not None:
            _match_file(opened, texts, out, options, reading, add=add, wait=wait, as_json=as_json)
        elif text is not None:
            found = opened.match(query_of(text), add=add, options=options, wait=wait)
            why = opened.explain_match(found.matches[0]) if explain else None
            _tell(found, why, as_json=as_json)
            for line in told(found.rule, found.source):
                note(line)
        else:
            _match_lines(opened, options, add=add, wait=wait, as_json=as_json)
        note_accounts([opened.truncation], [opened.coverage])


def _check_inputs(text: str | None, texts: Path | None, out: Path | None, *, stream: bool) -> None:
    inputs = {"TEXT": text is not None, "--texts": texts is not None, "--stream": stream}
    given = [name for name, there in inputs.items() if there]
    if len(given) != 1:
        told = " and ".join(given) or "no text"
        raise UsageError(f"{told} is given", fix="give TEXT, --texts FILE --out FILE, or --stream")
    if (texts is None) != (out is None):
        raise UsageError("--texts and --out go together", fix="give both")


def _match_file(
    opened: OpenCollection,
    texts: Path,
    out: Path,
    options: MatchOptions,
    reading: EntryReading,
    *,
    add: bool,
    wait: float | None,
    as_json: bool,
) -> None:
    from textkin.collection.match.match import told
    from textkin.collection.match.match_file import match_file
    from textkin.data.readers.entries import EntryFile

    found = match_file(opened, EntryFile(texts, reading=reading), out, options, add=add, wait=wait)
    note_read(found.read)
    if as_json:
        emit_json(found)
        return
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(found.verdicts.items()))
    resumed = f"; {found.resumed:,} of them by an earlier call" if found.resumed else ""
    emit_text(f"{found.texts:,} texts: {counts or 'none'}{resumed}; written to {shown_output(out)}")
    for line in told(found.rule, found.source):
        emit_text(line)
    if add:
        emit_text(f"{opened.folder} holds {entries_in_words(len(opened))}")


def _match_lines(
    opened: OpenCollection, options: MatchOptions, *, add: bool, wait: float | None, as_json: bool
) -> None:
    from textkin.collection.match.match import told

    silent = True
    for _, line in typed_lines():
        found = opened.match(line, add=add, options=options, wait=wait)
        if silent:
            for said in told(found.rule, found.source):
                note(said)
            silent = False
        _tell(found, None, as_json=as_json)
        sys.stdout.flush()


def _tell(found: MatchResult, why: Explained | None, *, as_json: bool) -> None:
    if as_json:
        told = {**found.rows()[0], "fitted": found.fitted}
        emit_json(told if why is None else {**told, "explained": why.to_dict()})
        return
    _show(found)
    if why is not None:
        emit_text()
        show(why, out=None, top=3, as_json=False)


def _show(found: MatchResult) -> None:
    [match] = found.matches
    cells = [
        "" if match.score is None else f"{match.score:.4f}",
        "" if match.probability is None else f"{match.probability:.3f}",
        match.nearest_id or "",
        "" if match.nearest_text is None else shortened(visible_line(match.nearest_text), _LONGEST),
        ", ".join(match.guards),
    ]
    emit_table(
        ("verdict", "cosine", "probability", "id", "nearest text", "guards"), [[match.verdict.value, *cells]]
    )
