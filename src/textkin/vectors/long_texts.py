"""Comparison of texts longer than an encoder reads, by overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Self

import numpy as np

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.data.protocols import Encoder, ReadsTokens
from textkin.text.text_windows import windows_of
from textkin.text.truncation_account import Truncation, counted, lengths_of

Numbers = Ints

WINDOW = 512
"""Window length in tokens for encoders that read whole texts.

The mean over thousands of tokens reflects a text's topic more than its statements. Shorter windows separate
texts that differ in one sentence (results/long-texts.toml).
"""

_CELLS = 1 << 20  # maximum size of the cosine tables, and of the vectors beside them, in memory at once


class LongTexts(StrEnum):
    """Treatment of pairs with a text longer than the encoder reads.

    Example:
        >>> import textkin as tk
        >>> tk.dedupe(["a long text", "another one"], threshold=0.9, long="windows").kept.tolist()
        [0, 1]
    """

    WITHHOLD = "withhold"  # they are excluded and counted: nothing is known of the truncated part
    WINDOWS = "windows"  # their texts are compared whole, in overlapping windows
    ACCEPT = "accept"  # the encoder's vector of the part it reads decides


@dataclass(frozen=True, slots=True, eq=False)
class EncoderInput:
    """The encoder's input for some texts.

    Attributes:
        texts: input for each text: the text itself, or its first window.
        further: the other windows, text by text.
        starts: first other window of each text. Shape [texts + 1].
        unread: True for texts that are not read to the end. Shape [texts].
        account: report of texts longer than the encoder reads; None if it doesn't report its limit.
    """

    texts: Sequence[str]
    further: Sequence[str]
    starts: Numbers
    unread: Bools
    account: Truncation | None


def encoder_input(
    texts: Sequence[str], encoder: Encoder, long: LongTexts, *, times: Numbers | None = None
) -> EncoderInput:
    """The encoder's input for documents.

    Args:
        texts: the documents.
        encoder: the encoder, which may report its token limit.
        long: treatment of longer texts. With ``WINDOWS`` and an encoder that reads whole texts, windows have
            ``WINDOW`` tokens.
        times: number of occurrences of each text, for the counts. Shape [texts].
    """
    times = np.ones(len(texts), dtype=np.int64) if times is None else times
    none = np.zeros(len(texts), dtype=bool)
    if not isinstance(encoder, ReadsTokens):
        return EncoderInput(texts, (), np.zeros(len(texts) + 1, dtype=np.int64), none, None)
    if encoder.max_tokens is None:
        account, longer = Truncation(encoder.name, int(times.sum())), none
        if long is LongTexts.WINDOWS:
            longer = _beyond(WINDOW, texts, encoder)
    else:
        lengths = lengths_of(encoder, texts)
        account, longer = counted(encoder, np.repeat(lengths, times)), lengths > encoder.max_tokens
    if long is LongTexts.WINDOWS:
        return _in_windows(texts, encoder, np.flatnonzero(longer), account)
    unread = longer if long is LongTexts.WITHHOLD else none
    return EncoderInput(texts, (), np.zeros(len(texts) + 1, dtype=np.int64), unread, account)


def _beyond(most: int, texts: Sequence[str], encoder: ReadsTokens) -> Bools:
    """True for texts with more tokens than ``most``.

    Texts with fewer characters than that are not tokenised.
    """
    found = np.fromiter((len(text) > most for text in texts), bool, len(texts))
    asked = np.flatnonzero(found)
    found[asked] = lengths_of(encoder, [texts[place] for place in asked.tolist()]) > most
    return found


def _in_windows(
    texts: Sequence[str], encoder: ReadsTokens, longer: Numbers, account: Truncation
) -> EncoderInput:
    most = encoder.max_tokens or WINDOW
    standing, further = list(texts), []
    counts = np.zeros(len(texts), dtype=np.int64)
    unread = np.zeros(len(texts), dtype=bool)
    for place in longer.tolist():
        text = texts[place]
        spans = windows_of(text, most, partial(lengths_of, encoder))
        standing[place], *others = windows = [text[start:end] for start, end in spans]
        further += others
        counts[place] = len(others)
        unread[place] = lengths_of(encoder, windows).max() > most  # a single character has more tokens
    starts = np.concatenate(([0], np.cumsum(counts)))
    return EncoderInput(standing, further, starts, unread, replace(account, windows=len(further)))


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The vectors of texts, some of which have several windows.

    Attributes:
        first: vectors of each text's first or only window. Shape [texts, dim].
        further: vectors of the other windows. Shape [windows, dim].
        starts: first other window of each text. Shape [texts].
        ends: end of each text's other windows. Shape [texts].
    """

    first: Floats32
    further: Floats32
    starts: Numbers
    ends: Numbers

    @classmethod
    def single(cls, vectors: Floats32) -> Self:
        """Texts of one window each, from their vectors, shape [texts, dim]."""
        none = np.zeros(len(vectors), dtype=np.int64)
        return cls(vectors, vectors[:0], none, none)

    def of(self, texts: Numbers) -> Windows:
        """The windows of selected texts."""
        return Windows(self.first[texts], self.further, self.starts[texts], self.ends[texts])

    @property
    def counts(self) -> Numbers:
        """The number of windows of each text. Shape [texts]."""
        return self.ends - self.starts + 1

    def units(self, texts: Numbers) -> Floats:
        """The unit vectors of all windows of texts, padded with zeros. Shape [texts, windows, dim]."""
        counts = self.ends[texts] - self.starts[texts]
        found = np.zeros((len(texts), 1 + int(counts.max(initial=0)), self.first.shape[1]))
        found[:, 0] = self.first[texts]
        for row, (text, count) in enumerate(zip(texts.tolist(), counts.tolist(), strict=True)):
            found[row, 1 : 1 + count] = self.further[self.starts[text] : self.ends[text]]
        norms = np.sqrt(np.vecdot(found, found))[..., None]
        return np.divide(found, norms, out=np.zeros_like(found), where=norms > 0)


