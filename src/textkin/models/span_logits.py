"""Logits of first and last tokens, and the best spans by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from textkin.base.arrays import Floats, Floats32, Ints
from textkin.text.span_windows import homes


@dataclass(frozen=True, slots=True, eq=False)
class WindowLogits:
    """A network's logits for a window of a passage.

    Attributes:
        start: logits of first tokens. Shape [T].
        end: logits of last tokens. Shape [T].
        none: the logit of no answer, comparable with a span's sum; None if the network has none.
        first: the position of the window's first token in the passage.
    """

    start: Floats32
    end: Floats32
    none: float | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A span of tokens of a passage; ``first`` is -1 for no answer.

    Attributes:
        first: its first token.
        last: its last token.
        score: the sum of two logits.
        probability: its probability among all spans of all windows, and no answer.
    """

    first: int
    last: int
    score: float
    probability: float


def best_spans(windows: Sequence[WindowLogits], *, most: int | None, k: int = 1) -> list[FoundSpan]:
    """The k best spans of a passage, best first; ties go to the earlier, then the shorter.

    No answer is added if the network supports it, at the rank of its score, or after the k spans.

    The score of a span in two windows is taken from the one where it has the most context
    (:func:`textkin.text.span_windows.homes`). The probability of no answer is taken from the window with the
    strongest evidence against it, as in the evaluation of BERT on SQuAD 2.0.

    Args:
        windows: the windows of one passage; those without tokens are ignored.
        most: the maximum tokens of a span; None for no limit.
        k: the number of spans wanted.
    """
    scores: dict[tuple[int, int], float] = {}
    totals = []
    read = [window for window in windows if len(window.start)]
    for number, window in enumerate(read):
        sums = _sums(window, most)
        if len(read) > 1:
            sums[_homes(window, read, sums.shape[1]) != number] = -np.inf
        totals.append(_log_sum(sums))
        flat = sums.ravel()
        limit = np.partition(flat, -min(k, flat.size))[-min(k, flat.size)]
        places = np.flatnonzero((flat >= limit) & np.isfinite(flat))
        for where in places[np.argsort(-flat[places], kind="stable")][:k].tolist():
            first, further = divmod(where, sums.shape[1])
            span = window.first + first, window.first + first + further
            scores[span] = float(flat[where])
    nones = [window.none for window in windows if window.none is not None]
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    if nones:
        totals.append(min(nones))
        best.append(((-1, -1), min(nones)))
        best.sort(key=lambda item: (-item[1], item[0]))
    if not best:
        return []
    total = _log_sum(np.array(totals))
    return [
        FoundSpan(first, last, score, float(min(1.0, np.exp(score - total)))) for (first, last), score in best
    ]


def _sums(window: WindowLogits, most: int | None) -> Floats:
    """The logit of each span by its first token and its length, minus infinity past the end. Shape [T, W]."""
    longest = len(window.end) if most is None else min(most, len(window.end))
    ends = np.pad(window.end.astype(np.float64), (0, longest - 1), constant_values=-np.inf)
    return window.start.astype(np.float64)[:, None] + sliding_window_view(ends, longest)


def _homes(window: WindowLogits, windows: Sequence[WindowLogits], longest: int) -> Ints:
    """The window that each span belongs to. Shape [T, W]."""
    first = window.first + np.arange(len(window.start))[:, None]
    parts = [(one.first, one.first + len(one.start)) for one in windows]
    return homes(parts, *np.broadcast_arrays(first, first + np.arange(longest)))


def _log_sum(values: Floats) -> float:
    highest = float(values.max())
    return highest + float(np.log(np.exp(values - highest).sum()))
