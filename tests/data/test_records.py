import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, UsageError
from textkin.data.records import LabelKind, Pair, PairSet, Qrels, Run

IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)


@given(st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 4), max_size=4), max_size=4))
def test_judgements_go_into_columns_and_back(table):
    qrels = Qrels.from_dict(table)
    assert qrels.to_dict() == table
    assert qrels.offsets.tolist()[0] == 0
    assert qrels.offsets.tolist()[-1] == len(qrels.doc_ids) == len(qrels.relevance)
    assert qrels.relevance.dtype == np.int64


@given(st.dictionaries(IDS, st.dictionaries(IDS, st.floats(allow_nan=False), max_size=4), max_size=4))
def test_runs_go_into_columns_and_back(table):
    run = Run.from_dict(table, name="mine")
    assert run.to_dict() == table
    assert run.name == "mine"
    assert run.scores.dtype == np.float64


def test_pair_sets():
    pairs = PairSet((Pair("a", "b", 1.0), Pair("c", "d", 0.0)), LabelKind.BINARY, name="mine")
    assert pairs.texts == [("a", "b"), ("c", "d")]
    assert pairs.labels.tolist() == [1.0, 0.0]
    chosen = pairs.select([1])
    assert (list(chosen), chosen.kind, chosen.name) == ([pairs.pairs[1]], LabelKind.BINARY, "mine")
    assert pairs.select([], name="none").name == "none"
    with pytest.raises(DataError, match="mine: some pairs have no label; give"):
        _ = PairSet((Pair("a", "b"),), LabelKind.NONE, name="mine").labels


def test_ids_may_be_whole_numbers_and_values_of_any_library():
    assert Qrels.from_dict({1: {np.int64(2): np.float32(1)}}).to_dict() == {"1": {"2": 1}}
    assert Run.from_dict({1: {2: np.float64(0.5)}}).to_dict() == {"1": {"2": 0.5}}


@pytest.mark.parametrize(
    "table",
    [
        {"q": {"d": 0.9}},
        {"q": {"d": float("nan")}},
        {"q": {"d": None}},
        {"q": {"d": "x"}},
        {"q": [1.5]},
        {"q": {1.5: 1}},
        {1: {"d": 1}, "1": {"d": 1}},
        [("q", "d", 1)],
        None,
    ],
)
def test_other_judgements_are_refused(table):
    with pytest.raises(UsageError):
        Qrels.from_dict(table)
    if table != {"q": {"d": 0.9}}:
        with pytest.raises(UsageError):
            Run.from_dict(table)
