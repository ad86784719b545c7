from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from textkin.base.errors import DataError, UsageError
from textkin.measures.intervals.bootstrap import bootstrap_means
from textkin.measures.metrics.measure_names import Measure, parse
from textkin.verbs.evaluate.measure_run import measure

ASKED = ["official", "ndcg_cut.5,10", "R@100", "P(rel=2)@5"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """40 judged queries, one of them missing from the run, and a query without judgements."""
    rng = np.random.default_rng(0)
    docs = [f"D{number}-{number % 7}" for number in range(60)]
    with (tmp_path / "qrels").open("w") as qrels, (tmp_path / "run").open("w") as run:
        for query in range(40):
            for doc in rng.choice(docs, 20, replace=False):
                qrels.write(f"q{query} 0 {doc} {rng.integers(-1, 3)}\n")
        for query in range(1, 41):
            for rank, doc in enumerate(rng.choice(docs, 30, replace=False)):
                run.write(f"q{query} Q0 {doc} {rank} {rng.integers(0, 12) / 8} mine\n")
    return tmp_path / "qrels", tmp_path / "run"


def test_figures_equal_the_c_code_with_zero_for_the_missing_query(files: tuple[Path, Path]) -> None:
    result = measure(files[1], qrels=files[0], measures=ASKED, resamples=200)
    assert (result.queries, result.missing, result.unjudged) == (40, ("q0",), ("q40",))
    with files[0].open() as qrels, files[1].open() as run:
        judged, scored = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "bpref", "ndcg_cut", "gm_map", "num_ret"})
    values = theirs.evaluate(scored).values()
    for name, key in (("MAP", "map"), ("Bpref", "bpref"), ("nDCG@10", "ndcg_cut_10")):
        assert result.figures[parse(name)].value == pytest.approx(
            sum(row[key] for row in values) / 40, abs=1e-12
        )
    logs = [row["gm_map"] for row in values] + [np.log(1e-5)]
    assert result.figures[parse("GMAP")].value == pytest.approx(np.exp(np.mean(logs)))
    assert result.figures[parse("NumRet")].value == 39 * 30


def test_intervals(files: tuple[Path, Path]) -> None:
    result = measure(files[1], qrels=files[0], measures=ASKED, resamples=200, seed=3)
    assert list(result.figures)[:5] == list(map(parse, ["NumQ", "NumRet", "NumRel", "NumRelRet", "MAP"]))
    values = result.ranked.values
    (mean,) = bootstrap_means(values[parse("MAP")][None], resamples=200, seed=3, ends=(0.0, 1.0))
    assert result.figures[parse("MAP")].low == pytest.approx(mean.low)
    (logs,) = bootstrap_means(np.log(values[parse("GMAP")])[None], resamples=200, seed=3)
    assert result.figures[parse("GMAP")].high == pytest.approx(np.exp(logs.high))
    count = result.figures[parse("num_rel")]
    assert count.low == count.value == count.high
    assert all(one.low <= one.value <= one.high and one.n == 40 for one in result.figures.values())
    assert measure(files[1], qrels=files[0], measures=["num_q"]).figures[parse("num_q")].value == 40


def test_per_query(files: tuple[Path, Path]) -> None:
    result = measure(files[1], qrels=files[0], measures=["P(rel=2)@5", "R@100"], resamples=10)
    found = result.per_query()
    assert list(found) == [f"q{query}" for query in range(40)]
    assert found["q0"] == {Measure("P", 5, 2): 0.0, Measure("R", 100): 0.0}
    assert np.mean([row[Measure("R", 100)] for row in found.values()]) == pytest.approx(
        result.figures[Measure("R", 100)].value
    )


def test_says_what_is_wrong(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError) as error:
        measure(files[1], qrels=files[0], measures=[])
    assert error.value.params == ("measures",)
    with pytest.raises(UsageError) as error:
        measure(files[1], qrels=files[0], measures=["MRX@10"])
    assert error.value.params == ("measures",)
    with pytest.raises(DataError) as error:
        measure(files[0], qrels=files[1], measures=["MAP"])
    assert error.value.line == 1


def test_a_run_of_other_queries_is_no_zero_and_one_that_finds_nothing_is() -> None:
    with pytest.raises(DataError):
        measure({"x": {"a": 1.0}}, {"1": {"a": 1}}, ["MAP"])
    found = measure({"1": {}}, {"1": {"a": 1}}, ["MAP"])
    assert found["MAP"] == 0 and not found.notes
