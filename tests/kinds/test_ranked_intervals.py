"""Intervals of rankings over queries."""

import numpy as np
import pytest

import textkin as tk
from textkin.kinds.ranking_judge import RankingJudge
from textkin.measures.intervals.sampling import Sampling

RNG = np.random.default_rng(0)
NAMES = [f"q{number}" for number in range(1, 31)]
QRELS = {name: {f"d{n}": int(RNG.integers(0, 2)) for n in range(8)} for name in NAMES}
RUNS = [{name: {f"d{n}": float(RNG.random()) for n in range(8)} for name in NAMES} for _ in range(2)]
SHUFFLED = {name: QRELS[name] for name in RNG.permutation(NAMES).tolist()}


@pytest.mark.parametrize("measure", ["nDCG@10", "MAP", "GMAP"])
def test_the_order_of_judgements_changes_no_interval(measure):
    once, again = (tk.measure(RUNS[0], qrels, measures=[measure]) for qrels in (QRELS, SHUFFLED))
    [one], [other] = once.figures.values(), again.figures.values()
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert one.low < one.value < one.high


class Judge(RankingJudge):
    texts = ()

    def rank(self, scorer):
        raise NotImplementedError


def test_the_order_of_judgements_changes_no_difference():
    found = []
    for qrels in (QRELS, SHUFFLED):
        judge = Judge(tk.Qrels.from_dict(qrels), name="x", measures=["MAP"], sampling=Sampling())
        for name, run in zip("ab", RUNS, strict=True):
            judge.take_runs(name, [tk.Run.from_dict(run)])
        difference = judge.difference("a", "b")
        found.append([difference.value, difference.low, difference.high, difference.p])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_queries_are_drawn_by_the_values_of_their_numbers():
    names = ["q10", "q9", "q09", "a", "2", "10", "q9b"]
    result = tk.measure({name: {"d": 1.0} for name in names}, {name: {"d": 1} for name in names}).ranked
    values = {"x": np.arange(len(names), dtype=float)}
    order = type(result)(result.query_ids, values, (), ()).drawn_from(["x"])[0]
    assert [result.query_ids[int(place)] for place in order] == ["2", "10", "a", "q09", "q9", "q9b", "q10"]
