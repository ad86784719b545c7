"""tk.measure."""

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import UsageError

RUN = {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d2": 0.3, "d1": 0.1}}
QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}


def test_names_of_other_libraries():
    names = ["ndcg@10", "mrr", "mrr@10", "recall@100", "precision@5", "map", "r-precision", "hit_rate@1"]
    found = tk.measure(RUN, QRELS, measures=names)
    assert list(map(str, found.figures)) == [
        *("nDCG@10", "MRR", "MRR@10", "R@100", "P@5", "MAP", "Rprec", "Success@1"),
    ]
    assert (found["map"], found["MAP"], found["recip_rank"], found["hit_rate@1"]) == (0.75, 0.75, 0.75, 0.5)
    assert found[1].measure == "MRR" and "0.75" in repr(tk.measure(RUN, QRELS, measures=["map"]))
    with pytest.raises(tk.TextkinError) as error:
        found["P@7"]
    assert error.value.value == "P@7"


@pytest.mark.parametrize("names", [("q_id", "doc_id"), ("query_id", "docid"), ("qid", "docno")])
def test_data_frames(names):
    rows = [(query, doc, score) for query, found in RUN.items() for doc, score in found.items()]
    judged = [(query, doc, 1) for query, found in QRELS.items() for doc in found]
    run, qrels = pd.DataFrame(rows, columns=[*names, "score"]), pd.DataFrame(judged, columns=[*names, "rel"])
    assert tk.measure(run, qrels).rows() == tk.measure(RUN, QRELS).rows()
    with pytest.raises(tk.TextkinError) as error:
        tk.measure(run.drop(columns="score"), qrels)
    assert error.value.params == ("run",)


def test_a_run_after_its_judgements_is_told_apart():
    with pytest.raises(UsageError) as error:
        tk.measure({"q": {"d": 1}}, {"q": {"d": 0.5}})
    assert error.value.value == 0.5 and "measure" in (error.value.fix or "")


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"d1": 3, "d2": 2, "d3": 1}, "p": {"d2": 5}},
        {"q": {"d1": 2, "d2": 1}},
        {"q": {"a": 40, "b": 40}},
        {"q": {"a": -1, "b": -2, "c": -3}},
    ],
)
def test_a_run_of_whole_numbers_is_told_from_its_judgements(run):
    qrels = {"q": {"d2": 1}}
    with pytest.raises(UsageError) as error:
        tk.measure(qrels, run)
    assert error.value.params == ("qrels",) and error.value.value == sorted(run["q"].values(), reverse=True)
    assert tk.measure(run, qrels).queries == 1
    records = tk.Qrels.from_dict(qrels), tk.Run.from_dict(run)
    assert tk.measure(*records).rows() == tk.measure(run, qrels).rows()
    said = tk.measure(qrels, tk.Qrels.from_dict(run), measures=["NumQ"])  # the order that was meant
    assert said["NumQ"] == len(run)


def test_scores_beyond_all_grades_are_no_judgements():
    qrels, run = {"q": {"d1": 1, "d2": 0, "d3": 2}}, {"q": {"d1": 9, "d2": 4, "d3": 12}}
    with pytest.raises(UsageError) as error:
        tk.measure(qrels, run)
    assert error.value.value == [12, 9, 4]
    assert tk.measure(run, qrels, measures=["MRR"])["MRR"] == 1.0


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({"q": {"d1": 1}}, {"q": {"d1": 1, "d2": 0}}),
        ({"q": {"d1": 1, "d2": 1}}, {"q": {"d1": 1, "d2": 1}}),
        ({"q": {"d1": 2, "d2": 1}}, {"q": {"d1": 3, "d2": 2, "d3": 1}}),
        ({"q": {"d1": 0.5}}, {"q": {"d1": 3, "d2": 2, "d3": 1}}),
        ({"q": {"d1": 12, "d2": 12}}, {"q": {"d1": 3, "d2": 2, "d3": 1}}),
    ],
)
def test_judgements_that_may_be_some_are_taken(run, qrels):
    assert tk.measure(run, qrels, measures=["MRR"])["MRR"] == 1.0


def test_scores_of_pairs_are_no_run():
    with pytest.raises(UsageError) as error:
        tk.measure([0.9, 0.1], [1, 0])
    assert error.value.params == ("run",) and "compare" in (error.value.fix or "")


def test_one_model_is_evaluated_by_place_or_name():
    pairs = [("a b", "a c", 1), ("a", "x", 0), ("q y", "q z", 1), ("r", "s t", 0)]
    options = {"resamples": 100, "rounds": 100}
    named = tk.evaluate(pairs, model="default", **options)
    assert named.rows() == tk.evaluate(pairs, "default", **options).rows()
    with pytest.raises(TypeError):
        tk.evaluate(pairs, models=["default"])
