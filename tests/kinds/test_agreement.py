from __future__ import annotations

import numpy as np
import pytest

from textkin.base.errors import DataError, UsageError
from textkin.kinds.agreement import Decisions, agreement_of
from textkin.measures.intervals.sampling import Sampling

SAMPLING = Sampling(100, 100)


def decisions(decided, gold, *, names=None, groups=None, **more):
    decided, gold = np.array(decided), np.array(gold)
    names = names or tuple("abcdef"[: len(decided)])
    groups = np.arange(len(gold)) if groups is None else np.array(groups)
    return Decisions(names, decided, decided == gold, groups, **more)


GOLD = [0, 1, 2, 0, 1, 2, 0, 1]
THREE = [[0, 1, 2, 0, 1, 2, 1, 2], [0, 1, 2, 0, 0, 0, 1, 0], [1, 1, 0, 0, 0, 2, 0, 2]]


def test_figures_by_hand():
    found = agreement_of(decisions(THREE, GOLD), sampling=SAMPLING)
    first = found.pairs[0]
    assert (first.a, first.b, first.same.value) == ("a", "b", 5 / 8)
    assert first.shared_errors is not None and first.shared_errors.value == 2 / 4
    assert [one.accuracy.value for one in found.members] == [6 / 8, 4 / 8, 4 / 8]
    assert found.oracle.value == 7 / 8
    # The vote: 0 1 2 0 0 2 1 2, right but at places 4, 6 and 7.
    assert found.vote.value == 5 / 8
    # Without a, ties go to b, which is right four times; without b and c to a, which is six times.
    assert [one.adds.value for one in found.members] == [1 / 8, -1 / 8, -1 / 8]
    assert found.most().system == "a"
    assert first.correlation is None


def test_intervals_hold_the_figures_and_grow_with_groups():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 200)
    decided = [np.where(rng.random(200) < 0.8, gold, 1 - gold) for _ in range(2)]
    alone = agreement_of(decisions(decided, gold), sampling=SAMPLING).pairs[0].same
    together = agreement_of(
        decisions([np.sort(one) for one in decided], np.sort(gold), groups=np.arange(200) // 20),
        sampling=SAMPLING,
    ).pairs[0]
    for one in (alone, together.same, together.kappa):
        assert one is not None and one.low is not None and one.high is not None
        assert one.low <= one.value <= one.high
    assert alone.low is not None and alone.high is not None and alone.high - alone.low < 0.2


def test_the_matrix_is_symmetric_with_ones():
    found = agreement_of(decisions(THREE, GOLD), sampling=SAMPLING).matrix("same")
    assert found.tolist() == found.T.tolist() and np.diag(found).tolist() == [1.0, 1.0, 1.0]
    assert found[0, 1] == 5 / 8


def test_what_is_undefined_is_none():
    found = agreement_of(decisions([[1, 1], [1, 1]], [1, 1]), sampling=SAMPLING)
    assert found.pairs[0].kappa is None and found.pairs[0].shared_errors is None
    assert np.isnan(found.matrix("kappa")[0, 1])


def test_correlations_are_means_over_the_questions_that_have_one():
    tau = np.full((2, 2, 2), np.nan)
    tau[0, 1, 0] = 0.5
    given = decisions([[0, 1], [0, 0]], [0, 1], correlations=tau)
    found = agreement_of(given, sampling=SAMPLING).pairs[0].correlation
    assert found is not None and found.value == 0.5


def test_what_can_not_be_compared_is_refused():
    with pytest.raises(UsageError) as error:
        decisions([[0, 1]], [0, 1])
    assert error.value.params == ("models",)
    with pytest.raises(DataError, match="an item at least"):
        decisions([[], []], [])
