from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from textkin.base.errors import DataError, UsageError
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.decisions import judge_decisions
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import CandidateJudge
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.paired_tests import holm
from textkin.measures.intervals.sampling import Sampling

CLASSES = ("contradiction", "entailment", "neutral")
SAMPLING = Sampling(200, 999)


class Fake:
    """Predicts given classes, with probability 0.6."""

    def __init__(self, labels: Sequence[str], decided: np.ndarray) -> None:
        self.name, self.labels = "fake", tuple(labels)
        self.given = np.full((len(decided), len(labels)), 0.4 / (len(labels) - 1), dtype=np.float32)
        self.given[np.arange(len(decided)), decided] = 0.6

    def classify(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        assert len(pairs) == len(self.given)
        return self.given


def data(count: int = 60, *, classes: tuple[str, ...] = CLASSES, group: int = 3) -> PairSet:
    """Every ``group`` pairs share their first text."""
    labels = np.random.default_rng(0).integers(0, len(classes), count)
    labels[: len(classes)] = range(len(classes))
    pairs = (Pair(f"first {row // group}", f"second {row}", float(label)) for row, label in enumerate(labels))
    return PairSet(tuple(pairs), LabelKind.CLASSES, classes, "nli.tsv")


def decisions(labels: np.ndarray, *, wrong: float, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.where(draw.random(len(labels)) < wrong, draw.integers(0, 3, len(labels)), labels).astype(int)


def test_figures_equal_scikit_learn_and_are_means_over_the_seeds() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    labels = judge.test.labels
    judge.take("one", Fake(CLASSES, decisions(labels, wrong=0.4, seed=1)))
    runs = np.stack([decisions(labels, wrong=0.3, seed=seed) for seed in range(3)])
    judge.take_scores("three", runs.astype(float))
    judge.take_scores("same", np.eye(3)[runs] * 0.2)
    assert (judge.main, judge.kind, judge.sizes()) == ("accuracy", "pairs", {"pairs": 60, "components": 20})
    for name in judge.names:
        rows = judge.scores[name]
        found = judge.figures(name)
        assert list(found) == ["accuracy", "macro F1"]
        assert found["accuracy"].value == pytest.approx(
            np.mean([accuracy_score(labels, row) for row in rows])
        )
        macro = np.mean([f1_score(labels, row, average="macro") for row in rows])
        assert found["macro F1"].value == pytest.approx(macro)
        assert judge.value(name) == found["accuracy"].value
        assert all(one.low < one.value < one.high and one.n == 20 for one in found.values())
    assert np.array_equal(judge.scores["three"], judge.scores["same"])


def test_the_test_swaps_whole_components() -> None:
    judge = ClassJudge(data(18), sampling=Sampling(200, 4000))
    labels = judge.test.labels
    a, b = (decisions(labels, wrong=wrong, seed=seed) for wrong, seed in ((0.2, 1), (0.9, 2)))
    judge.take_scores("a", a[None].astype(float))
    judge.take_scores("b", b[None].astype(float))
    gains = ((a == labels).astype(int) - (b == labels).astype(int)).reshape(6, 3).sum(axis=1)
    signed = [abs(np.dot(signs, gains)) for signs in itertools.product((1, -1), repeat=6)]
    found = judge.difference("a", "b")
    assert found.value == pytest.approx(gains.sum() / 18)
    assert found.p == pytest.approx(np.mean(np.array(signed) >= abs(gains.sum())), abs=0.04)
    assert found.low <= found.value <= found.high and found.n == 6
    # Which wrong class was taken is not a difference.
    judge.take_scores("wrong", ((labels + 1) % 3)[None])
    judge.take_scores("other", ((labels + 2) % 3)[None])
    assert (judge.difference("wrong", "other").value, judge.difference("wrong", "other").p) == (0, 1)


def test_the_table_is_corrected_for_all_comparisons() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    for place, wrong in enumerate((0.9, 0.5, 0.1)):
        judge.take_scores(
            f"s{place}", decisions(judge.test.labels, wrong=wrong, seed=place)[None].astype(float)
        )
    table = judge.table("s0", trained=["s2"])
    rows = {row.name: row for row in table.rows}
    raw = [judge.difference(name, "s0").p for name in ("s1", "s2")]
    assert [rows[name].against["s0"].p for name in ("s1", "s2")] == holm(np.array(raw)).tolist()
    assert (rows["s0"].against, rows["s2"].trained, table.references) == ({}, True, ("s0",))
    assert (table.pairs, table.components, table.detectable > 0) == (60, 20, True)
    assert judge.best(judge.names) == "s2"


def test_classes_are_matched_by_name_in_any_order_and_case() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    labels = judge.test.labels.astype(int)
    judge.take("own", Fake(CLASSES, labels))
    shuffled = ("NEUTRAL", "Contradiction", "ENTAILMENT")
    judge.take("theirs", Fake(shuffled, np.array([1, 2, 0])[labels]))
    assert judge.value("theirs") == judge.value("own") == 1
    with pytest.raises(
        DataError, match=r"knows the classes entails, neutral, and nli\.tsv has 'contradiction'"
    ):
        judge.take("two", Fake(("entails", "neutral"), np.zeros(60, dtype=int)))
    assert judge.names == ["own", "theirs"]


def test_a_class_that_the_data_lack_is_a_wrong_answer() -> None:
    two = data(classes=("entails", "neutral"))
    judge = ClassJudge(two, sampling=SAMPLING)
    labels = judge.test.labels.astype(int)
    decided = np.where(np.arange(60) % 2, labels, 0 * labels + 2)
    judge.take("three", Fake(("Entails", "Neutral", "contradicts"), decided))
    assert judge.value("three") == 0.5
    assert judge.figures("three")["macro F1"].value == pytest.approx(
        f1_score(labels, decided, average="macro")
    )
    found = judge.by_class("three")
    assert found.classes == ("entails", "neutral", "contradicts")
    assert [row.name for row in found.rows] == ["entails", "neutral"]
    # A class of the data that no pair has needs no counterpart.
    unused = PairSet(two.pairs, two.kind, (*two.classes, "unused"), two.name)
    ClassJudge(unused, sampling=SAMPLING).take("two", Fake(("entails", "neutral"), labels))


def test_equal_probabilities_go_to_the_first_class_of_the_data() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    level = Fake(CLASSES[::-1], np.zeros(60, dtype=int))
    level.given[:] = 1 / 3
    judge.take("level", level)
    assert not judge.scores["level"].any()


def test_class_by_class() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    labels = judge.test.labels.astype(int)
    judge.take_scores("never neutral", np.minimum(labels, 1)[None])
    found = judge.by_class("never neutral")
    assert (found.system, found.classes, found.seeds) == ("never neutral", CLASSES, 1)
    counts = np.bincount(labels)
    assert [row.pairs for row in found.rows] == counts.tolist()
    assert [row.called for row in found.rows] == [(counts[0], 0, 0), (0, counts[1], 0), (0, counts[2], 0)]
    first, second, third = found.rows
    assert first.f1.value == first.f1.high == 1
    assert 0.7 < first.f1.low < 1  # this few right pairs guarantee no more
    assert second.precision.value == pytest.approx(counts[1] / (counts[1] + counts[2]))
    assert second.precision.low < second.precision.value < second.precision.high
    assert (third.precision.value, third.precision.low, third.recall.value, third.f1.value) == (0, None, 0, 0)
    judge.take_scores("two seeds", np.stack([labels, np.zeros(60, dtype=int)]))
    assert judge.by_class("two seeds").seeds == 2
    assert judge.by_class("two seeds").rows[1].recall.value == 0.5


def test_decisions_are_written_by_name(tmp_path: Path) -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    labels = judge.test.labels
    judge.take_scores("own", labels[None])
    judge.take_scores("two", np.stack([labels, 2 - labels]))
    judge.write(tmp_path)
    header, *lines = (tmp_path / "classes.tsv").read_text().splitlines()
    assert header == "label\town\ttwo/0\ttwo/1"
    assert [line.split("\t")[1] for line in lines] == [CLASSES[int(label)] for label in labels]
    assert lines[0].split("\t") == ["contradiction", "contradiction", "contradiction", "neutral"]


def test_what_cannot_be_judged() -> None:
    judge = ClassJudge(data(), sampling=SAMPLING)
    holed = Fake(CLASSES, np.zeros(60, dtype=int))
    holed.given[7, 1] = np.nan
    with pytest.raises(DataError, match="holed gives probabilities that are not finite"):
        judge.take("holed", holed)
    with pytest.raises(DataError, match="decides for class 3, expected 0 to 2"):
        judge.take_scores("far", np.full((1, 60), 3.0))
    with pytest.raises(DataError, match=r"decides for class 0\.5"):
        judge.take_scores("between", np.full((1, 60), 0.5))
    narrow = Fake(CLASSES, np.zeros(60, dtype=int))
    narrow.given = narrow.given[:, :2]
    with pytest.raises(DataError, match=r"shape \(60, 2\) for 60 pairs and 3 classes"):
        judge.take("narrow", narrow)
    assert judge.names == []
    one = PairSet(tuple(Pair("a", str(row), 1.0) for row in range(5)), LabelKind.CLASSES, CLASSES)
    with pytest.raises(DataError, match="one kind of label"):
        ClassJudge(one, sampling=SAMPLING)
    with pytest.raises(DataError, match="'Yes' and 'yes' differ in case only"):
        ClassJudge(data(classes=("Yes", "yes")), sampling=SAMPLING)
    with pytest.raises(DataError, match="has no pairs"):
        ClassJudge(data().select([]), sampling=SAMPLING)
    with pytest.raises(DataError, match="kind binary, expected the names of classes"):
        ClassJudge(binary(), sampling=SAMPLING)


def binary(seed: int = 0, count: int = 60) -> PairSet:
    labels = np.random.default_rng(seed).integers(0, 2, count)
    pairs = (
        Pair(f"a {seed} {row // 2}", f"b {seed} {row}", float(label)) for row, label in enumerate(labels)
    )
    return PairSet(tuple(pairs), LabelKind.BINARY, name="pairs.tsv")


class Scores:
    name = "scores"

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.arange(len(pairs), dtype=np.float32)


def test_systems_that_do_not_fit_the_data_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        ClassJudge(data(), sampling=SAMPLING).take("bm25", Scores())
    assert error.value.params == ("models",)
    classifier = Fake(CLASSES, np.zeros(60, dtype=int))
    queries = CandidateSet((Candidates("q", "text", ("d", "e"), ("one", "two"), (1, 0)),))
    for judge in (
        PairJudge(binary(), sampling=SAMPLING),
        CandidateJudge(queries, measures=(), sampling=SAMPLING),
    ):
        with pytest.raises(UsageError) as error:
            judge.take("esim", classifier)
        assert error.value.params == ("models",)


def test_decisions_by_thresholds_of_dev(tmp_path: Path) -> None:
    dev, test = (PairJudge(binary(seed), sampling=SAMPLING) for seed in (1, 2))
    draw = np.random.default_rng(3)
    for judge in (dev, test):
        judge.take_scores("model", judge.test.labels + draw.normal(0, 0.7, (2, 60)))
        judge.take_scores("constant", np.zeros((1, 60)))
    decided = judge_decisions(dev, test, goal=Goal.parse("accuracy"))
    accuracies = []
    for fitted, scores in zip(dev.scores["model"], test.scores["model"], strict=True):
        threshold = fit_threshold(dev.test.labels, fitted, Goal.parse("accuracy"))
        accuracies.append(np.mean((scores >= threshold.value) == test.test.labels))
    assert decided.value("model") == pytest.approx(np.mean(accuracies))
    majority = float(dev.test.labels.mean() >= 0.5)
    assert decided.value("constant") == pytest.approx(np.mean(test.test.labels == majority))
    assert decided.difference("model", "constant").n == 30
    assert [row.name for row in decided.by_class("model").rows] == ["not the same", "same"]
    decided.write(tmp_path)
    assert (tmp_path / "classes.tsv").read_text().startswith("label\tmodel/0\tmodel/1\tconstant\n")
    graded = PairSet(tuple(Pair("a", str(row), row / 9) for row in range(9)), LabelKind.GRADED)
    with pytest.raises(UsageError) as error:
        judge_decisions(dev, PairJudge(graded, sampling=SAMPLING), goal=Goal.parse("accuracy"))
    assert error.value.params == ("data",)
