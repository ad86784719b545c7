from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import Classifier
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.text.baselines.classifiers import CLASS_BASELINES, LEARNERS, build_classifier
from textkin.text.baselines.word_classifier import WordClassifier

CLASSES = ("contradiction", "entailment", "neutral")
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "imp", "jay"]


def pairs(count: int, *, seed: int = 0) -> PairSet:
    """Second texts that repeat the first are entailed, those with "not" contradict, others are neutral."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        *first, one, other = draw.sample(WORDS, 6)
        label = draw.choice([0, 1, 1, 2])
        second = {0: ["not", *first[:2]], 1: first[:2], 2: [one, other]}[label]
        found.append(Pair(" ".join(first), " ".join(second), float(label)))
    return PairSet(tuple(found), LabelKind.CLASSES, CLASSES, "made")


def accuracy(classifier: Classifier, data: PairSet) -> float:
    return float(np.mean(classifier.classify(data.texts).argmax(axis=1) == data.labels))


@pytest.mark.parametrize("name", CLASS_BASELINES)
def test_probabilities(name: str) -> None:
    train, test = pairs(200), pairs(50, seed=1)
    found = build_classifier(name, train=train)
    assert isinstance(found, Classifier)
    assert (found.name, found.labels) == (name, CLASSES)
    probabilities = found.classify(test.texts)
    assert probabilities.shape == (50, 3) and probabilities.dtype == np.float32
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(50), abs=1e-6)
    assert probabilities.min() >= 0
    assert found.classify([]).shape == (0, 3)
    assert np.array_equal(found.classify(test.texts[::-1])[::-1], probabilities)
    assert build_classifier(name, train=train).classify(test.texts[:9]) == pytest.approx(probabilities[:9])


def test_majority_is_the_most_frequent_class_of_training() -> None:
    data = pairs(100)
    majority = build_classifier("majority", train=data)
    shares = np.bincount(data.labels.astype(int)) / 100
    assert majority.classify([("a", "b")])[0] == pytest.approx(shares)
    assert accuracy(majority, data) == pytest.approx(shares.max())
    tie = build_classifier("majority", train=data.select([int(np.argmax(data.labels == n)) for n in (2, 0)]))
    assert tie.classify([("a", "b")]).argmax() == 0


def test_random_takes_every_class_alike_and_follows_the_seed() -> None:
    texts = [(f"text {number}", "other") for number in range(3000)]
    first, again, other = (build_classifier("random", train=pairs(9), seed=seed) for seed in (1, 1, 2))
    drawn = first.classify(texts)
    assert drawn.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.04)
    assert np.array_equal(drawn, again.classify(texts))
    assert not np.array_equal(drawn, other.classify(texts))


def test_bag_of_words_learns_what_can_be_learnt() -> None:
    train, test = pairs(400), pairs(200, seed=1)
    words, second, majority = (
        build_classifier(name, train=train) for name in ("bag-of-words", "second-text", "majority")
    )
    assert accuracy(words, test) > 0.9
    # The negation is visible in the second text alone, the overlap with the first isn't.
    assert accuracy(majority, test) + 0.1 < accuracy(second, test) < accuracy(words, test) - 0.1
    assert np.array_equal(
        second.classify(test.texts), second.classify([("something else", b) for _, b in test.texts])
    )
    assert words.classify([("of", "unknown words"), ("", "")]).sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize("second_only", [False, True])
def test_equals_scikit_learn(second_only: bool) -> None:
    train, test = pairs(150), pairs(40, seed=1)

    def features(data: PairSet) -> np.ndarray:
        vocabulary = sorted({*WORDS, "not"})
        rows = []
        for a, b in data.texts:
            first, second = set(a.split()), set(b.split())
            sides = (first & second, first - second, second - first)
            shared = len(first & second)
            cover = [shared / len(second), shared / len(first), second <= first, first <= second]
            has = [word in side for side in sides for word in vocabulary]
            rows.append([word in second for word in vocabulary] if second_only else [*cover, *has])
        return np.array(rows, dtype=float)

    theirs = LogisticRegression(C=1 / 3, max_iter=1000, tol=1e-8).fit(features(train), train.labels)
    ours = WordClassifier.fit(train, second_only=second_only).classify(test.texts)
    assert ours == pytest.approx(theirs.predict_proba(features(test)), abs=0.003)


def test_refuses_what_it_cannot_learn_from() -> None:
    data = pairs(20)
    with pytest.raises(UsageError) as error:
        build_classifier("majorety", train=data)
    assert error.value.params == ("model",)
    binary = PairSet((Pair("a", "b", 1.0),), LabelKind.BINARY, name="yes.tsv")
    for bad in (binary, data.select([])):
        with pytest.raises(DataError, match="expected pairs labelled with classes"):
            build_classifier("majority", train=bad)
    blank = PairSet((Pair("?", "!", 0.0), Pair(".", ";", 1.0)), LabelKind.CLASSES, ("a", "b"))
    for name in LEARNERS:
        with pytest.raises(DataError) as error:
            build_classifier(name, train=blank)
        assert error.value.params == ("texts",)
