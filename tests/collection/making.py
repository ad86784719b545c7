"""A small collection with judged queries, in which words and vectors are both informative."""

from __future__ import annotations

import numpy as np

from textkin.data.entry_records import Entry
from textkin.data.records import Qrels

WORDS = [
    *("ice", "snow", "winter", "cold", "frost", "storm", "fire", "heat", "summer", "sun", "desert"),
    *("bread", "butter", "cheese", "milk", "apple", "pear", "train", "bus", "car", "road", "bridge"),
    *("lake", "sea", "boat", "fish", "bird", "cat", "dog", "horse", "cow", "sheep", "house", "door"),
    *("roof", "garden", "tree", "flower", "leaf", "book", "page", "letter", "word", "song", "music"),
    *("piano", "drum", "ball", "game", "team", "goal", "doctor", "nurse", "sand", "river", "window"),
]


def judged(entries=90, queries=80, seed=0):
    """Entries, the texts of queries, and the relevant entries of each; a quarter has none."""
    rng = np.random.default_rng(seed)
    texts = [rng.choice(WORDS, 7, replace=False).tolist() for _ in range(entries)]
    asked, relevant = {}, {}
    for number in range(queries):
        target = int(rng.integers(entries))
        known = number % 4 > 0
        words = rng.choice(texts[target], 3, replace=False).tolist() if known else []
        asked[f"q{number}"] = " ".join([*words, *rng.choice(WORDS, 2 if known else 4).tolist()])
        relevant[f"q{number}"] = {f"e{target}": int(known)}
    found = [Entry(f"e{number}", " ".join(words)) for number, words in enumerate(texts)]
    return found, asked, Qrels.from_dict(relevant)


class Letters:
    """An encoder of letter counts."""

    name, dim = "letters", 26

    def encode(self, texts, *, side="document"):
        return np.array([[text.count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)

    def score(self, pairs):
        return np.zeros(len(pairs), np.float32)


class Shared:
    """A scorer of pairs: the number of common words, and a little for length, so that few are equal."""

    name = "shared"

    def score(self, pairs):
        return np.array([len(set(a.split()) & set(b.split())) - len(b) / 100 for a, b in pairs], np.float32)
