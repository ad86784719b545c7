"""Frames of texts as hashes, compared with tuples of words."""

import random
from collections import defaultdict

import numpy as np
import pytest

from tests.reference.templates import family_sizes
from textkin.vectors.groups import text_frames
from textkin.vectors.groups.text_frames import Frames, WordNumbers, is_new

WORDS = ["red", "blue", "green", "the", "is", "#", "door", "doors", "open", *"\u674e\u7ea2\u84dd\u706f"]


def drawn(seed):
    """Some texts, the empty one and single words among them."""
    draws = random.Random(seed)
    texts = {tuple(draws.choices(WORDS, k=draws.randrange(8))) for _ in range(draws.randrange(40))}
    return [list(words) for words in sorted(texts)]


def sizes(sequences, common):
    """As ``family_sizes``, by the hashes."""
    frames = Frames.joined(WordNumbers.of(sequences).frames(common))
    families = defaultdict(set)
    for key, filling in zip(frames.keys.tolist(), frames.fillings.tolist(), strict=True):
        families[key].add(filling)
    found = [0] * len(sequences)
    for key, owner in zip(frames.keys.tolist(), frames.owners.tolist(), strict=True):
        found[owner] = max(found[owner], len(families[key]))
    return found


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_the_families_are_those_of_tuples_of_words(monkeypatch, piece):
    monkeypatch.setattr(text_frames, "_PIECE", piece)
    for seed in range(100):
        sequences = [["door"], *drawn(seed)]
        common = 1 + seed % 5
        assert sizes(sequences, common) == family_sizes(sequences, common), seed


def test_the_number_of_texts_with_a_word(monkeypatch):
    for piece in (2, 1 << 20):
        monkeypatch.setattr(text_frames, "_PIECE", piece)
        words = WordNumbers.of([["a", "b", "a"], [], ["b"], ["c", "b"]])
        assert dict(zip(words.words, words.spread.tolist(), strict=True)) == {"a": 1, "b": 3, "c": 1}


def test_what_differs_from_the_one_before():
    assert is_new(np.array([3, 3, 1, 3])).tolist() == [True, False, True, True]
    assert is_new(np.array([], dtype=np.int64)).tolist() == []
