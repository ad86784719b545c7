"""``match``: check whether texts duplicate others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptDrift,
    CollectionModel,
    DecisionFile,
    Download,
    EncodingName,
    IdColumn,
    MetadataColumns,
    Quoting,
    TextColumn,
    TextsOrCollection,
    Wait,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textkin.collection.match.match import MatchResult
    from textkin.collection.match.match_file import MatchedFile

NewTexts = Annotated[
    Any,
    Option(
        "The new text; - reads one per line from standard input. With `out`, a file of texts.",
        command=str,
    ),
]
Out = Annotated[Path | None, Option("Table to write: .tsv, .csv, .jsonl or .parquet.", metavar="FILE")]
Add = Annotated[
    bool,
    Option("Store each text after matching it; duplicates get a link, duplicate_of, in their metadata."),
]
Explain = Annotated[bool, Option("Show how each token contributes to the cosine.")]
Threshold = Annotated[
    float | None,
    Option(
        "Minimum cosine of duplicates, instead of the fitted one.",
        metavar="T",
        low=-1,
        high=1,
        panel="Decision",
    ),
]
Precision = Annotated[
    float | None,
    Option(
        "Required precision of duplicates. Default: as calibrated, else 0.95.",
        metavar="P",
        low=0,
        high=1,
        panel="Decision",
    ),
]
Ask = Annotated[
    float | None,
    Option(
        'Minimum probability of a duplicate for "ask". Default: 0.1.',
        metavar="P",
        low=0,
        high=1,
        panel="Decision",
    ),
]
BaseRate = Annotated[
    float | None,
    Option(
        "Expected fraction of new texts that have a duplicate. Default: estimated.",
        metavar="SHARE",
        panel="Decision",
    ),
]
Guards = Annotated[
    Any,
    Option(
        "Differences that keep texts apart: numbers, negation, names, order, content; or none. auto: those "
        "of the labels, else all but content.",
        metavar="NAME,...",
        panel="Decision",
        rare=True,
        command=str,
    ),
]


@verb
def match(
    texts: TextsOrCollection,
    new: NewTexts,
    /,
    model: CollectionModel = None,
    *,
    out: Out = None,
    add: Add = False,
    explain: Explain = False,
    threshold: Threshold = None,
    base_rate: BaseRate = None,
    precision: Precision = None,
    ask: Ask = None,
    guards: Guards = "auto",
    decision: DecisionFile = None,
    text: TextColumn = None,
    id: IdColumn = None,
    metadata: MetadataColumns = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    accept_drift: AcceptDrift = False,
    wait: Wait = None,
    download: Download = False,
) -> MatchResult | MatchedFile | Iterator[MatchResult]:
    """Check whether texts duplicate entries of a collection.

    The verdict is duplicate, new, or ask: a person should decide. `calibrate()` fits the verdict to
    labels, for a base rate: the rarer duplicates are, the higher the threshold.

    Returns:
        :class:`MatchResult`, a row for each text; with ``out``, a :class:`MatchedFile`.

    Raises:
        UsageError: options exclude each other.
        DataError: a file or the collection can't be read, or a text is blank.
        ModelError: the model can't be read, or has changed.
        OutputError: the table can't be written, or another process is writing.

    Example:
        >>> import textkin as tk
        >>> questions = ["When do you open?", "Where can I park?", "Do you sell bread?"]
        >>> [row.verdict for row in tk.match(questions, ["where can I park", "Is it cold?"])]
        ['duplicate', 'new']
    """
    from textkin.collection.match.match_rules import MatchOptions
    from textkin.kinds.systems import fetch_named
    from textkin.vectors.groups.guards import guards_of
    from textkin.verbs.collections.entries import Columns
    from textkin.verbs.collections.matching import Matching, match_to_file

    fetch_named(model, download=download)
    options = MatchOptions(
        precision=precision,
        ask=ask,
        base_rate=base_rate,
        threshold=threshold,
        decision=decision,
        guards=guards_of(guards),
    )
    columns = Columns(text=text, id=id, metadata=metadata, quoting=quoting, encoding=encoding)
    wanted = Matching(
        options=options,
        columns=columns,
        model=model,
        add=add,
        explain=explain,
        accept_drift=accept_drift,
        wait=wait,
    )
    return wanted.of(texts, new) if out is None else match_to_file(texts, new, out, wanted)
