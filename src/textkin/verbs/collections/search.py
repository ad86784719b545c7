"""``search``: find texts by words, by vectors, or by both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptDrift,
    CollectionModel,
    Download,
    Embeddings,
    EncodingName,
    IdColumn,
    Quoting,
    Ray,
    RayAddress,
    TextColumn,
    TextsOrCollection,
    Where,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textkin.collection.search.search import SearchResult
    from textkin.collection.search.search_file import SearchedFile
    from textkin.verbs.codes.code_search import CodeHits

Queries = Annotated[
    Any,
    Option(
        "Query; - reads one per line from standard input. With `out`, a file of queries or a BEIR folder.",
        command=str,
    ),
]
Count = Annotated[
    int, Option("Number of hits per query.", short="-k", metavar="K", low=1, also=("top_k", "top", "limit"))
]
SearchMode = Annotated[
    Literal["hybrid", "vectors", "words"],
    Option("Rank by words (BM25), by vectors (cosine), or by both."),
]
Bm25 = Annotated[
    str | None,
    Option(
        "Parameters of BM25: k1, b, variant (lucene, robertson, atire, plus, l) and delta, such as "
        "k1=0.9,b=0.4. Default: k1=1.5,b=0.75.",
        metavar="PARAMETERS",
        rare=True,
    ),
]
MinProbability = Annotated[
    float | None,
    Option(
        "Minimum probability of relevance, once calibrated.",
        metavar="P",
        low=0,
        high=1,
        panel="Decision",
    ),
]
MinScore = Annotated[
    float | None,
    Option(
        "Leave out hits with a lower cosine; for the mode vectors.",
        metavar="COSINE",
        low=-1,
        high=1,
        panel="Decision",
        rare=True,
    ),
]
Rerank = Annotated[
    Any,
    Option(
        "Model that reorders the first hits, such as a cross-encoder.",
        metavar="MODEL",
        panel="Model",
        command=str,
    ),
]
RerankDepth = Annotated[
    int, Option("Number of hits to rerank.", metavar="N", low=1, panel="Model", rare=True)
]
Probe = Annotated[
    int | None,
    Option(
        "Approximate search: look at N cells of the index; in PostgreSQL, at N candidates.",
        metavar="N",
        low=1,
        rare=True,
    ),
]
Bands = Annotated[
    int | None,
    Option(
        "For a file of codes: compare only codes that share one of N bands of bits with the query. Faster; "
        "the recall is measured.",
        metavar="N",
        low=1,
        rare=True,
    ),
]
Sample = Annotated[
    int | None,
    Option(
        "With `bands`: number of queries on which the recall is measured. Default: 2,000.",
        metavar="N",
        low=0,
        rare=True,
    ),
]
Explain = Annotated[bool, Option("Show what each word adds to the scores.")]
Out = Annotated[Path | None, Option("Write a TREC run; for codes, a table.", metavar="RUN", panel="Output")]


@verb
def search(
    texts: TextsOrCollection,
    queries: Queries,
    /,
    model: CollectionModel = None,
    *,
    k: Count = 10,
    mode: SearchMode = "hybrid",
    where: Where = None,
    explain: Explain = False,
    min_probability: MinProbability = None,
    min_score: MinScore = None,
    rerank: Rerank = None,
    rerank_depth: RerankDepth = 100,
    probe: Probe = None,
    bm25: Bm25 = None,
    bands: Bands = None,
    sample: Sample = None,
    embeddings: Embeddings = None,
    out: Out = None,
    text: TextColumn = None,
    id: IdColumn = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    accept_drift: AcceptDrift = False,
    download: Download = False,
    on: Ray = None,
    address: RayAddress = None,
) -> SearchResult | SearchedFile | CodeHits | Iterator[SearchResult]:
    """Search a collection, or texts, by words, by vectors, or by both.

    Searches are exact unless `probe` is given. Rankings are combined by weights that `calibrate()` fits, else
    by reciprocal ranks. Codes of encode are searched by bits.

    Returns:
        :class:`SearchResult`: the hits of one query, or a list of hits for each of several; of codes,
        :class:`CodeHits`. With ``out``, a :class:`SearchedFile`.

    Raises:
        UsageError: options exclude each other, or the filter can't be parsed.
        DataError: a file or the collection can't be read.
        ModelError: the model can't be read, or has changed.
        OutputError: the run can't be written.

    Example:
        >>> import textkin as tk
        >>> questions = ["When do you open?", "Where can I park?", "Do you sell bread?"]
        >>> tk.search(questions, "parking", k=1)[0].text
        'Where can I park?'
        >>> [hits[0].id for hits in tk.search(questions, ["parking", "opening hours"])]
        [1, 0]
    """
    from textkin.base.errors import required
    from textkin.collection.search.options import SearchOptions
    from textkin.kinds.systems import fetch_named
    from textkin.verbs.codes.code_search import SearchingCodes, is_codes
    from textkin.verbs.collections.searching import Searching
    from textkin.verbs.inputs import refuse_given, text_reading

    fetch_named(model, download=download)
    reading = text_reading(text, id, quoting, encoding, texts, queries)
    if is_codes(texts):
        of_texts = {"where": where, "explain": explain, "min_probability": min_probability, "on": on}
        scores = {"mode": mode != "hybrid", "min_score": min_score, "rerank": rerank, "probe": probe}
        scores["bm25"] = bm25
        refuse_given({**of_texts, **scores, "accept_drift": accept_drift}, to="codes")
        asked = SearchingCodes(
            model=model,
            embeddings=embeddings,
            reading=reading,
            nearest=k,
            bands=bands,
            sample=2000 if sample is None else sample,
        )
        return asked.of(queries, texts) if out is None else asked.to_file(queries, texts, out)
    refuse_given({"bands": bands, "sample": sample, "embeddings": embeddings}, to="texts and collections")
    options = SearchOptions(
        k=k,
        mode=mode,
        where=where,
        min_probability=min_probability,
        min_score=min_score,
        rerank=rerank,
        rerank_depth=rerank_depth,
        probe=probe,
        bm25=bm25,
    )
    options.check()
    how = Searching(options=options, reading=reading, model=model, explain=explain, accept_drift=accept_drift)
    if out is not None:
        return how.to_file(texts, queries, out, on=on, address=address)
    if on is not None or address is not None:
        raise required("out", by="`on`")
    return how.of(texts, queries)
