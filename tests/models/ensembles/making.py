"""Members with given outputs."""

from __future__ import annotations

import numpy as np

import textkin as tk


class Says:
    """A scorer of numbers by pair."""

    def __init__(self, name, told):
        self.name, self.told = name, told

    def score(self, pairs):
        return np.array([self.told[pair] for pair in pairs], dtype=np.float32)


class Sorts:
    """A classifier of probabilities by pair."""

    def __init__(self, name, labels, told):
        self.name, self.labels, self.told = name, labels, told

    def classify(self, pairs):
        return np.array([self.told[pair] for pair in pairs], dtype=np.float32)


class Reads:
    """A reader that lists (text, probability) for each question."""

    def __init__(self, name, told):
        self.name, self.told = name, told

    def read(self, questions, passages, *, k=1):
        found = []
        for question, passage in zip(questions, passages, strict=True):
            spans = [(passage.find(text) if text else 0, text, p) for text, p in self.told[question][:k]]
            found.append([tk.SpanAnswer(at, at + len(text), text, p, p) for at, text, p in spans])
        return found


class Picks:
    """A chooser of rows of numbers by question's id."""

    def __init__(self, name, told):
        self.name, self.told = name, told

    def choose(self, questions):
        widest = max(len(one.choices) for one in questions)
        rows = [[*self.told[one.question_id], *[np.nan] * widest][:widest] for one in questions]
        return np.array(rows, dtype=np.float32)
