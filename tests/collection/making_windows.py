"""An encoder of a plane with a limit of eight words, so that longer texts are in windows."""

from __future__ import annotations

import numpy as np


class Turns:
    """Words such as "12": a text's direction is the mean of those of its first eight words."""

    name, dim, max_tokens, reads_pairs = "turns", 2, 8, False

    def lengths(self, texts, *, side="document"):
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def encode(self, texts, *, side="document"):
        return np.array([direction(text) for text in texts], dtype=np.float32).reshape(-1, 2)

    def score(self, pairs):
        return np.zeros(len(pairs), np.float32)


def direction(text):
    """The mean of the directions of the numbers among the first eight words."""
    angles = [np.radians(float(word)) for word in text.split()[:8] if word.strip("-").isdigit()]
    return [float(sum(map(f, angles))) / max(len(angles), 1) for f in (np.cos, np.sin)]
