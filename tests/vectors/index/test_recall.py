from dataclasses import dataclass

import numpy as np

from textkin.vectors.index.recall import measured_recall
from textkin.vectors.join.nearest import Nearest


@dataclass
class Known:
    """A search with known answers; questions are their numbers."""

    numbers: list

    def nearest(self, questions, depth):
        found = np.array([self.numbers[int(question)][:depth] for question in questions[:, 0]])
        return Nearest(found, np.zeros(found.shape, "f4"))


def test_shares_of_the_best():
    exact = Known([[1, 2, 3], [4, 5, 6], [7, 8, -1], [9, 1, 2]])
    quick = Known([[1, 3, 9], [4, 5, 6], [8, 7, -1], [0, 0, 0]])
    questions = np.arange(4, dtype=np.float32)[:, None]
    first, third = measured_recall(exact, quick, questions, of="questions", depths=(1, 3))
    assert (first.share.value, first.share.n, first.depth) == (0.5, 4, 1)
    assert third.share.value == (2 + 3 + 2 + 0) / 11
    assert first.share.low < 0.5 < first.share.high and "on 4 questions" in first.sentence()


def test_a_phrase_does_not_find_itself():
    exact = Known([[0, 5, 6], [7, 1, 8], [7, 8, 9]])
    quick = Known([[0, 6, 5], [1, 8, 9], [2, 7, 8]])
    questions = np.arange(3, dtype=np.float32)[:, None]
    first, second = measured_recall(
        exact, quick, questions, of="stored phrases", itself=np.arange(3), depths=(1, 2)
    )
    assert first.share.value == 1 / 3  # 5 is not 6, 7 is not 8, 7 is 7
    assert second.share.value == (2 + 1 + 2) / 6


def test_nothing_to_find():
    nothing = Known([[-1, -1]])
    assert measured_recall(nothing, nothing, np.zeros((1, 1), "f4"), of="questions", depths=(1,)) == ()
