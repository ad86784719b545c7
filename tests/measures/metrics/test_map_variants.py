"""Metrics that papers print as MAP, and those of SemEval 2016, against loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textkin as tk
from tests.reference import map_variants as slow
from textkin.data.records import Qrels, Run
from textkin.kinds.ranked_intervals import intervals
from textkin.measures.metrics.measure_names import Measure, parse
from textkin.measures.metrics.ranked import evaluate

SCORES = st.sampled_from([0.1, 0.2, 0.5, 0.5, 0.9])
LISTS = st.lists(st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=5), min_size=1, max_size=5)
NAMES = ("MAP(mapk)", "MAP(shuffled)", "MAP(optimistic)", "AvgRec", "AvgRec@3", "Accuracy@0.5")


def measured(lists: slow.Rows | list, *names: str):
    """The lists as a run and judgements; every document is judged."""
    run = {f"q{n}": {f"d{m}": score for m, (_, score) in enumerate(rows)} for n, rows in enumerate(lists)}
    qrels = {f"q{n}": {f"d{m}": int(hit) for m, (hit, _) in enumerate(rows)} for n, rows in enumerate(lists)}
    return evaluate(Run.from_dict(run), Qrels.from_dict(qrels), [parse(name) for name in names])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(LISTS)
def test_they_are_what_the_loops_say(lists) -> None:
    found = measured(lists, *NAMES)
    # textkin's order of equal scores: the larger id first.
    ranked = [
        [hit for _, (hit, _) in sorted(enumerate(rows), key=lambda row: (-row[1][1], -row[0]))]
        for rows in lists
    ]
    wanted = (
        slow.mapk(lists),
        sum(map(slow.shuffled, lists)) / len(lists),
        slow.optimistic(lists),
        slow.average_recall(ranked),
        slow.average_recall(ranked, 3),
        slow.accuracy(lists, 0.5),
    )
    for name, value in zip(NAMES, wanted, strict=True):
        assert found.figure(parse(name)) == pytest.approx(value, abs=1e-12), name


def test_the_published_example_of_mapk_is_no_average_precision() -> None:
    labels = ([0, 1, 0, 1], [0, 0, 0, 0, 1, 0], [0, 1, 0])
    scores = ([0.1, 0.2, -0.01, 0.4], [0.12, -0.43, 0.2, 0.1, 0.99, 0.7], [0.5, 0.63, 0.92])
    lists = [
        [(one == 1, two) for one, two in zip(*row, strict=True)] for row in zip(labels, scores, strict=True)
    ]
    found = measured(lists, "MAP(mapk)", "MAP")
    assert found.figure(parse("MAP(mapk)")) == pytest.approx(0.75)
    assert found.figure(parse("MAP")) == pytest.approx(0.8333, abs=5e-5)


def test_a_constant_score_shows_the_rule_for_ties() -> None:
    lists = [[(True, 0.5), (False, 0.5), (False, 0.5)]]
    found = measured(lists, "MAP", "MAP(mapk)", "MAP(shuffled)", "MAP(optimistic)")
    got = [found.figure(one) for one in found.values]
    assert got == pytest.approx([1 / 3, 1.0, (1 + 1 / 2 + 1 / 3) / 3, 1.0])


def test_queries_without_an_answer_are_left_out_by_two_of_them() -> None:
    lists = [[(True, 0.9), (False, 0.1)], [(False, 0.3), (False, 0.2)], [(False, 0.9), (True, 0.1)]]
    found = measured(lists, "MAP(mapk)", "MAP(optimistic)", "MAP(shuffled)", "AvgRec@1", "MAP")
    values = {str(one): found.figure(one) for one in found.values}
    assert values == pytest.approx(
        {"MAP(mapk)": 0.75, "MAP(optimistic)": 0.75, "MAP(shuffled)": 0.5, "AvgRec@1": 0.5, "MAP": 0.5}
    )
    assert np.isnan(found.values[parse("MAP(mapk)")]).tolist() == [False, True, False]
    assert intervals(found)[parse("MAP(mapk)")].n == 2
    none = measured([[(False, 0.5)]], *NAMES)
    assert [none.figure(parse(name)) for name in NAMES] == [0, 0, 0, 0, 0, 0]
    assert intervals(none)[parse("MAP(mapk)")].value == 0
    run, qrels = {"a": {"x": 1.0}, "b": {"x": 1.0}}, {"a": {"x": 1}, "b": {"x": 0}}
    told = tk.measure(Run.from_dict(run), qrels=Qrels.from_dict(qrels), measures=["MAP(mapk)", "MAP"])
    assert told.per_query()["b"] == {Measure("MAP"): 0.0}


@pytest.mark.slow
def test_the_interval_of_a_quotient_is_that_of_resampled_quotients() -> None:
    rng = np.random.default_rng(0)
    lists = [
        [(bool(hit), float(s)) for hit, s in zip(rng.random(10) < rate, rng.random(10), strict=True)]
        for rate in rng.uniform(0.05, 0.9, 120)
    ]
    found = intervals(measured(lists, "AvgRec"), resamples=2000)[parse("AvgRec")]
    ranked = [[hit for hit, _ in sorted(rows, key=lambda row: -row[1])] for rows in lists]
    drawn = [slow.average_recall([ranked[place] for place in rng.integers(0, 120, 120)]) for _ in range(400)]
    assert (found.high - found.low) / 2 / 1.98 == pytest.approx(np.std(drawn), rel=0.15)
    # Documents that aren't retrieved count as irrelevant; those without a judgement don't count.
    run = Run.from_dict({"q": {"a": 0.9, "b": 0.2, "x": 0.9}, "other": {"a": 1.0}})
    qrels = Qrels.from_dict({"q": {"a": 1, "b": 0, "c": 1, "d": 0, "e": -1}, "r": {"a": 0}})
    assert evaluate(run, qrels, [parse("Accuracy@0.5")]).figure(parse("Accuracy@0.5")) == pytest.approx(4 / 5)
