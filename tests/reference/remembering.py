"""A collection as a dict, searched by a full scan."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np


class Remembered:
    """Entries by id; every search reads all."""

    def __init__(self):
        self.entries = {}

    def add(self, entries):
        self.entries |= {one.entry_id: one for one in entries}

    def remove(self, ids):
        for name in ids:
            self.entries.pop(name, None)

    def nearest(self, query, vector_of, allowed):
        """The cosine of each allowed entry; nothing for a zero query."""
        query = [float(x) for x in query]
        square = sum(x * x for x in query)
        found = {}
        for name, one in self.entries.items():
            if square == 0 or not allowed(one.metadata):
                continue
            row = [float(x) for x in vector_of(one.text)]
            size = square * sum(x * x for x in row)
            dot = sum(x * y for x, y in zip(query, row, strict=True))
            found[name] = float(np.float32(dot / math.sqrt(size))) if size else 0.0
        return found

    def words(self, query, allowed, k1=1.5, b=0.75):
        """BM25 of each allowed entry that shares a word with the query."""
        words = {name: re.findall(r"\b\w\w+\b", one.text.lower()) for name, one in self.entries.items()}
        total = sum(map(len, words.values()))
        mean = total / len(words) if total else 1.0
        found = {}
        for name, mine in words.items():
            counts, score = Counter(mine), 0.0
            for word in re.findall(r"\b\w\w+\b", query.lower()):
                if counts[word]:
                    holders = sum(word in others for others in words.values())
                    idf = math.log(1 + (len(words) - holders + 0.5) / (holders + 0.5))
                    score += idf * counts[word] / (counts[word] + k1 * (1 - b + b * len(mine) / mean))
            if score and allowed(self.entries[name].metadata):
                found[name] = score
        return found
