"""``negatives``: mine hard negatives for the anchors of positive pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    Analyser,
    Columns,
    DatasetSplit,
    Download,
    EncodingName,
    Format,
    Pairs,
    Quoting,
    Ray,
    RayAddress,
    Seed,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.verbs.negatives.mined_negatives import Negatives

Rankers = Annotated[
    Any,
    Option(
        "Model that ranks the texts: an encoder, or a baseline such as bm25, the default. May be repeated.",
        metavar="MODEL",
        panel="Model",
        command=list[str],
    ),
]
Out = Annotated[
    Path,
    Option(
        "File to write: .tsv, .csv, .jsonl or .parquet; or a folder.",
        metavar="FILE",
    ),
]
Corpus = Annotated[
    Any,
    Option(
        "Texts that negatives come from. Default: all second texts.",
        metavar="TEXTS",
        command=Path,
    ),
]
Ranks = Annotated[
    Any, Option("First and last rank that negatives are taken from.", metavar="FIRST-LAST", command=str)
]
Each = Annotated[int, Option("Negatives for an anchor.", metavar="N", low=1)]
Margin = Annotated[
    float | None,
    Option("Negatives score at least X less than the least similar positive.", metavar="X", low=0, rare=True),
]
RelativeMargin = Annotated[
    float | None,
    Option("Negatives score less than the positive by this fraction, such as 0.05.", metavar="X", low=0),
]
MaxScore = Annotated[float | None, Option("Negatives score no more than X.", metavar="X", rare=True)]
FilterModel = Annotated[
    Any,
    Option("Second model to ask, such as a cross-encoder.", metavar="MODEL", panel="Model", command=str),
]
FilterMax = Annotated[
    float | None,
    Option("Negatives score no more than X by the filter model.", metavar="X", panel="Model", rare=True),
]
FilterMargin = Annotated[
    float | None,
    Option(
        "By the filter model, negatives score at least X less than positives.",
        metavar="X",
        low=0,
        panel="Model",
    ),
]
Pick = Annotated[
    Literal["top", "random"],
    Option("Take the first-ranked texts that pass, or any of them.", rare=True),
]
Known = Annotated[
    Literal["ranked", "first", "out"],
    Option("Texts labelled as different from the anchor: rank them, take them first, or leave them out."),
]
Wide = Annotated[bool, Option("Write one row per pair: negative_1, negative_2, ...")]


@verb
def negatives(
    pairs: Pairs,
    /,
    model: Rankers = None,
    *,
    out: Out,
    corpus: Corpus = None,
    ranks: Ranks = "10-50",
    each: Each = 5,
    margin: Margin = None,
    relative_margin: RelativeMargin = None,
    max_score: MaxScore = None,
    known: Known = "ranked",
    wide: Wide = False,
    pick: Pick = "top",
    seed: Seed = 0,
    filter: FilterModel = None,
    filter_max: FilterMax = None,
    filter_margin: FilterMargin = None,
    analyser: Analyser = "plain",
    vectors: WordVectors = None,
    columns: Columns = None,
    split: DatasetSplit = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
    on: Ray = None,
    address: RayAddress = None,
) -> Negatives:
    r"""Mine hard negatives for the anchors of positive pairs.

    Anchors are first texts. Texts linked to the anchor through positive pairs are never taken. With several
    models, a negative is within the ranks of one and passes the margins of all.

    Returns:
        :class:`Negatives`.

    Raises:
        UsageError: a model is unknown or can't rank a corpus, or options don't go together.
        DataError: there is no positive pair, or no negative was found.
        ModelError: a model can't be read.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> pairs = samples.pairs("support-desk")
        >>> found = tk.negatives(pairs, out="negatives.tsv", ranks=(1, 20), each=2)
        >>> found.out.read_text(encoding="utf-8").split("\t")[:3]
        ['anchor', 'positive', 'negative']
    """
    from textkin.kinds.systems import fetch, refuse_vectors
    from textkin.verbs.negatives.mined_negatives import mine_negatives
    from textkin.verbs.negatives.options import NegativeOptions, ranks_of
    from textkin.verbs.pair_inputs import given_pairs, models_of, pair_reading

    options = NegativeOptions(
        ranks=ranks_of(ranks),
        each=each,
        margin=margin,
        relative_margin=relative_margin,
        max_score=max_score,
        filter_max=filter_max,
        filter_margin=filter_margin,
        pick=pick,
        known=known,
        wide=wide,
        seed=seed,
        analyser=analyser,
    )
    rankers = ("bm25",) if model is None else models_of(model)
    refuse_vectors(vectors, *rankers, filter)
    if download:
        fetch(*(one for one in (*rankers, filter) if isinstance(one, str)))
    reading = pair_reading(
        pairs, columns=columns, format=format, quoting=quoting, encoding=encoding, split=split
    )
    return mine_negatives(
        given_pairs(pairs, columns),
        out=out,
        models=rankers,
        corpus=corpus,
        vectors=vectors,
        filter=filter,
        options=options,
        reading=reading,
        on=on,
        address=address,
    )
