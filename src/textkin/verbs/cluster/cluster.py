"""``cluster``: group texts that say nearly the same, and name the groups."""

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
    IdColumn,
    Quoting,
    Seed,
    TextColumn,
    UnknownTokens,
)

if TYPE_CHECKING:
    from textkin.verbs.cluster.clusters import Clusters

Clustered = Annotated[
    Any,
    Option(
        "One text per line, a table (CSV, TSV, JSONL, Parquet, Excel), a folder of files part-*, or a "
        "collection: its folder or address.",
        metavar="TEXTS|COLLECTION",
        command=str,
    ),
]
Out = Annotated[
    Path | None,
    Option("File to write: .tsv, .csv, .jsonl or .parquet, with a row for each text.", metavar="FILE"),
]
Threshold = Annotated[
    float | None,
    Option("Minimum cosine. Default: the model's own threshold.", metavar="T", low=-1, high=1),
]
Method = Annotated[
    Literal["average", "communities"],
    Option(
        "average merges groups while their mean cosine reaches the threshold; communities are dense parts "
        "of the graph of similar pairs."
    ),
]
MinSize = Annotated[int, Option("Minimum number of texts in a group.", metavar="N", low=1)]
Resolution = Annotated[
    float | None,
    Option(
        "Density of communities: a higher one makes them smaller. Default: 0.5.",
        metavar="R",
        low=0,
        high=1,
        panel="Decision",
        rare=True,
    ),
]
Gold = Annotated[
    Any,
    Option(
        "Column, or field of the metadata, with known groups: measure the agreement.",
        metavar="COLUMN|FIELD",
        command=str,
    ),
]
Where = Annotated[
    str | None,
    Option(
        "Entries of a collection whose metadata match, such as 'lang = \"en\" and year >= 2020'.",
        metavar="FILTER",
        panel="Input",
    ),
]


@verb
def cluster(
    texts: Clustered,
    /,
    model: EncoderModel = None,
    *,
    out: Out = None,
    threshold: Threshold = None,
    method: Method = "average",
    min_size: MinSize = 2,
    gold: Gold = None,
    text: TextColumn = None,
    id: IdColumn = None,
    where: Where = None,
    decision: DecisionFile = None,
    resolution: Resolution = None,
    seed: Seed = 0,
    unknown: UnknownTokens = "withhold",
    embeddings: Embeddings = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> Clusters:
    """Group texts that say nearly the same, and name the groups.

    A group takes the name of its central text, the one most similar to all of it. The order of the texts
    makes no difference. A collection's stored vectors are used.

    Returns:
        :class:`Clusters`, which is also written to ``out``.

    Raises:
        UsageError: options exclude each other, or ``texts`` holds something other than strings.
        ModelError: the model can't be read, or isn't the collection's.
        PromiseError: no threshold is given, and the model has none.
        DataError: there is no text or no known group, vectors don't fit, or far too many pairs are similar.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> texts = ["When do you open?", "When do you open today?", "Where can I park?"]
        >>> found = tk.cluster(texts, threshold=0.7)
        >>> found.labels.tolist(), found.groups[0].central_text
        ([1, 1, 0], 'When do you open today?')
    """
    from textkin.base.errors import inapplicable
    from textkin.kinds.systems import fetch_named
    from textkin.vectors.groups.communities import DENSITY
    from textkin.vectors.unknown_token_report import UnknownTexts
    from textkin.verbs.cluster.cluster_given import cluster_given
    from textkin.verbs.cluster.clusters import ClusterMethod, ClusterOptions
    from textkin.verbs.inputs import text_reading

    if resolution is not None and method != "communities":
        raise inapplicable("resolution", to=f"`method={method}`", fix="give `method=communities`")
    if embeddings is not None and given(cluster, locals(), ("unknown",)):
        raise inapplicable("unknown", to="given vectors")
    fetch_named(model, download=download)
    options = ClusterOptions(
        method=ClusterMethod(method),
        threshold=threshold,
        decision=decision,
        min_size=min_size,
        where=where,
        seed=seed,
        unknown=UnknownTexts(unknown),
        resolution=DENSITY if resolution is None else resolution,
    )
    reading = text_reading(text, id, quoting, encoding, texts)
    return cluster_given(
        texts, model, embeddings=embeddings, options=options, gold=gold, out=out, reading=reading
    )