def rescored(scores: Floats32, one: Windows, other: Windows, a: Numbers, b: Numbers) -> Floats32:
    """Scores over all windows: the best in-order alignment of the windows of two texts.

    An alignment leads from both first windows to both last ones, and each step advances by one window in one
    text or in both. It is worth the lowest cosine of the windows that it pairs. The score is that of the best
    alignment. So two texts reach a threshold exactly if each window of one can be aligned, in order, with one
    or more windows of the other that reach it.

    Args:
        scores: the cosine of each pair's first windows. Shape [pairs].
        one: windows of one set of texts.
        other: windows of the other set, or the same ones.
        a: number of a text in ``one``. Shape [pairs].
        b: number of a text in ``other``. Shape [pairs].
    """
    if not len(one.further) and not len(other.further):
        return scores
    several = np.flatnonzero((one.ends > one.starts)[a] | (other.ends > other.starts)[b])
    found = np.array(scores)
    a_counts, b_counts = one.counts[a], other.counts[b]
    for block in _blocks(several, a_counts, b_counts, one.first.shape[1]):
        units = one.units(a[block]), other.units(b[block])
        found[block] = _best_ways(*units, a_counts[block], b_counts[block])
    return found


def _blocks(pairs: Numbers, a_counts: Numbers, b_counts: Numbers, dim: int) -> Iterator[Numbers]:
    """Yield batches of pairs with similar numbers of windows whose tables fit into memory."""
    sizes = a_counts * b_counts + (a_counts + b_counts) * dim
    order = pairs[np.lexsort((b_counts[pairs], a_counts[pairs]))]
    start = 0
    while start < len(order):
        stop, largest = start, 0
        while stop < len(order):
            largest = max(largest, int(sizes[order[stop]]))
            if stop > start and (stop + 1 - start) * largest > _CELLS:
                break
            stop += 1
        yield order[start:stop]
        start = stop


def _best_ways(a: Floats, b: Floats, a_counts: Numbers, b_counts: Numbers) -> Floats32:
    """The value of the best alignment of each pair. Shapes [pairs, windows, dim] to [pairs]."""
    cosines = np.clip(a @ b.transpose(0, 2, 1), -1, 1)
    pairs, rows, columns = cosines.shape
    worth = np.full((pairs, rows + 1, columns + 1), -np.inf)  # no alignment starts before the first windows
    worth[:, 0, 0] = np.inf
    for diagonal in range(rows + columns - 1):
        row = np.arange(max(0, diagonal - columns + 1), min(rows, diagonal + 1))
        column = diagonal - row
        before = np.maximum(worth[:, row, column + 1], worth[:, row + 1, column])
        np.maximum(before, worth[:, row, column], out=before)
        worth[:, row + 1, column + 1] = np.minimum(cosines[:, row, column], before)
    return worth[np.arange(pairs), a_counts, b_counts].astype(np.float32)
