"""``textkin watch``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from textkin.base.errors import DataError
from textkin.base.options import Option
from textkin.base.standard_streams import typed_lines
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson, CollectionPlace

EXAMPLES = """
textkin watch tickets.kin matches.tsv
textkin watch tickets.kin matches.tsv --labelled judged.tsv --json
textkin watch tickets.kin - < what-match-printed.jsonl
"""

_CODES = {"ok": 0, "drifting": 11, "broken": 12}


def command(
    collection: CollectionPlace,
    matches: Annotated[
        Path | None,
        Option(
            "Table of new matches, such as match writes; each match is used once. - reads JSON lines.",
            metavar="[MATCHES]",
        ),
    ] = None,
    /,
    *,
    labels: Annotated[
        Path | None,
        Option(
            "New labels of random texts that match called duplicates: a table with a column label, 1 or "
            "0. Each file is used once.",
            flag="--labelled",
            metavar="FILE",
        ),
    ] = None,
    precision: Annotated[
        float,
        Option('Required precision; "broken" when labels show less.', metavar="SHARE"),
    ] = 0.95,
    error: Annotated[
        float,
        Option("Maximum probability of a false alarm, ever.", metavar="SHARE"),
    ] = 0.05,
    base_rate: Annotated[
        float | None,
        Option("Expected fraction of texts with a duplicate. Default: as at calibration.", metavar="SHARE"),
    ] = None,
    reference: Annotated[
        Path | None,
        Option(
            "Reference matches. Default: the scores at calibration.",
            flag="--against",
            metavar="MATCHES",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        Option("File of what was watched. Default: COLLECTION with .watch.jsonl.", metavar="FILE"),
    ] = None,
    restart: Annotated[bool, Option("Start again and ignore what was watched before.")] = False,
    model: Annotated[
        str | None,
        Option("Model that serves the collection now, to be checked.", metavar="MODEL"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Detect drift in match scores since calibration.

    Prints the state (ok, drifting or broken) and advice. The model encodes the
    fingerprint's probe texts again. The scores of new matches are compared with
    those at calibration, and labels test the precision. Both tests are valid at
    any time: the probability of ever raising a false alarm is at most --error.
    Exit code: 0 ok, 11 drifting, 12 broken.
    """
    from textkin.collection.watch.watch import WatchOptions, watch

    options = WatchOptions(
        precision=precision,
        error=error,
        base_rate=base_rate,
        reference=reference,
        state=state,
        restart=restart,
        model=model,
    )
    given = _lines() if matches == Path("-") else matches
    found = watch(collection, given, labels=labels, options=options)
    if as_json:
        emit_json({**found.rows()[0], "todo": found.todo, "kept in": str(found.path)})
    else:
        emit_text(str(found))
    if code := _CODES[found.state.value]:
        raise SystemExit(code)


def _lines() -> Iterator[dict[str, Any]]:
    """The rows that textkin match writes with --json."""
    import json

    for number, line in typed_lines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DataError("is no JSON object", path="-", line=number, fix="pipe what match --json writes")
        yield found
