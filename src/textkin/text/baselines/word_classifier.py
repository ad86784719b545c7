"""Classification by words alone: logistic regression on shared and unshared words of two texts."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.sparse import csr_array, hstack

from textkin.base.arrays import Floats, Floats32
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.data.records import PairSet
from textkin.text.baselines.analysers import PLAIN, analyser_of
from textkin.text.baselines.terms import Terms

_PENALTY = 3.0  # for squared weights; 1, 3 and 10 differ by 0.01 on the dev sets of SICK and SNLI
_ITERATIONS = 200


class WordClassifier:
    """The accuracy possible without word order, word meaning or a neural network.

    Each word is up to three features (in both texts, only in the first, only in the second), and four
    features measure how far each text covers the other. With ``second_only`` the features are the second
    text's words. Accuracy is then independent of the first text, and shows how much the data give away
    (Poliak et al. 2018, "Hypothesis Only Baselines in Natural Language Inference").

    Args:
        terms: known words.
        weights: the last row is the bias. Shape [features + 1, labels].
        labels: names of the classes.
        second_only: True to ignore the first text.
    """

    def __init__(
        self, terms: Terms, weights: Floats, *, labels: tuple[str, ...], second_only: bool = False
    ) -> None:
        self.name = "second-text" if second_only else "bag-of-words"
        self.labels = labels
        self._terms = terms
        self._weights = weights
        self._second_only = second_only

    @classmethod
    def fit(cls, train: PairSet, *, second_only: bool = False) -> Self:
        """Fit words and weights to labelled pairs.

        Raises:
            DataError: the texts contain no words.
        """
        read = train.texts if not second_only else [(b, b) for _, b in train.texts]
        terms = Terms(
            list(dict.fromkeys(text for pair in read for text in pair)), analyser=analyser_of(PLAIN)
        )
        features = _features(terms, train.texts, second_only=second_only)
        targets = np.eye(len(train.classes))[train.labels.astype(np.int64)]
        return cls(terms, _regression(features, targets), labels=train.classes, second_only=second_only)

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The probability of each class. Shape [pairs, labels]."""
        features = _features(self._terms, text_pairs_of(pairs), second_only=self._second_only)
        return np.exp(_log_probabilities(features, self._weights)).astype(np.float32)


def _features(terms: Terms, pairs: Sequence[tuple[str, str]], *, second_only: bool) -> csr_array:
    """The features of pairs. Shape [pairs, features]."""
    second = _present(terms, [b for _, b in pairs])
    if second_only:
        return second
    first = _present(terms, [a for a, _ in pairs])
    shared = first.multiply(second).tocsr()
    both, in_first, in_second = (side.sum(axis=1) for side in (shared, first, second))
    covered = (both / np.maximum(in_second, 1), both / np.maximum(in_first, 1))
    cover = np.stack([*covered, both == in_second, both == in_first], axis=1)
    return csr_array(hstack([csr_array(cover), shared, first - shared, second - shared]))


def _present(terms: Terms, texts: Sequence[str]) -> csr_array:
    """1 where a text contains a known word, shape [texts, terms]."""
    counts, _ = terms.counts(texts)
    counts.data = np.ones(len(counts.data))
    return counts


def _regression(features: csr_array, targets: Floats) -> Floats:
    """The weights that minimise the penalised cross-entropy, shape [features + 1, classes].

    The bias has no penalty.
    """
    from scipy.optimize import minimize

    shape = (features.shape[1] + 1, targets.shape[1])
    transposed = csr_array(features.T)

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        logs = _log_probabilities(features, weights)
        excess = np.exp(logs) - targets
        penalised = np.concatenate((weights[:-1], np.zeros((1, shape[1]))))
        gradient = np.concatenate((transposed @ excess, excess.sum(axis=0, keepdims=True)))
        value = _PENALTY / 2 * np.sum(penalised**2) - np.sum(logs * targets)
        return float(value), (gradient + _PENALTY * penalised).ravel()

    found = minimize(
        loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS}
    )
    return found.x.reshape(shape)


def _log_probabilities(features: csr_array, weights: Floats) -> Floats:
    from scipy.special import log_softmax

    return log_softmax(features @ weights[:-1] + weights[-1], axis=1)
