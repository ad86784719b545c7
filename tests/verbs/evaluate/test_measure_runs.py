"""Several runs: their own metrics, and tests of differences by their values."""

from __future__ import annotations

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.records import Qrels, Run
from textkin.kinds.systems import Predictions
from textkin.measures.intervals.paired_tests import holm, paired_randomisation
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.measure_run import measure
from textkin.verbs.evaluate.measure_runs import MeasuredRuns, measure_runs

SAMPLING = Sampling(resamples=200, rounds=500)


@pytest.fixture(scope="module")
def qrels() -> Qrels:
    rng = np.random.default_rng(0)
    return Qrels.from_dict({f"q{n}": {f"d{d}": int(rng.integers(0, 2)) for d in range(8)} for n in range(30)})


def run_of(seed: int, *, queries: int = 30) -> Run:
    rng = np.random.default_rng(seed)
    return Run.from_dict({f"q{n}": {f"d{d}": float(rng.random()) for d in range(8)} for n in range(queries)})


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {"one": run_of(1), "two": run_of(2), "three": run_of(3, queries=28)}


def given(runs: dict[str, Run]) -> dict[str, tuple[Predictions, ...]]:
    return {name: (Predictions(name, run),) for name, run in runs.items()}


@pytest.fixture(scope="module")
def found(qrels, runs) -> MeasuredRuns:
    return measure_runs(given(runs), qrels=qrels, measures=["nDCG@5", "MAP"], sampling=SAMPLING)


def test_each_run_has_the_figures_that_it_has_alone(qrels, runs, found) -> None:
    for row in found.systems.rows:
        alone = measure(runs[row.name], qrels=qrels, measures=["nDCG@5", "MAP"], resamples=200)
        for name, figure in zip(("nDCG@5", "MAP"), alone.figures.values(), strict=True):
            assert (row.measures[name].value, row.measures[name].low) == (figure.value, figure.low)


def test_one_run_may_be_a_dictionary_or_a_frame(qrels, runs) -> None:
    scores, judged = runs["one"].to_dict(), qrels.to_dict()
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [(query, doc, score) for query, of in scores.items() for doc, score in of.items()]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    alone = tk.measure(scores, judged, resamples=20).rows()
    for run in (scores, frame):
        assert tk.compare(run, qrels=judged, resamples=20).rows() == alone
    assert tk.compare(models=scores, qrels=judged, resamples=20).rows() == alone


@pytest.mark.parametrize("reference", ["one", "three"])
def test_differences_are_tested_over_queries_and_corrected(qrels, runs, reference: str) -> None:
    result = measure_runs(given(runs), qrels=qrels, measures=["nDCG@5"], against=reference, sampling=SAMPLING)
    values = {
        name: next(iter(measure(run, qrels=qrels, measures=["nDCG@5"], resamples=1).ranked.values.values()))
        for name, run in runs.items()
    }
    others = [name for name in runs if name != reference]
    tests = [
        paired_randomisation(values[name], values[reference], rounds=500, resamples=200) for name in others
    ]
    corrected = holm(np.array([one.p for one in tests])).tolist()
    rows = {row.name: row for row in result.systems.rows}
    for name, test, p in zip(others, tests, corrected, strict=True):
        against = rows[name].against[reference]
        assert against.difference.value == pytest.approx(test.value)
        assert against.p == pytest.approx(p)
    assert not rows[reference].against and result.reference == reference


def test_what_is_printed(found) -> None:
    assert found.measure == "nDCG@5" and found.reference == "one"
    assert "three: 2 judged queries are missing from the run and count as zero" in found.notes
    assert "against one" in str(found) and "predictions, reference" in str(found)
    assert {row["system"] for row in found.rows()} == {"one", "two", "three"}


def test_runs_that_cannot_be_compared(qrels, runs) -> None:
    with pytest.raises(UsageError) as error:
        measure_runs(given(runs), qrels=qrels, against="tow")
    assert error.value.params == ("against",)
    with pytest.raises(UsageError) as error:
        measure_runs(given(runs), qrels=qrels, measures=["NumRel"])
    assert error.value.params == ("measures",)
    with pytest.raises(DataError, match="shares no query"):
        measure_runs(given({**runs, "far": Run.from_dict({"x": {"d1": 1.0}})}), qrels=qrels)


def test_the_table_is_written_for_papers_and_spreadsheets(found, tmp_path) -> None:
    for ending in ("md", "tex", "csv"):
        found.save_table(tmp_path / f"runs.{ending}")
        text = (tmp_path / f"runs.{ending}").read_text(encoding="utf-8")
        assert all(name in text for name in ("one", "two", "three", "nDCG@5"))


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"out": "scores", "report": "report.html"}, ("report", "out")),
        ({"baselines": ["bm25"]}, ("baselines",)),
        ({"threshold": 0.5, "decision": "decision.json"}, ("threshold", "decision")),
        (
            {"analyser": "english", "fit": "texts.txt", "vectors": "vectors.txt"},
            ("analyser", "fit", "vectors"),
        ),
        ({"corpus": ["a text"], "voters": 7, "keep_leaks": True}, ("corpus", "voters", "keep_leaks")),
        ({"agreement": True, "dev": [("a", "b", 1)]}, ("agreement", "dev")),
        (
            {"questions": "all", "untrained": True, "group_by": "article"},
            ("group_by", "questions", "untrained"),
        ),
    ],
)
@pytest.mark.parametrize("names", [["one"], ["one", "two"]])
def test_options_that_runs_alone_have_no_use_for(qrels, runs, names, options, params) -> None:
    with pytest.raises(UsageError) as error:
        tk.compare(qrels=qrels, models={name: runs[name] for name in names}, **options)
    assert error.value.params == params


def test_runs_in_a_list_are_told_to_have_names() -> None:
    run = {"q1": {"d1": 0.5}}
    with pytest.raises(UsageError) as error:
        tk.compare([run, run], qrels={"q1": {"d1": 1}})
    assert error.value.params == ("models",) and "{'a': run" in str(error.value)
