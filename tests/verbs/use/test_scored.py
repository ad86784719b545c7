"""Scores of models that give classes."""

import numpy as np

import textkin as tk
from textkin.verbs.use import scored


class Judge:
    """Classes by the letters that both texts share; of two classes the second one has a score, too."""

    name = "judge"

    def __init__(self, labels):
        self.labels = labels

    def classify(self, pairs):
        shared = np.array([len(set(a) & set(b)) for a, b in pairs])
        found = np.full((len(pairs), len(self.labels)), 0.1)
        found[np.arange(len(pairs)), np.minimum(shared, len(self.labels) - 1)] = 0.9
        return found / found.sum(axis=1, keepdims=True)


class Scoring(Judge):
    def score(self, pairs):
        found = self.classify(pairs)
        return np.log(found[:, 1] / found[:, 0])


PAIRS = [("a", "b"), ("ab", "bc"), ("abc", "abc")]


def test_of_three_classes_the_likeliest_is_given_with_its_probability():
    found = tk.score(PAIRS, model=Judge(("none", "some", "all")))
    assert [row["class"] for row in found.rows()] == ["none", "some", "all"]
    np.testing.assert_allclose(found.scores, 0.9 / 1.1, rtol=1e-6)


def test_of_two_classes_the_score_is_for_the_second(monkeypatch):
    monkeypatch.setattr(scored, "system_of", lambda *_, **__: Scoring(("no", "yes")))  # as a trained network
    found = tk.score(PAIRS, model="trained", threshold=0.0)
    np.testing.assert_allclose(found.scores, np.log([1 / 9, 9, 9]), rtol=1e-6)
    assert found.classes == () and found.same.tolist() == [False, True, True]
