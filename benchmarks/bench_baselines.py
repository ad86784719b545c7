"""Cost of the word baselines on a collection, compared with bm25s on the same data.

Run: ``python benchmarks/bench_baselines.py BEIR_FOLDER [--depth 1000 10] [--turns 7]``

Times are processor time, which other load hardly affects; both sides alternate, with one thread each, and the
ratio of each turn is given: its median, minimum and maximum.

Index: texts to weighted terms, everything independent of queries. For bm25s, ``tokenize`` without stop words
and ``index`` (Lucene's BM25); for textkin, words by number, weights, and documents by term. Search: texts of
the judged queries to the documents of the run, for bm25s by both its backends; and by ``rank_corpus``,
which weights the documents first. Last come all baselines that ``textkin compare`` compares with a model,
from texts to rankings, each reading separately and all together. The compilers are warm; loading them is
excluded on both sides.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from setting import show_setting
from textkin.data.records import RetrievalSet
from textkin.kinds.measuring import Options
from textkin.kinds.registry import load_data
from textkin.text.baselines import build
from textkin.text.baselines.bm25 import Bm25
from textkin.text.baselines.names import LEXICAL
from textkin.text.baselines.terms import FitTexts
from textkin.vectors.index.corpus_ranking import Corpus, rank_corpus


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--depth", type=int, nargs="+", default=[1000, 10])
    parser.add_argument("--turns", type=int, default=7)
    asked = parser.parse_args()
    show_setting("bm25s", "scipy", "numba")
    data = load_data(asked.folder, reading=Options().reading)[1].data
    if not isinstance(data, RetrievalSet):
        parser.error(f"{asked.folder} is no collection")
    texts = list(data.corpus.values())
    queries = {query: data.queries[query] for query in data.qrels.query_ids}
    print(f"{len(texts):,} texts of {sum(map(len, texts)):,} characters, {len(queries):,} queries")
    beside_bm25s(data, texts, queries, asked.depth, asked.turns)

    def alone() -> None:
        for name in LEXICAL:
            rank_corpus(build(name, fit_texts=texts), data)

    def together() -> None:
        shared = FitTexts(texts)
        for name in LEXICAL:
            rank_corpus(build(name, fit_texts=shared), data)

    in_turns("all baselines: together, each for itself", together, alone, asked.turns)


def beside_bm25s(
    data: RetrievalSet, texts: list[str], queries: dict[str, str], depths: list[int], turns: int
) -> None:
    """Index and search with both."""
    import bm25s

    def index() -> Corpus:
        return Corpus(Bm25(FitTexts(texts).terms("plain")), data.corpus)

    def index_of_bm25s(backend: str = "numba") -> bm25s.BM25:
        made = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend=backend)
        made.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
        return made

    def search_of_bm25s(made: bm25s.BM25, depth: int) -> None:
        tokens = bm25s.tokenize(list(queries.values()), stopwords=None, show_progress=False)
        made.retrieve(tokens, k=min(depth, len(texts)), show_progress=False, n_threads=1)

    ours, theirs = index(), {backend: index_of_bm25s(backend) for backend in ("numba", "numpy")}
    in_turns("index", index, index_of_bm25s, turns)
    for _ in range(2):
        ours.ranked(queries)  # by SciPy, until compiled loops are worth loading
    for backend, made in theirs.items():
        for depth in depths:
            search = partial(ours.ranked, queries, depth=depth)
            title = f"search, {depth:,} documents, bm25s with {backend}"
            in_turns(title, search, partial(search_of_bm25s, made, depth), turns)
    for depth in depths:
        once = partial(rank_corpus, ours.scorer, data, depth=depth)
        name = f"weights and search, {depth:,} documents, beside search alone of bm25s with numba"
        in_turns(name, once, partial(search_of_bm25s, theirs["numba"], depth), turns)


def in_turns(name: str, ours: Callable[[], object], theirs: Callable[[], object], turns: int) -> None:
    """Processor seconds of both, and the ratio."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(turns + 1)][1:]  # the first one compiles
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(b / a for a, b in pairs)
    print(
        f"{name}: {mine:.3f} and {other:.3f} s, ratio {statistics.median(ratios):.2f} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})",
        flush=True,
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
