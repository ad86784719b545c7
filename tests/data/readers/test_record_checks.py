"""Records created by a user."""

import numpy as np
import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.record_checks import checked_candidates, checked_collection, checked_pairs
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet, Qrels, RetrievalSet

QRELS = Qrels.from_dict({"q": {"1": 1}})


def pairs(*labels, kind=LabelKind.BINARY, classes=()):
    return PairSet(tuple(Pair("a", "b", label) for label in labels), kind, classes, "mine")


def query(**changes):
    made = {
        "query_id": "q",
        "query": "where",
        "doc_ids": ("1", "2"),
        "docs": ("here", "there"),
        "labels": (1, 0),
        "scores": (),
    }
    return CandidateSet((Candidates(**(made | changes)),), "mine")


def test_pairs_become_what_readers_make():
    found = checked_pairs(PairSet([Pair("a", "b", np.float32(1), 7, 8)], "binary", [], "mine"))
    assert found == PairSet((Pair("a", "b", 1.0, "7", "8"),), LabelKind.BINARY, (), "mine")
    assert type(found.pairs[0].label) is float
    assert found.kind is LabelKind.BINARY
    unlabelled = pairs(None, 0.0)
    assert checked_pairs(unlabelled) == unlabelled


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pairs(0.5), r"mine\[0\] is 0.5"),
        (pairs(1.0, float("nan")), r"mine\[1\] is nan"),
        (pairs("1"), r"mine\[0\] is '1'"),
        (pairs(float("inf"), kind=LabelKind.GRADED), r"mine\[0\] is inf"),
        (pairs(2.0, kind=LabelKind.CLASSES, classes=("p", "q")), r"mine\[0\] is 2.0"),
        (pairs(1.0, kind="odd"), "kind is"),
        (PairSet((Pair("a", None, 1.0),), LabelKind.BINARY), r"the texts b of pairs\[0\] is None"),
        (PairSet((("a", "b", 1.0),), LabelKind.BINARY), r"pairs\[0\] is \('a', 'b', 1.0\)"),
        (PairSet((Pair("a", "b", 1.0, 1.5),), LabelKind.BINARY), r"the ids of pairs\[0\] is 1.5"),
    ],
)
def test_other_pairs_are_refused(data, words):
    with pytest.raises(UsageError, match=words):
        checked_pairs(data)


def test_candidates_become_what_readers_make():
    found = checked_candidates(query(query_id=1, doc_ids=(1, 2), labels=(True, np.int64(0))))
    assert found == query(query_id="1")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": (0.9, 0)}, "0.9"),
        ({"labels": (1,)}, "2 ids, 2 texts, 1 labels"),
        ({"docs": ("here", None)}, "None"),
        ({"doc_ids": ("1", 1)}, "the same id"),
        ({"scores": (0.5, float("nan"))}, "nan"),
        ({"query": 5}, "5"),
    ],
)
def test_other_candidates_are_refused(changes, words):
    with pytest.raises(UsageError, match=words):
        checked_candidates(query(**changes))


def test_collections():
    found = checked_collection(RetrievalSet({1: "here"}, {"q": "where"}, QRELS))
    assert found == RetrievalSet({"1": "here"}, {"q": "where"}, QRELS)
    for corpus, queries, qrels, words in (
        (["here"], {}, QRELS, ("corpus",)),
        ({"1": None}, {}, QRELS, ("corpus",)),
        ({}, {1.5: "where"}, QRELS, ("the ids of queries:",)),
        ({}, {}, {"q": {"1": 1}}, ("qrels",)),
    ):
        with pytest.raises(UsageError) as error:
            checked_collection(RetrievalSet(corpus, queries, qrels))
        assert error.value.params == words


def test_a_judged_query_is_not_blank():
    asked = {"q": " \n", "other": ""}
    with pytest.raises(DataError) as error:
        checked_collection(RetrievalSet({"1": "here"}, asked, QRELS, "mine"))
    assert (error.value.params, error.value.value) == (("queries",), "q")
    found = checked_collection(RetrievalSet({"1": "here"}, {**asked, "q": "where"}, QRELS))
    assert found.queries["other"] == ""
    assert checked_collection(RetrievalSet({"1": "here"}, {}, QRELS)).queries == {}
