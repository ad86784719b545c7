"""Overlapping windows of long texts, short enough for a model to read whole."""

from collections.abc import Callable, Sequence

import numpy as np

from textkin.base.arrays import Ints
from textkin.text.sentences import SentenceSpan, sentences

Lengths = Callable[[Sequence[str]], Ints]
"""Function from texts to numbers of tokens."""

_PARTS = 4


def windows_of(text: str, most: int, lengths: Lengths) -> list[SentenceSpan]:
    """Overlapping parts of a text that cover it from start to end.

    A window begins and ends at sentence boundaries, and up to half of it is in the next one too. A sentence
    of more than a quarter of the limit is halved at the space nearest to its middle, or between two
    characters if there is none, until its parts are short enough.

    Args:
        text: the text.
        most: maximum number of tokens of a window.
        lengths: counts tokens. The tokens of an empty text, such as a prompt's, count in every window.

    Returns:
        One or more windows, within the limit unless a single character has more tokens.
    """
    prompt = int(lengths([""])[0])
    room = max(most - prompt, 1)
    part = max(room // _PARTS, 1)
    spans, sizes = _pieces(text, part, lambda texts: lengths(texts) - prompt)
    while True:
        found = _joined(spans, sizes, room)
        beyond = int(lengths([text[start:end] for start, end in found]).max()) - most
        if beyond <= 0 or room == 1:
            return found
        room = max(room - beyond, 1)  # a whole may have more tokens than its parts


def _pieces(text: str, most: int, lengths: Lengths) -> tuple[list[SentenceSpan], Ints]:
    """Sentences, or parts of them, of at most ``most`` tokens, and their numbers of tokens."""
    spans = sentences(text) or [SentenceSpan(0, len(text))]
    while True:
        sizes = lengths([text[start:end] for start, end in spans])
        if all(size <= most or end - start < 2 for size, (start, end) in zip(sizes, spans, strict=True)):
            return spans, sizes
        halves = (
            _halves(text, span) if size > most else [span] for size, span in zip(sizes, spans, strict=True)
        )
        spans = [half for pair in halves for half in pair]


def _halves(text: str, span: SentenceSpan) -> list[SentenceSpan]:
    start, end = span
    if end - start < 2:
        return [span]
    middle = (start + end) // 2
    blanks = [
        place for place in (text.rfind(" ", start + 1, middle), text.find(" ", middle, end)) if place > 0
    ]
    at = min(blanks, key=lambda place: abs(place - middle), default=middle)
    return [SentenceSpan(start, at), SentenceSpan(at, end)]


def _joined(spans: Sequence[SentenceSpan], sizes: Ints, room: int) -> list[SentenceSpan]:
    """Windows of as many pieces as fit; each begins in the last half of the one before."""
    ends = np.concatenate(([0], np.cumsum(sizes)))
    windows: list[SentenceSpan] = []
    first = before = 0
    while True:
        stop = max(int(np.searchsorted(ends, ends[first] + room, side="right")) - 1, first + 1)
        if stop == before:  # the next piece doesn't fit beside the overlap
            first = before
            continue
        windows.append(SentenceSpan(spans[first].start, spans[stop - 1].end))
        if stop == len(spans):
            return windows
        again = int(np.searchsorted(ends, ends[stop] - room // 2, side="left"))
        first, before = max(min(again, stop), first + 1), stop
