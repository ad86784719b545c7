"""From TREC files to metrics, compared with pytrec_eval, in one process and in turns.

Run: ``python benchmarks/bench_measure.py [--queries 10000] [--docs 100] [--turns 5]`` "Figures only" starts
from data in memory: textkin's arrays, and pytrec_eval's dicts. Times are processor times, which other load
hardly affects; the ratio of one run counts.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytrec_eval

from setting import show_setting
from textkin.data.readers.trec import read_qrels, read_run
from textkin.measures.intervals.bootstrap import bootstrap_means
from textkin.measures.metrics.measure_names import expand
from textkin.measures.metrics.ranked import evaluate

MEASURES = {
    "map": "map",
    "ndcg_cut_10": "ndcg_cut.10",
    "recip_rank": "recip_rank",
    "recall_100": "recall.100",
}
JUDGED = 20
Judged = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def write_files(folder: Path, queries: int, docs: int) -> tuple[Path, Path]:
    """Write runs as systems do, best first; half of the judged documents are retrieved."""
    rng = np.random.default_rng(0)
    qrels, run = folder / "qrels.trec", folder / "run.trec"
    with qrels.open("w") as judgements, run.open("w") as ranking:
        for query in range(queries):
            names = [
                f"doc{number:07d}" for number in rng.choice(2_000_000, docs + JUDGED // 2, replace=False)
            ]
            scores = np.sort(rng.gamma(2.0, size=docs))[::-1]
            ranking.writelines(
                f"q{query} Q0 {name} {rank} {score:.6f} bench\n"
                for rank, (name, score) in enumerate(zip(names[:docs], scores, strict=True), 1)
            )
            judged = [*rng.choice(names[:docs], JUDGED // 2, replace=False), *names[docs:]]
            levels = rng.integers(0, 4, len(judged))
            judgements.writelines(
                f"q{query} 0 {name} {level}\n" for name, level in zip(judged, levels, strict=True)
            )
    return qrels, run


def ours(qrels: Path, run: Path) -> dict[str, float]:
    wanted = expand(MEASURES)
    result = evaluate(read_run(run), read_qrels(qrels), wanted)
    return {key: result.figure(measure) for key, measure in zip(MEASURES, wanted, strict=True)}


def theirs(qrels: Path, run: Path) -> dict[str, float]:
    return figures_of_theirs(*dicts_of_theirs(qrels, run))


def dicts_of_theirs(qrels: Path, run: Path) -> tuple[Judged, Scored]:
    with qrels.open() as judgements, run.open() as ranking:
        return pytrec_eval.parse_qrel(judgements), pytrec_eval.parse_run(ranking)


def figures_of_theirs(judged: Judged, scored: Scored) -> dict[str, float]:
    rows = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES.values())).evaluate(scored).values()
    return {key: sum(row[key] for row in rows) / len(rows) for key in MEASURES}


def timed(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(work: str, turns: list[tuple[float, float]]) -> None:
    mine, others = map(list, zip(*turns, strict=True))
    print(describe(f"textkin, {work}", mine))
    print(describe("pytrec_eval, the same", others))
    ratios = [other / own for own, other in turns]
    print(f"{work}: ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def describe(name: str, seconds: list[float]) -> str:
    return f"{name:<28} median {statistics.median(seconds):.3f} s  [{min(seconds):.3f} to {max(seconds):.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--docs", type=int, default=100)
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    show_setting("numpy", "pytrec-eval-terrier")
    print(
        f"{asked.queries:,} queries x {asked.docs} documents, {JUDGED} judged a query: {', '.join(MEASURES)}"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), asked.queries, asked.docs)
        for key, value in theirs(*files).items():
            assert abs(value - ours(*files)[key]) < 1e-9, key  # noqa: S101 - equal figures or no comparison
        turns = [(timed(lambda: ours(*files)), timed(lambda: theirs(*files))) for _ in range(asked.turns)]
        run, qrels, wanted = read_run(files[1]), read_qrels(files[0]), expand(MEASURES)
        judged, scored = dicts_of_theirs(*files)
        in_memory = [
            (timed(lambda: evaluate(run, qrels, wanted)), timed(lambda: figures_of_theirs(judged, scored)))
            for _ in range(asked.turns)
        ]
    compare("files to figures", turns)
    compare("figures only", in_memory)
    values = np.random.default_rng(1).random(asked.queries)
    print(
        describe(
            "1,000 bootstrap resamples",
            [timed(lambda: bootstrap_means(values[None])) for _ in range(asked.turns)],
        )
    )


if __name__ == "__main__":
    main()
