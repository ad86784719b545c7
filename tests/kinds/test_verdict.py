from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from textkin.data.records import LabelKind, Pair, PairSet
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.verdict import ChosenRecipe, Scores, choose_recipe, verdict_of, with_findings
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.paired_tests import holm
from textkin.measures.intervals.sampling import Sampling
from textkin.report.content import StudyReport, VerdictKind
from textkin.report.figure_words import sentence
from textkin.report.markdown import markdown
from textkin.report.model_card import card
from textkin.report.study_page import page
from textkin.report.tables import systems_caption

F1 = Goal.parse("f1")
EMPTY = StudyReport("title", "data", "2026-01-01", "0", "AP")
PAIRS = 120


def judge(noise: dict[str, float], *, seed: int, graded: bool = False, flip: bool = False) -> PairJudge:
    """Scores that follow the labels up to noise; a negative noise reverses them."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 2, PAIRS).astype(float) + (draw.random(PAIRS) if graded else 0)
    shown = 1 - labels if flip else labels
    pairs = tuple(Pair(f"a{i}", f"b{i}", value) for i, value in enumerate(shown.tolist()))
    made = PairJudge(
        PairSet(pairs, LabelKind.GRADED if graded else LabelKind.BINARY), sampling=Sampling(60, 99)
    )
    if not graded:
        made.take_scores("constant", np.zeros((1, PAIRS)))
    made.take_scores("random", draw.random((1, PAIRS)))
    for name, level in noise.items():
        seeds = 3 if name.startswith("model") else 1
        made.take_scores(name, np.sign(level) * labels + abs(level) * draw.normal(size=(seeds, PAIRS)))
    return made


def studied(dev: PairJudge, test: PairJudge) -> tuple[StudyReport, ChosenRecipe]:
    recipes = tuple(name for name in dev.names if name.startswith("model"))
    scores = Scores(dev, test, recipes, {})
    choice = choose_recipe(scores, goal=F1)
    return with_findings(EMPTY, scores, choice), choice


def both(noise: dict[str, float], *, graded: bool = False) -> tuple[StudyReport, ChosenRecipe]:
    return studied(judge(noise, seed=1, graded=graded), judge(noise, seed=2, graded=graded))


@pytest.mark.parametrize(
    ("noise", "kind", "words"),
    [
        ({"tfidf": 2.0, "model": 0.3}, VerdictKind.BETTER, "model beats tfidf by"),
        ({"tfidf": 0.8, "model": 0.8}, VerdictKind.INDISTINGUISHABLE, "use tfidf, which is simpler."),
        ({"tfidf": 0.3, "model": 3.0}, VerdictKind.WORSE, "model is worse than tfidf by"),
        ({"tfidf": -1.0, "model": 0.3}, VerdictKind.BETTER, "model beats chance by"),
        ({"tfidf": -1.0, "model": 30.0}, VerdictKind.INDISTINGUISHABLE, "nothing that was tried"),
        ({"tfidf": -1.0, "model": -1.0}, VerdictKind.WORSE, "model is worse than chance by"),
    ],
)
def test_verdicts(noise: dict[str, float], kind: VerdictKind, words: str) -> None:
    report, choice = both(noise)
    assert report.verdict is not None
    assert report.verdict.kind is kind
    assert words in sentence(report.verdict)
    assert "use constant" not in sentence(report.verdict)
    assert choice.reference_is_chance is (noise["tfidf"] < 0)
    assert report.verdict.seeds == 3


@pytest.mark.slow
def test_random_labels_recommend_nothing() -> None:
    said, above_by_points = [], 0
    for seed in range(20):
        dev, test = (judge({"tfidf": 1e6, "model": 1e6}, seed=seed + side) for side in (100, 200))
        report, _ = studied(dev, test)
        above_by_points += test.value("tfidf") > test.value("constant")
        said.append(sentence(report.verdict))
        assert "is simpler" not in said[-1]
    assert above_by_points > 8  # a point above chance is no evidence
    assert sum("can be relied on" in one for one in said) >= 17


def test_what_is_shown_to_be_above_chance_is_said() -> None:
    report, _ = both({"tfidf": 2.0, "model": 0.3})
    assert report.verdict.above_chance == ("model", "tfidf")
    report, _ = both({"tfidf": 4.0, "model": 3.5})
    assert report.verdict.kind is VerdictKind.INDISTINGUISHABLE
    assert set(report.verdict.above_chance) < {"model", "tfidf"}
    assert "which is simpler" not in sentence(report.verdict)


@pytest.mark.parametrize(("rounds", "groups"), [(39, PAIRS), (None, 6)])
def test_a_test_that_can_not_decide_says_so(rounds: int | None, groups: int) -> None:
    test = judge({"tfidf": 3.0, "model": 0.01}, seed=2)
    sampling = dataclasses.replace(test.sampling, rounds=rounds)
    pairs = tuple(
        dataclasses.replace(pair, a=f"a{place % groups}", b=f"b{place % groups}")
        for place, pair in enumerate(test.data.pairs)
    )
    few = PairJudge(PairSet(pairs, LabelKind.BINARY), sampling=sampling)
    for name, scores in test.scores.items():
        few.take_scores(name, scores)
    table = few.table("tfidf", trained=["model"])
    assert table.detectable is None
    assert table.least_p == pytest.approx(3 * max(1 / 40, 2.0 ** (1 - groups)) if rounds else 3 / 32)
    assert "can't decide: after the correction no p below 0.0" in systems_caption(table, "AP")
    found = verdict_of(table, "model", measure="AP", seeds=3)
    assert found.kind is VerdictKind.UNDECIDABLE
    assert "This test can't decide between model and tfidf" in sentence(found)
    enough = test.table("tfidf", trained=["model"])
    assert verdict_of(enough, "model", measure="AP", seeds=3).kind is VerdictKind.BETTER


def test_rounds_grow_with_the_number_of_tests() -> None:
    for tests in (1, 12, 500, 4000):
        assert tests / (1 + Sampling().rounds_of(tests)) < 0.05
        assert Sampling(rounds=100).rounds_of(tests) == 100
    assert Sampling().rounds_of(12) == 10_000


def test_models_are_chosen_on_dev_and_the_reference_is_the_strongest_on_test() -> None:
    dev = judge({"tfidf": 0.5, "bm25": 1.0, "model-a": 0.4, "model-b": 0.8}, seed=1)
    test = judge({"tfidf": 1.0, "bm25": 0.5, "model-a": 0.8, "model-b": 0.4}, seed=2)
    report, choice = studied(dev, test)
    assert (choice.name, choice.reference) == ("model-a", "bm25")
    assert (report.verdict.model, report.verdict.reference) == ("model-a", "bm25")


def test_the_threshold_knows_nothing_of_test() -> None:
    noise = {"tfidf": 1.0, "model": 0.4}
    dev = judge(noise, seed=1)
    one, choice = studied(dev, judge(noise, seed=2))
    other, again = studied(dev, judge(noise, seed=2, flip=True))
    assert one.threshold.value == other.threshold.value == choice.decision.threshold.value
    assert choice.decision.calibration == again.decision.calibration
    assert one.threshold.dev == other.threshold.dev
    assert one.threshold.test != other.threshold.test


def test_p_values_are_corrected_over_the_table() -> None:
    report, choice = both({"tfidf": 0.8, "bm25": 0.9, "model": 0.7})
    test = judge({"tfidf": 0.8, "bm25": 0.9, "model": 0.7}, seed=2)
    others = [name for name in test.names if name != choice.reference]
    raw = [test.difference(name, choice.reference) for name in others]
    expected = dict(zip(others, holm(np.array([one.p for one in raw])).tolist(), strict=True))
    found = {row.name: row.against[choice.reference].p for row in report.systems.rows if row.against}
    assert found == expected
    error = next(one for name, one in zip(others, raw, strict=True) if name == "model").standard_error
    z = norm.ppf(1 - 0.05 / 2 / len(others)) + norm.ppf(0.8)
    assert report.systems.detectable == pytest.approx(z * error)
    assert report.systems.references == (choice.reference,)


def test_equal_systems_leave_no_detectable_difference() -> None:
    test = judge({"tfidf": 0.8}, seed=2)
    only = PairJudge(test.data, sampling=test.sampling)
    only.take_scores("tfidf", test.scores["tfidf"])
    only.take_scores("twin", test.scores["tfidf"])
    table = only.table("tfidf", trained=["twin"])
    assert table.detectable is None
    assert table.rows[1].against["tfidf"].p == 1.0


def test_the_spread_over_seeds() -> None:
    report, _ = both({"tfidf": 0.8, "model": 0.7})
    rows = {row.name: row for row in report.systems.rows}
    test = judge({"tfidf": 0.8, "model": 0.7}, seed=2)
    values = []
    for one in test.scores["model"]:
        single = PairJudge(test.data, sampling=test.sampling)
        single.take_scores("model", one[None, :])
        values.append(single.value("model"))
    assert rows["model"].seeds_sd == pytest.approx(np.std(values, ddof=1))
    assert rows["model"].measures["AP"].value == pytest.approx(np.mean(values))
    assert rows["tfidf"].seeds_sd is None


def test_graded_pairs_are_not_decided() -> None:
    report, choice = both({"tfidf": 2.0, "model": 0.3}, graded=True)
    assert choice.decision is None
    assert (report.threshold, report.histogram, report.errors) == (None, None, None)
    assert report.verdict.measure == "Spearman"


def test_a_threshold_that_takes_nothing_has_no_precision_interval() -> None:
    noise = {"tfidf": 1.0, "model": 0.4}
    dev, test = judge(noise, seed=1), judge(noise, seed=2)
    choice = choose_recipe(Scores(dev, test, ("model",), {}), goal=Goal.parse("precision=1:estimate"))
    decision = dataclasses.replace(
        choice.decision, threshold=dataclasses.replace(choice.decision.threshold, value=99.0)
    )
    scores = Scores(dev, test, ("model",), {})
    report = with_findings(EMPTY, scores, dataclasses.replace(choice, decision=decision))
    assert report.threshold.test["precision"].low is None
    assert report.threshold.test["recall"].value == 0
    assert (report.threshold.goal, report.threshold.goal_value) == (
        "an estimated precision of at least 1",
        1.0,
    )


def test_where_no_threshold_is_sure_there_is_none() -> None:
    noise = {"tfidf": 1.0, "model": 0.4}
    dev, test = judge(noise, seed=1), judge(noise, seed=2)
    choice = choose_recipe(Scores(dev, test, ("model",), {}), goal=Goal.parse("precision=0.99"))
    assert choice.decision is not None
    assert choice.decision.threshold is None
    report = with_findings(EMPTY, Scores(dev, test, ("model",), {}), choice)
    assert report.threshold is report.errors is None
    assert report.calibration is not None
    said = "No threshold is fitted: on 120 pairs, none is shown to have a precision of at least 0.99"
    assert said in report.no_threshold
    assert said in card(report, "model", 0)
    assert said in markdown(report)
    assert said in page(report)
    assert StudyReport.from_dict(report.to_dict()) == report


def test_plots_and_errors_are_of_the_test_set() -> None:
    noise = {"tfidf": 1.0, "model": 0.6}
    test = judge(noise, seed=2)
    report, choice = studied(judge(noise, seed=1), test)
    labels: NDArray[np.float64] = test.test.labels
    scores = test.scores["model"][choice.seed]
    assert sum(report.histogram.positives) == labels.sum()
    assert sum(report.histogram.negatives) == (1 - labels).sum()
    assert sum(each.count for each in report.calibration.after.bins) == PAIRS
    assert report.precision_recall.curves[0].recall[-1] == 1.0
    assert report.precision_recall.curves[1].system == "tfidf"
    wrong = np.flatnonzero((scores >= report.threshold.value) & (labels == 0))
    worst = wrong[np.argmax(scores[wrong])]
    assert report.errors.false_positives[0].a == f"a{worst}"
    assert report.errors.false_positives[0].score == pytest.approx(scores[worst])
    counts = report.threshold.confusion
    assert counts.false_positives == len(wrong)
