"""Runs of other systems next to models: equal metrics, and missing ids are counted."""

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.kinds.foreign_runs import named_runs, take_given
from textkin.kinds.measuring import Options
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.ranking_judge import CandidateJudge
from textkin.verbs.evaluate.comparison import compared

DATA = tk.CandidateSet(
    (
        tk.Candidates("q1", "one", ("d1", "d2"), ("one here", "two there"), (1, 0)),
        tk.Candidates("q2", "two", ("d1", "d3"), ("one here", "three"), (0, 1)),
    ),
    "two",
)


def judge():
    return CandidateJudge(DATA, measures=("RR",), sampling=Sampling(20, 20))


def test_a_run_is_measured_and_what_it_lacks_is_told():
    taken = judge()
    run = tk.Run.from_dict({"q1": {"d2": 2.0, "d1": 1.0, "x": 0.5}, "q9": {"d1": 1.0}})
    notes = take_given(taken, {"theirs": run}, drop_identical_ids=False)
    assert taken.value("theirs") == 0.25  # a half, and nothing for the query that is missing
    assert notes == (
        "theirs: 1 query of the run has no judgements and doesn't count: q9",
        "theirs: 1 of 3 ranked documents are not in the data; they keep their ranks and count as not "
        "relevant: x",
        "theirs: 2 candidates are missing from the run and count as not found",
    )
    assert any("missing from the run" in note for note in taken.notes())


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"q9": {"d1": 1.0}}, "shares no query with the data: it has q9, the data have q1, q2"),
        ({"q1": {"x": 1.0}}, "no document of the run theirs is in the data, such as x"),
    ],
)
def test_a_run_of_other_data_is_refused(run, words):
    with pytest.raises(DataError, match=words):
        take_given(judge(), {"theirs": tk.Run.from_dict(run)}, drop_identical_ids=False)


def test_compare_takes_runs_as_rivals_and_refuses_them_on_pairs():
    run = tk.Run.from_dict({"q1": {"d1": 2.0}, "q2": {"d3": 1.0}})
    options = Options(baselines=("order",), runs={"theirs": run}, rival="theirs", sampling=Sampling(20, 20))
    found = compared(DATA, models=[], options=options)
    assert found.rival == "theirs" and found.suggestion == ""
    assert {row["system"]: row["kind"] for row in found.rows()} == {
        "theirs": "run, rival",
        "order": "baseline",
    }
    with pytest.raises(UsageError) as error:
        compared([("one", "two", 1), ("one", "three", 0)], models=["tfidf"], options=options)
    assert error.value.params == ("runs",)


def test_a_broken_run_is_told_before_anything_is_encoded(tmp_path):
    """Encoding a collection may take an hour."""

    class Unasked:
        name = "slow"

        def encode(self, texts):
            raise AssertionError("this was asked for vectors")

    broken = tmp_path / "broken.trec"
    broken.write_text("q1 0 d1 1\n")
    for path, words in ((broken, "4 fields, expected 6"), (tmp_path / "none.trec", "no such file")):
        options = Options(baselines=(), runs={"theirs": path}, sampling=Sampling(20, 20))
        with pytest.raises(DataError, match=words):
            compared(DATA, models=[Unasked()], options=options)
    run = tk.Run.from_dict({"q1": {"d1": 2.0}, "q2": {"d3": 1.0}})
    options = Options(baselines=("order",), runs={"order": run}, sampling=Sampling(20, 20))
    with pytest.raises(UsageError) as error:
        compared(DATA, models=[], options=options)
    assert error.value.params == ("runs",)


def test_names_of_runs():
    assert {name: str(path) for name, path in named_runs(["a=x.trec", "y.run.trec"]).items()} == {
        "a": "x.trec",
        "y": "y.run.trec",
    }
    for words in (["=x"], ["a="], ["a=x", "a=y"]):
        with pytest.raises(UsageError) as error:
            named_runs(words)
        assert error.value.params == ("runs",)


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
    notes = take_given(judge(), {"theirs": run}, drop_identical_ids=False)
    assert [note for note in notes if "score" in note and words and words in note] == list(notes)
    assert bool(notes) is (words is not None)
    alone = tk.measure(run, qrels=judge().qrels, measures=["RR"])
    assert [note.partition(": ")[2] for note in alone.notes] == [note.partition(": ")[2] for note in notes]


def test_a_document_a_query_is_no_odd_score():
    run = tk.Run.from_dict({"q1": {"d1": 1.0}, "q2": {"d3": 1.0}})
    notes = take_given(judge(), {"theirs": run}, drop_identical_ids=False)
    assert not any("score" in note for note in notes)
