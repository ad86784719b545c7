"""An encoder that gives its phrases by tokens, with vectors drawn from their words."""

import numpy as np

from tests.collection.phrase_files.tiny import vector
from textkin.data.protocols import PhraseTokens, PhraseVectors


class DrawnTokens:
    """Words are tokens, and runs of at most three of them are phrases."""

    name = "drawn tokens"
    nothing = None

    def __init__(self, dim=5, longest=3, *, fail_at=None):
        self.dim, self.longest_phrase, self.fail_at = dim, longest, fail_at
        self.half, self.seen = (dim + 1) // 2, 0

    def phrase_tokens(self, passages):
        self.seen += len(passages)
        if self.fail_at is not None and self.seen > self.fail_at:
            raise KeyboardInterrupt
        return [self._tokens(passage) for passage in passages]

    def phrases(self, passages):
        """The same phrases one by one, slowly."""
        return [_one_by_one(each, self.dim) for each in map(self._tokens, passages)]

    def questions(self, questions):
        rows = [vector(question, self.dim) for question in questions]
        rows = np.array(rows, dtype=np.float32).reshape(-1, self.dim)
        rows[:, 2 * (self.dim // 2) :] = 1
        return rows

    def _tokens(self, passage):
        words, offsets, start = passage.split(" "), [], 0
        for word in words:
            offsets.append((start, start + len(word)))
            start += len(word) + 1
        rows = np.array([vector(word, 2 * self.half) for word in words], dtype=np.float32)
        lengths = np.zeros(len(words), dtype=np.uint64)
        for first in range(len(words)):
            for last in range(first, min(first + self.longest_phrase, len(words))):
                if offsets[last][1] > offsets[first][0]:
                    lengths[first] |= np.uint64(1) << np.uint64(last - first)
        return PhraseTokens(np.array(offsets, dtype=np.int64), rows, lengths)


def _one_by_one(tokens, dim):
    width, half = dim // 2, (dim + 1) // 2
    offsets, rows = [np.empty((0, 2), dtype=np.int64)], [np.empty((0, dim), dtype=np.float32)]
    for first in range(len(tokens)):
        for length in range(64):
            if int(tokens.lengths[first]) >> length & 1:
                begin, end = tokens.vectors[first, :half], tokens.vectors[first + length, half:]
                both = (begin + end)[width:]
                rows.append(np.concatenate((begin[:width], end[:width], both))[None])
                offsets.append([[tokens.offsets[first, 0], tokens.offsets[first + length, 1]]])
    return PhraseVectors(np.concatenate(offsets), np.concatenate(rows))
