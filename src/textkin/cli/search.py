"""``textkin search``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.printable import shortened, visible_line
from textkin.base.standard_streams import typed_lines
from textkin.cli.collection_options import (
    AcceptDrift,
    CollectionPlace,
    RerankDepth,
    RerankModel,
    WhereOption,
    note_filter,
    query_of,
)
from textkin.cli.explain import show_hit
from textkin.cli.output import emit_json, emit_table, emit_text, note_accounts, note_read, note_truncation
from textkin.cli.shared_options import AsJson, EncoderName, EncodingName, Quoting, RayOptions, TextColumn
from textkin.data.readers import TextReading

if TYPE_CHECKING:
    from textkin.collection.collection import OpenCollection
    from textkin.collection.search.explain import ExplainedHit
    from textkin.collection.search.options import SearchOptions
    from textkin.collection.search.search import SearchResult

EXAMPLES = """
textkin search tickets.kin "I can't log in"
textkin search tickets.kin "refund" -k 3 --mode words --where 'lang = "en" and year >= 2020'
textkin search tickets.kin "refund" --min-probability 0.5
textkin search tickets.kin "refund" --mode vectors --min-score 0.6
textkin search tickets.kin "refund" -k 2 --explain
textkin search papers.kin --queries scifact -k 100 --out hybrid.trec
textkin search papers.kin "vitamin D" --probe 16
textkin search papers.kin "vitamin D" --rerank runs/cross-encoder/model
"""

_LONGEST = 160  # characters of a text that are shown


def command(
    collection: CollectionPlace,
    query: Annotated[
        str | None,
        Option("What to find. Left out, each line of standard input is one.", metavar="[QUERY]"),
    ] = None,
    /,
    *,
    k: Annotated[int, Option("So many entries of each query.", flag="-k", metavar="K", low=1)] = 10,
    mode: Annotated[
        Literal["hybrid", "vectors", "words"],
        Option(
            "By words (BM25), by vectors (cosine), or by both, fused by the weights that textkin "
            "calibrate kept here, or by reciprocal ranks."
        ),
    ] = "hybrid",
    where: WhereOption = None,
    min_probability: Annotated[
        float | None,
        Option(
            "Leave out hits that are less probably relevant, and say so where nothing remains; textkin "
            "calibrate fits the probability.",
            metavar="P",
        ),
    ] = None,
    min_score: Annotated[
        float | None,
        Option("With --mode vectors: leave out hits of a lower cosine.", metavar="COSINE"),
    ] = None,
    probe: Annotated[
        int | None,
        Option(
            "Search vectors approximately: look at N of the cells of textkin inspect --approximate, or "
            "in PostgreSQL at N candidates.",
            metavar="N",
            low=1,
        ),
    ] = None,
    rerank: RerankModel = None,
    rerank_depth: RerankDepth = 100,
    queries: Annotated[
        Path | None,
        Option("Search for each query of a file or a BEIR folder; with --out.", metavar="FILE"),
    ] = None,
    out: Annotated[
        Path | None,
        Option("With --queries: a TREC run, which textkin compare --run reads.", metavar="RUN"),
    ] = None,
    explain: Annotated[
        bool,
        Option(
            "Show of each hit what each word of the query adds to its BM25 score, and which tokens make "
            "its cosine."
        ),
    ] = False,
    column: TextColumn = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    model: EncoderName = None,
    accept_drift: AcceptDrift = False,
    ray: RayOptions,
    as_json: AsJson = False,
) -> None:
    """Search a collection by words, by vectors, or by both.

    Everything that textkin add has told of is found, by exact scores, unless
    --probe says otherwise; the answer then tells how much such searches find.
    A filter is part of the search: K entries come where K fit it. A text in
    windows is as similar as the best of them, which is shown. --model names
    the collection's model where it has moved.
    """
    from textkin.collection.open_collection import open_collection
    from textkin.collection.search.options import SearchOptions

    if (queries is None) != (out is None) or (queries is not None and query is not None):
        raise UsageError(
            "--queries and --out go together, and without QUERY", fix="give both, or QUERY alone"
        )
    if explain and queries is not None:
        raise UsageError("--explain goes with a query", fix="leave it out, or give QUERY")
    if queries is None and (ray.on or ray.address):
        raise UsageError("--on goes with a file of queries", fix="give --queries and --out, or leave it out")
    options = SearchOptions(
        k=k,
        mode=mode,
        where=where,
        min_probability=min_probability,
        min_score=min_score,
        rerank=rerank,
        rerank_depth=rerank_depth,
        probe=probe,
    )
    options.check()
    asked = None if query is None else query_of(query)
    with open_collection(collection, model=model, accept_drift=accept_drift) as opened:
        opened.store.catch_up()
        note_filter(() if where is None else opened.filter_notes(where))
        if queries is not None and out is not None:
            reading = TextReading(column=column, quoting=quoting, encoding=encoding)
            _search_file(opened, queries, out, options, reading, as_json=as_json, ray=ray)
            _note_cut(opened)
            return
        for text in [asked] if asked is not None else (line for _, line in typed_lines()):
            opened.prepare(options)
            with opened.store.reading():  # so that both are of one moment
                found = opened.find([text], options)
                why = _explained(opened, text, found, options) if explain else None
            _emit(text, found, why) if as_json else _show(found, why)
            sys.stdout.flush()
        _note_cut(opened)


def _search_file(
    opened: OpenCollection,
    queries: Path,
    out: Path,
    options: SearchOptions,
    reading: TextReading,
    *,
    as_json: bool,
    ray: RayOptions,
) -> None:
    from textkin.collection.search.search_file import search_file

    found = search_file(opened, queries, out, options, reading=reading, **ray.workplace())
    note_read(found.read)
    if as_json:
        emit_json(found)
        return
    without = f", {found.without:,} found nothing" if found.without else ""
    without += f", {found.unmatched:,} found nothing by words" if found.unmatched else ""
    emit_text(f"{found.queries:,} queries{without}; {found.hits:,} hits written to {shown_output(out)}")
    emit_text(f"ranked {found.ranked_by}")


def _explained(
    opened: OpenCollection, query: str, found: SearchResult, options: SearchOptions
) -> tuple[ExplainedHit, ...]:
    return opened.explain(query, found.hits[0], mode=options.mode, rerank=options.rerank)


def _emit(text: str, found: SearchResult, why: tuple[ExplainedHit, ...] | None) -> None:
    told = {
        "query": text,
        "ranked_by": found.ranked_by,
        "answered": found.answered[0],
        "unmatched": found.unmatched[0],
        "remark": found.remarks[0],
        "hits": found.hits[0],
    }
    emit_json(told if why is None else {**told, "explained": [one.to_dict() for one in why]})


def _show(found: SearchResult, why: tuple[ExplainedHit, ...] | None) -> None:
    [hits], [answered], [remark] = found.hits, found.answered, found.remarks
    if not hits:
        emit_text(remark)
        return
    told = "" if answered is None else f"; the probability that any answers is {answered:.2f}"
    emit_text(f"{found.ranked_by}{told}")
    if remark:
        emit_text(remark)
    header = ["score", *(["probability"] if answered is not None else []), "id", "text"]
    rows = [
        [
            f"{hit.score:.4f}",
            *(["" if hit.probability is None else f"{hit.probability:.3f}"] if answered is not None else []),
            hit.entry_id,
            shortened(visible_line(hit.matched), _LONGEST),
        ]
        for hit in hits
    ]
    emit_table(header, rows)
    for one in why or ():
        show_hit(one)


def _note_cut(opened: OpenCollection) -> None:
    queries = opened.model.of_queries
    note_accounts([queries.truncation], [queries.coverage])
    if opened.reranker is not None:
        note_truncation(opened.reranker.truncation)
