"""Decisions at a given threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.fixed_threshold import check_fixed, cut_for, fixed_decisions
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.intervals.sampling import Sampling
from textkin.report.fixed_threshold import FixedRule, fixed_caption, fixed_grid, fixed_title

SAMPLING = Sampling(50, 99)
LABELS = [1, 1, 0, 1, 0, 0, 0, 1]


def judge(**scores):
    data = PairSet(
        tuple(Pair(f"a {i}", f"b {i}", float(label)) for i, label in enumerate(LABELS)), LabelKind.BINARY
    )
    made = PairJudge(data, sampling=SAMPLING)
    for name, rows in scores.items():
        made.take_scores(name, np.array(rows, dtype=np.float32).astype(np.float64).reshape(-1, 8))
    return made


def counted(scores, cut):
    """Precision, recall, F1 and accuracy, by counting."""
    right = [(label, score >= np.float32(cut)) for label, score in zip(LABELS, scores, strict=True)]
    found = sum(label and same for label, same in right)
    called, positives = sum(same for _, same in right), sum(LABELS)
    accuracy = sum(bool(label) == bool(same) for label, same in right) / len(right)
    return {"recall": found / positives, "F1": 2 * found / (called + positives), "accuracy": accuracy} | (
        {"precision": found / called} if called else {}
    )


MODEL = [0.9, 0.7, 0.71, 0.1, 0.2, 0.69, 0.0, 0.8]
OTHER = [30, 20, 10, 30, 20, 5, 4, 3]


def test_the_model_decides_at_the_number_and_baselines_call_as_many_the_same():
    found = fixed_decisions(judge(random=OTHER, mine=MODEL, constant=[0.0] * 8), ["mine"], 0.7)
    mine, other, everything, nothing = found.rows
    assert (mine.system, mine.rule, mine.threshold, mine.called) == ("mine", FixedRule.GIVEN, 0.7, 4)
    assert (other.system, other.rule, other.threshold, other.called) == ("random", FixedRule.AS_MANY, 20.0, 4)
    for row, scores in ((mine, np.float32(MODEL)), (other, np.float32(OTHER))):
        figures = {name: figure.value for name, figure in row.measures.items()}
        assert figures == pytest.approx(counted(scores, row.threshold))
        assert all(figure.low <= figure.value <= figure.high for figure in row.measures.values())
    assert (everything.called, everything.measures["accuracy"].value) == (8, 0.5)
    assert everything.measures["recall"].low is None  # it can't be otherwise
    assert (nothing.called, nothing.measures["accuracy"].value) == (0, 0.5)
    assert "precision" not in nothing.measures
    assert not found.fitted and (found.pairs, found.positives) == (8, 4)


def test_figures_of_several_seeds_are_means():
    rows = [MODEL, [0.75, 0.0, 0.9, 0.9, 0.0, 0.0, 0.0, 0.0]]
    found = fixed_decisions(judge(mine=rows, tfidf=OTHER), ["mine"], 0.7)
    figures = [counted(np.float32(row), 0.7) for row in rows]
    assert found.rows[0].called == 3.5
    for name in ("precision", "recall", "F1", "accuracy"):
        assert found.rows[0].measures[name].value == pytest.approx(np.mean([one[name] for one in figures]))
    # one seed without any: the mean precision is not defined
    none = fixed_decisions(judge(mine=[MODEL, [0.0] * 8]), ["mine"], 0.7)
    assert "precision" not in none.rows[0].measures


def test_nothing_reaches_the_threshold():
    found = fixed_decisions(judge(mine=MODEL, tfidf=OTHER), ["mine"], 2.0)
    assert [row.called for row in found.rows] == [0, 0, 8, 0]
    assert found.rows[1].threshold is None
    assert all("precision" not in row.measures for row in found.rows if not row.called)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(0, 13))
def test_no_cut_calls_a_number_that_is_nearer(values, called):
    scores = np.array(values, dtype=float)
    counts = {cut: int(np.sum(scores >= cut)) for cut in [*values, np.inf]}
    best = min(abs(count - called) for count in counts.values())
    assert counts[cut_for(scores, called)] == min(
        count for count in counts.values() if abs(count - called) == best
    )


def test_without_threshold_nothing_is_decided():
    assert fixed_decisions(judge(mine=MODEL), ["mine"], None) is None
    check_fixed(judge(mine=MODEL), {"a": 1, "b": 2}, None)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError) as error:
        check_fixed(judge(), {"a": 1, "b": 2}, 0.7)
    assert error.value.params == ("threshold",)
    graded = PairSet((Pair("a", "b", 2.5), Pair("c", "d", 1.0), Pair("e", "f", 0.5)), LabelKind.GRADED)
    classes = PairSet((Pair("a", "b", 0.0), Pair("c", "d", 1.0)), LabelKind.CLASSES, ("no", "maybe"))
    for made in (PairJudge(graded, sampling=SAMPLING), ClassJudge(classes, sampling=SAMPLING)):
        with pytest.raises(UsageError) as error:
            check_fixed(made, {"a": 1}, 0.7)
        assert error.value.params == ("threshold",)


def test_the_table_says_that_nothing_is_fitted():
    found = fixed_decisions(judge(mine=MODEL, tfidf=OTHER), ["mine"], 0.7)
    grid = fixed_grid(found)
    assert grid.rows[0][:4] == ("mine", "0.7", "given, not fitted", "4")
    assert {len(row) for row in grid.rows} == {len(grid.header)}
    assert "not fitted" in fixed_title(found)
    assert "found without labels" in fixed_caption(found)
