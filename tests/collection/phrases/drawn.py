"""Vectors in clusters, and an encoder that returns them: passage n has the n-th of them."""

import numpy as np

from textkin.collection.phrases.build import PhraseData
from textkin.data.protocols import PhraseVectors


def clustered(rows, dim, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((30, dim)) / np.sqrt(1 + np.arange(dim))
    found = centres[rng.integers(0, 30, rows)] + 0.4 * rng.standard_normal((rows, dim)) / np.sqrt(
        1 + np.arange(dim)
    )
    return found.astype(np.float32)


class Drawn:
    """A number of phrases per passage, whose texts are their number's letters."""

    name = "drawn"

    def __init__(self, rows, *, each, stop=None):
        self.rows, self.each, self.dim, self.stop = rows, each, rows.shape[1], stop
        self.passages_seen = 0

    def phrases(self, passages):
        found = []
        for passage in passages:
            self.passages_seen += 1
            if self.stop is not None and self.passages_seen > self.stop:
                raise KeyboardInterrupt
            number = int(passage.split(" ")[0])
            rows = self.rows[number * self.each : (number + 1) * self.each]
            places = np.arange(len(rows))
            found.append(PhraseVectors(np.stack((places, places + 1), axis=1), rows))
        return found

    def questions(self, questions):
        return np.array([self.rows[int(question)] for question in questions])

    def data(self, **more):
        count = -(-len(self.rows) // self.each)
        texts = [(f"p{number}", f"{number} " + "abcdefghij" * self.each) for number in range(count)]
        return PhraseData(lambda: iter(texts), count, "data", "model", **more)
