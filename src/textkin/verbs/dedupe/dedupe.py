"""``dedupe``: find duplicate texts that can be removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option, given
from textkin.base.verbs import verb
from textkin.verbs.options import (
    DecisionFile,
    Download,
    Embeddings,
    EncoderModel,
    EncodingName,
    EqualTexts,
    Guards,
    IdColumn,
    LongTextRule,
    Quoting,
    Ray,
    RayAddress,
    Seed,
    TextColumn,
    Texts,
    UnknownTokens,
)

if TYPE_CHECKING:
    from textkin.verbs.dedupe.deduped import Deduped
    from textkin.verbs.dedupe.deduped_file import DedupedFile

Out = Annotated[Path | None, Option("Folder to write: kept, removed.tsv, groups.tsv, report.", metavar="DIR")]
Threshold = Annotated[
    float | None,
    Option(
        "Minimum cosine of duplicates. Default: the model's own threshold, else 0.9.",
        metavar="T",
        low=-1,
        high=1,
    ),
]
Precision = Annotated[
    float | None,
    Option(
        "Threshold fitted for this precision, on labels or by calibrate.",
        metavar="P",
        low=0,
        high=1,
    ),
]
Keep = Annotated[
    Any,
    Option(
        "Text to keep: longest, first, central, or the highest of a column.",
        metavar="RULE",
        command=str,
    ),
]
Sample = Annotated[
    int | None,
    Option("Pairs to draw for labelling, into DIR/sample.csv.", metavar="N", low=1, panel="Decision"),
]
Labelled = Annotated[
    Path | None,
    Option(
        "Labelled sample, to measure the precision.",
        metavar="FILE",
        panel="Decision",
    ),
]
SampleRule = Annotated[
    Literal["lower-end", "estimate"],
    Option(
        "Figure that must reach the precision: the lower confidence bound, or the estimate.",
        panel="Decision",
        rare=True,
    ),
]
Proof = Annotated[
    bool,
    Option(
        "Require a proof of the precision that stays valid however often you look at the labels.",
        panel="Decision",
        rare=True,
    ),
]
Groups = Annotated[
    Literal["representative", "complete", "components"],
    Option(
        "Texts of a group are similar to the one that is kept, each to every other, or along a chain.",
        panel="Decision",
        rare=True,
    ),
]
Most = Annotated[
    int | None,
    Option("Maximum number of distinct texts in a group.", metavar="N", low=1, panel="Decision", rare=True),
]
Lexical = Annotated[
    float | None,
    Option(
        "Texts that share this fraction of their shingles (Jaccard) are similar, too.",
        metavar="X",
        panel="Decision",
        rare=True,
    ),
]
Shingles = Annotated[
    Literal["letters", "words"],
    Option("Shingles: runs of four letters or of two words.", panel="Decision", rare=True),
]
Gold = Annotated[
    Path | None,
    Option(
        "Table of known groups with the columns id and group: measure the agreement.",
        metavar="FILE",
        panel="Decision",
        rare=True,
    ),
]


@verb
def dedupe(
    texts: Texts,
    /,
    model: EncoderModel = None,
    *,
    out: Out = None,
    threshold: Threshold = None,
    precision: Precision = None,
    keep: Keep = "longest",
    text: TextColumn = None,
    id: IdColumn = None,
    long: LongTextRule = None,
    guards: Guards = "auto",
    sample: Sample = None,
    labelled: Labelled = None,
    decision: DecisionFile = None,
    equal: EqualTexts = "case",
    linkage: Groups = "representative",
    most: Most = None,
    lexical: Lexical = None,
    shingles: Shingles = "letters",
    rule: SampleRule = "lower-end",
    proof: Proof = False,
    gold: Gold = None,
    seed: Seed = 0,
    unknown: UnknownTokens = "withhold",
    embeddings: Embeddings = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
    on: Ray = None,
    address: RayAddress = None,
) -> Deduped | DedupedFile:
    """Find duplicate texts that can be removed.

    Keeps one text of each group of similar ones. With `out`, writes the reason of each removal, and a report
    in which a slider shows other thresholds.

    Returns:
        :class:`Deduped`; with ``out``, a :class:`DedupedFile`. Texts in memory are then written to
        ``texts.csv`` in that folder with all columns of a frame, and the result has ``is_duplicate``.

    Raises:
        UsageError: options exclude each other, or ``texts`` holds something other than strings.
        ModelError: the model can't be read.
        PromiseError: the model has no threshold for the precision, or the labels support none. In the latter
            case the folder is written, and the error's ``found`` is its result.
        DataError: there are no texts, vectors don't fit them, or too many pairs are similar.
        OutputError: the folder can't be written.

    Example:
        >>> import textkin as tk
        >>> texts = ["When do you open?", "When do you open?", "Where can I park?"]
        >>> tk.dedupe(texts, threshold=0.9)
        <Deduped: 3 texts, 2 kept, threshold 0.9>
        >>> tk.dedupe(texts, threshold=0.9).kept_texts
        ['When do you open?', 'Where can I park?']
    """
    from textkin.base.errors import inapplicable, required
    from textkin.base.python_inputs import path_of
    from textkin.base.shingles import Unit
    from textkin.base.text_equality import Equal
    from textkin.kinds.systems import fetch_named
    from textkin.measures.decisions.goal import GoalRule
    from textkin.vectors.groups.guards import guards_of
    from textkin.vectors.groups.linkage import Linkage
    from textkin.vectors.long_texts import LongTexts
    from textkin.vectors.unknown_token_report import UnknownTexts
    from textkin.verbs.dedupe.dedupe_file import dedupe_file
    from textkin.verbs.dedupe.dedupe_given import dedupe_given
    from textkin.verbs.dedupe.deduped import DedupeOptions
    from textkin.verbs.dedupe.evidence import Evidence
    from textkin.verbs.dedupe.kept_values import parse_keep
    from textkin.verbs.dedupe.texts_in_memory import written_texts
    from textkin.verbs.inputs import text_reading

    if embeddings is not None and (wrong := given(dedupe, locals(), ("long", "unknown"))):
        raise inapplicable(*wrong, to="given vectors")
    fetch_named(model, download=download)
    kept, highest = parse_keep(keep)
    options = DedupeOptions(
        threshold=threshold,
        precision=precision,
        decision=decision,
        linkage=Linkage(linkage),
        keep=kept,
        most=most,
        guards=guards_of(guards),
        lexical=lexical,
        shingles=Unit(shingles),
        unknown=UnknownTexts(unknown),
        long=None if long is None else LongTexts(long),
        equal=Equal(equal),
    )
    evidence = Evidence(
        sample=sample, labelled=labelled, rule=GoalRule(rule), gold=gold, seed=seed, proof=proof
    )
    if rule != "lower-end" and (labelled is None or precision is None):
        raise required("labelled", "precision", by=f"`rule={rule}`")
    reading = text_reading(text, id, quoting, encoding, texts)
    if out is None:
        evidence.refuse_without_out()
        return dedupe_given(
            texts,
            model,
            embeddings=embeddings,
            options=options,
            highest=highest,
            reading=reading,
            on=on,
            address=address,
        )
    ids = None
    if path_of(texts) is None:
        texts, reading, ids = written_texts(texts, reading, out)
    found = dedupe_file(
        texts,
        out,
        model=model,
        embeddings=embeddings,
        options=options,
        keep_column=highest,
        evidence=evidence,
        reading=reading,
        on=on,
        address=address,
    )
    return found if ids is None else found.of_rows(ids)
