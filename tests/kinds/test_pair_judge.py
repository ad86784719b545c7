"""Scored pairs, judged."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines import build

SAMPLING = Sampling(20, 99)


def pairs(selves=0, count=20):
    same = [Pair(f"text {i}", f"TEXT {i}!" if i < selves else f"words {i}", 1.0) for i in range(count)]
    return PairSet((*same, *(Pair(f"a {i}", f"b {i}", 0.0) for i in range(count))), LabelKind.BINARY)


def judge(data):
    return PairJudge(data, sampling=SAMPLING)


@pytest.mark.parametrize(("selves", "said"), [(0, False), (1, False), (2, True), (20, True)])
def test_positives_that_are_one_text_twice_are_noted(selves, said):
    found = judge(pairs(selves)).notes()
    assert len(found) == said
    if said:
        assert found[0].startswith(f"{selves} of 20 pairs labelled the same are one text twice")


def test_negatives_and_graded_pairs_may_be_equal():
    data = PairSet((Pair("a", "A", 0.0), Pair("b", "c", 1.0), Pair("d", "e", 0.0)), LabelKind.BINARY)
    assert judge(data).notes() == ()
    graded = PairSet((Pair("a", "A", 5.0), Pair("b", "c", 1.0), Pair("d", "e", 0.5)), LabelKind.GRADED)
    assert judge(graded).notes() == ()


def test_a_constant_is_no_baseline_where_scores_are_correlated():
    graded = PairSet((Pair("a", "b", 5.0), Pair("b", "c", 1.0), Pair("d", "e", 0.5)), LabelKind.GRADED)
    made = judge(graded)
    assert "constant" not in made.baselines
    assert not made.is_binary
    with pytest.raises(DataError, match="constant gives every pair the same score"):
        made.take("constant", build("constant", fit_texts=["a"]))
    assert "constant" in judge(pairs()).baselines


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(DataError, match="not finite"):
        judge(pairs(count=1)).take_scores("m", np.array([[np.inf, 0.0]]))
    with pytest.raises(DataError, match="not finite"):
        judge(pairs(count=1)).take_scores("m", np.array([[np.nan, 0.0]]))
