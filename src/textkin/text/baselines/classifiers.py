"""Classification baselines that learn from labelled pairs."""

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, unknown_choice
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.data.protocols import Classifier
from textkin.data.records import LabelKind, PairSet
from textkin.text.baselines.trivial import Random

CLASS_BASELINES = ("random", "majority", "second-text", "bag-of-words")
"""The first reads nothing and the second only labels. The others need pairs to learn from."""

LEARNERS = CLASS_BASELINES[2:]


class RandomClass:
    """A random class, uniformly distributed.

    It depends only on the texts and the seed.
    """

    name = "random"

    def __init__(self, labels: tuple[str, ...], *, seed: int = 0) -> None:
        self.labels = labels
        self._random = Random(seed=seed)

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """1 for the drawn class. Shape [pairs, labels]."""
        drawn = (self._random.score(text_pairs_of(pairs)) * len(self.labels)).astype(np.int64)
        return np.eye(len(self.labels), dtype=np.float32)[drawn]


class Majority:
    """The most frequent class of the training pairs, for every pair; ties by order of the labels.

    Args:
        labels: names of the classes.
        shares: relative frequency of each class, shape [labels].
    """

    name = "majority"

    def __init__(self, labels: tuple[str, ...], shares: Floats32) -> None:
        self.labels = labels
        self._shares = shares

    @classmethod
    def fit(cls, train: PairSet) -> Self:
        """Count the labels of ``train``."""
        counts = np.bincount(train.labels.astype(np.int64), minlength=len(train.classes))
        return cls(train.classes, (counts / max(1, len(train))).astype(np.float32))

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The relative frequency of each class in the training pairs. Shape [pairs, labels]."""
        return np.tile(self._shares, (len(text_pairs_of(pairs)), 1))


def build_classifier(name: str, *, train: PairSet, seed: int = 0) -> Classifier:
    """The classification baseline with the given name.

    Args:
        name: one of :data:`CLASS_BASELINES`.
        train: pairs labelled with classes.
        seed: seed of the random baseline.

    Raises:
        UsageError: the name is unknown.
        DataError: ``train`` is empty or not labelled with classes, or a baseline needs words and finds none.
    """
    if train.kind is not LabelKind.CLASSES or not len(train):
        raise DataError(
            f"{train.name or 'the training data'}: {len(train)} pairs, labels of kind {train.kind.value}; "
            "expected pairs labelled with classes",
            fix="give the training pairs of the same task",
        )
    from textkin.text.baselines.word_classifier import WordClassifier

    made: dict[str, Callable[[], Classifier]] = {
        "random": lambda: RandomClass(train.classes, seed=seed),
        "majority": lambda: Majority.fit(train),
        "second-text": lambda: WordClassifier.fit(train, second_only=True),
        "bag-of-words": lambda: WordClassifier.fit(train),
    }
    if name not in made:
        raise unknown_choice("model", name, CLASS_BASELINES)
    return made[name]()
