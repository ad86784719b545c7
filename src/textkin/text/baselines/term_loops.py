"""Compiled loops for terms: words as runs of characters, and the n-grams of words."""

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Ints
from textkin.base.numba_cache import compiled
from textkin.text.baselines.analysers import BEGINS, GOES_ON, OUTSIDE, PAIRED_MARK, PAIRED_WORD
from textkin.text.word_loops import character, end_of, with_span

_BLANK = ord(" ")


@compiled
def cut_runs(data: NDArray[np.uint8], lengths: Ints, kinds: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Find the words of texts; see :class:`textkin.text.baselines.analysers.CharacterRuns`.

    Args:
        data: texts in UTF-8, concatenated.
        lengths: lengths of the texts in characters.
        kinds: class of each character, shape [0x110000].

    Returns:
        Start and end of each word in the data, shape [words, 2], and the end of each text's words.
    """
    spans = np.empty((len(data), 2), dtype=np.int64)  # a paired character has 3 bytes or more, for 2 words
    ends = np.empty(len(lengths), dtype=np.int64)
    ascii_only = lengths.sum() == len(data)
    found = start = 0
    for text in range(len(lengths)):
        stop = start + lengths[text] if ascii_only else end_of(data, start, lengths[text])
        found = ends[text] = _cut(data, start, stop, kinds, spans, found)
        start = stop
    return spans[:found], ends


@compiled
def ngram_spans(letters: NDArray[np.uint8], ends: Ints, sizes: Ints) -> tuple[NDArray[np.uint8], Ints, Ints]:
    """The n-grams of words padded with spaces, by length, then from left to right.

    Args:
        letters: words in UTF-8, concatenated.
        ends: word n is ``letters[ends[n] : ends[n + 1]]``, shape [words + 1].
        sizes: lengths of n-grams in characters.

    Returns:
        The padded words; start and end of each n-gram in them, shape [n-grams, 2]; and the end of each word's
        n-grams, after a 0, shape [words + 1].
    """
    words = len(ends) - 1
    padded = np.empty(ends[words] - ends[0] + 2 * words, dtype=np.uint8)
    spans = np.empty((len(sizes) * len(padded), 2), dtype=np.int64)
    word_ends = np.zeros(words + 1, dtype=np.int64)
    starts = np.empty(len(padded) + 1, dtype=np.int64)  # of the characters of one word
    place = found = 0
    for word in range(words):
        characters = 0
        for step in range(-1, ends[word + 1] - ends[word] + 1):
            inside = 0 <= step < ends[word + 1] - ends[word]
            padded[place] = letters[ends[word] + step] if inside else _BLANK
            if padded[place] & 0xC0 != 0x80:
                starts[characters] = place
                characters += 1
            place += 1
        starts[characters] = place
        for size in sizes:
            for first in range(characters - size + 1):
                spans[found, 0], spans[found, 1] = starts[first], starts[first + size]
                found += 1
        word_ends[word + 1] = found
    return padded, spans[:found], word_ends


@compiled
def _cut(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    kinds: NDArray[np.uint8],
    spans: Ints,
    found: int,
) -> int:
    """Add the words of one text; return the number of words."""
    place, inside = start, False
    word = before = -1  # start of the open word, and the preceding paired character; -1 for none
    lone = False  # True if that character is neither a word nor in a pair yet
    while place < stop:
        code, width = character(data, place)
        kind = kinds[code]
        inside = kind != OUTSIDE and (inside or (kind != GOES_ON and kind != PAIRED_MARK))
        pairs = inside and kind >= PAIRED_MARK
        if word >= 0 and (pairs or not inside):
            found = with_span(spans, found, word, place)
            word = -1
        if pairs:
            if before >= 0:
                found = with_span(spans, found, before, place + width)
            if kind == PAIRED_WORD:
                found = with_span(spans, found, place, place + width)
            lone = before < 0 and kind != PAIRED_WORD
            before = place
        else:
            if lone:
                found = with_span(spans, found, before, place)
            lone, before = False, -1
            if word < 0 and kind == BEGINS:
                word = place
        place += width
    if lone:
        found = with_span(spans, found, before, stop)
    return with_span(spans, found, word, stop) if word >= 0 else found
