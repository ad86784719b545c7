import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.kinds.word_deletion import STEPS, deletion_curves, word_weights

WORTH = {"red": 8.0, "cat": 4.0, "sat": 2.0, "mat": 1.0}


def score(pairs):
    return np.array([sum(WORTH.get(word, 0.0) for text in pair for word in text.split()) for pair in pairs])


def test_weights_of_tokens_go_to_their_words():
    text = "Unbelievable, the CAT's mat"
    tokens = ("[CLS]", "un", "believ", "able", "the", "cat", "'s", "mat", "\N{GRINNING FACE}")
    found = word_weights(text, tokens, [9, 1, 2, 3, 4, 5, 6, 7, 8])
    assert found.tolist() == [6.0, 0.0, 4.0, 11.0, 7.0], "words: Unbelievable , the CAT's mat"
    assert word_weights("of Zürich", ("of", "z", "rich"), [1, 2, 4]).tolist() == [1.0, 6.0]
    assert word_weights("", (), []).tolist() == []


def test_a_token_over_two_words_is_parted():
    assert word_weights("New York", ("New York",), [4.0]).tolist() == [2.0, 2.0]


def test_the_area_under_the_curve():
    pairs = [("red cat sat mat up", "a b c d e")] * 3
    weights = [np.array([8.0, 4.0, 2.0, 1.0, 0, 0, 0, 0, 0, 0])] * 3
    worst = [-one for one in weights]
    random, best, last = deletion_curves(
        pairs, [score] * 3, {"best": weights, "worst": worst}, rounds=50, resamples=50
    )
    left = [15.0, 7.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert best.scores == pytest.approx(left) and best.area == pytest.approx(sum(left[1:]) / len(STEPS))
    assert last.scores == pytest.approx([15, 15, 15, 15, 15, 15, 15, 14, 12, 8])
    assert best.area < random.area < last.area
    assert best.below_random.value == pytest.approx(random.area - best.area)
    assert last.below_random.value < 0 and random.below_random is None
    assert random.order == "random" and random.scores[0] == 15.0


def test_no_pairs():
    with pytest.raises(DataError, match="no pair has words"):
        deletion_curves([], [], {}, rounds=10, resamples=10)
