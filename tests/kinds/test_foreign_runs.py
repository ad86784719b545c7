"""Runs of other systems next to models: equal metrics, and missing ids are counted."""

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.kinds.foreign_runs import ranking_from
from textkin.kinds.measuring import Options
from textkin.kinds.ranking_judge import CandidateJudge
from textkin.kinds.systems import Predictions
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.comparison import compared

DATA = tk.CandidateSet(
    (
        tk.Candidates("q1", "one", ("d1", "d2"), ("one here", "two there"), (1, 0)),
        tk.Candidates("q2", "two", ("d1", "d3"), ("one here", "three"), (0, 1)),
    ),
    "two",
)


def judge():
    return CandidateJudge(DATA, measures=("MRR",), sampling=Sampling(20, 20))


def taken(of, run):
    """The notes on a run that a judge takes."""
    found = ranking_from(of, Predictions("theirs", run))
    of.take("theirs", found.system)
    return found.notes


def test_a_run_is_measured_and_what_it_lacks_is_told():
    asked = judge()
    run = tk.Run.from_dict({"q1": {"d2": 2.0, "d1": 1.0, "x": 0.5}, "q9": {"d1": 1.0}})
    notes = taken(asked, run)
    assert asked.value("theirs") == 0.25  # a half, and nothing for the query that is missing
    assert notes == (
        "theirs: 1 query of the run without judgements, not counted: q9",
        "theirs: 1 of 3 ranked documents are not in the data; they keep their ranks and count as not "
        "relevant: x",
        "theirs: 2 candidates are missing from the run and count as not found",
    )
    assert any("missing from the run" in note for note in asked.notes())


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"q9": {"d1": 1.0}}, "shares no query with the data: it has q9, the data have q1, q2"),
        ({"q1": {"x": 1.0}}, "no document of the run theirs is in the data, such as x"),
    ],
)
def test_a_run_of_other_data_is_refused(run, words):
    with pytest.raises(DataError, match=words):
        taken(judge(), tk.Run.from_dict(run))


def test_compare_takes_runs_as_references():
    run = tk.Run.from_dict({"q1": {"d1": 2.0}, "q2": {"d3": 1.0}})
    options = Options(baselines=("order",), reference="theirs", sampling=Sampling(20, 20))
    found = compared(DATA, models={"theirs": run}, options=options)
    assert found.reference == "theirs" and found.suggestion == ""
    assert {row["system"]: row["kind"] for row in found.rows()} == {
        "theirs": "predictions, reference",
        "order": "baseline",
    }


def test_a_broken_run_is_told_before_anything_is_encoded(tmp_path):
    """Encoding a collection may take an hour."""

    class Unasked:
        name = "slow"

        def encode(self, texts):
            raise AssertionError("this was asked for vectors")

    broken = tmp_path / "broken.trec"
    broken.write_text("q1 0 d1 1\n")
    for path, words in ((broken, "4 fields, expected 6"), (tmp_path / "none.trec", "no such file")):
        options = Options(baselines=(), sampling=Sampling(20, 20))
        with pytest.raises(DataError, match=words):
            compared(DATA, models={"slow": Unasked(), "theirs": path}, options=options)


def test_a_run_under_the_name_of_a_baseline_is_refused():
    run = tk.Run.from_dict({"q1": {"d1": 2.0}, "q2": {"d3": 1.0}})
    for name in ("order", "bm25"):
        with pytest.raises(UsageError) as error:
            compared(DATA, models={name: run}, options=Options(baselines=("order",)))
        assert (error.value.params, error.value.value) == (("models",), name)


def test_seeds_of_a_run_are_averaged():
    right, wrong = ({"q1": {"d1": a, "d2": b}, "q2": {"d3": a, "d1": b}} for a, b in ((2.0, 1.0), (1.0, 2.0)))
    options = Options(baselines=("order",), sampling=Sampling(20, 20))
    rows = compared(DATA, models={"theirs": [right, wrong]}, options=options).systems.rows
    theirs = next(row for row in rows if row.name == "theirs")
    assert theirs.measures["MRR"].value == 0.75 and theirs.seeds_sd == pytest.approx(0.25 * 2**0.5)


def test_a_score_that_is_no_number_is_refused(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 d1 1 nan x\nq1 Q0 d2 2 1.0 x\n")
    with pytest.raises(DataError) as error:
        taken(judge(), path)
    assert error.value.path == path


def test_agreement_and_ensembles_need_all_candidates(tmp_path):
    whole = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0, "d3": 2.0}}
    found = tk.compare(DATA, {"theirs": whole, "order": "order"}, agreement=True, resamples=20)
    assert found.rows()[0]["same"] == 0  # the order puts d1 first for both, the run d2 and d3
    for lacking in ({**whole, "q1": {"d1": 1.0}}, {**whole, "q1": {"d1": 1.0, "d2": 2.0, "x": 3.0}}):
        with pytest.raises(DataError):
            tk.compare(DATA, {"theirs": lacking, "order": "order"}, agreement=True, resamples=20)
        with pytest.raises(DataError):
            tk.ensemble({"theirs": lacking, "order": "order"}, dev=DATA, out=tmp_path / "both")


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((0.1, 0.2), "theirs: in 2 of 2 queries scores rise from line to line; the highest counts as the"),
        ((1.0, 1.0), "theirs: in 2 of 2 queries all documents have one score, so their ids decide the order"),
        ((0.2, 0.1), None),
    ],
)
def test_scores_that_look_like_distances_or_say_nothing_are_told(scores, words):
    one, other = scores
    run = tk.Run.from_dict({"q1": {"d1": one, "d2": other}, "q2": {"d3": one, "d1": other}})
    notes = taken(judge(), run)
    assert [note for note in notes if "score" in note and words and words in note] == list(notes)
    assert bool(notes) is (words is not None)
    alone = tk.measure(run, qrels=judge().qrels, measures=["MRR"])
    assert [note.partition(": ")[2] for note in alone.notes] == [note.partition(": ")[2] for note in notes]


def test_a_document_a_query_is_no_odd_score():
    run = tk.Run.from_dict({"q1": {"d1": 1.0}, "q2": {"d3": 1.0}})
    notes = taken(judge(), run)
    assert not any("score" in note for note in notes)


def test_a_run_with_other_ids_of_documents_is_told():
    qrels, strange = {"q1": {"d1": 1}, "q2": {"d2": 0}}, {"q1": {"D1": 2.0}, "q2": {"D2": 1.0}}
    assert any("D1" in note for note in tk.measure(strange, qrels, measures=["MAP"]).notes)
    assert tk.measure(strange | {"q2": {"d2": 1.0}}, qrels, measures=["MAP"]).notes == ()
    both = tk.compare({"same": {"q1": {"d1": 1.0}}, "strange": strange}, qrels=qrels, resamples=20, rounds=20)
    assert [note.partition(":")[0] for note in both.notes if "D1" in note] == ["strange"]


def test_infinite_scores_are_ranked_without_a_warning(recwarn):
    run = {"q1": {"d1": float("inf"), "d2": float("inf"), "d3": 1.0}}
    assert tk.measure(run, {"q1": {"d2": 1}}, measures=["MRR"])["MRR"] == 1.0
    assert not list(recwarn)
