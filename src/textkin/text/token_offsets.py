"""Tokens with their positions in the text, for span models.

Ids suffice to compare texts. To locate the words that answer a question, tokens must be mapped back to
characters of the original text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Ints, Ints32


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The tokens of a text, without special tokens or truncation.

    Attributes:
        ids: token ids, with their units if the pipeline spells tokens. Shape [T] or [T, 1 + G].
        offsets: start and end of each token. Shape [T, 2].
    """

    ids: Ints32
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets)

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last token that overlap [start, end), or None."""
        first = int(np.searchsorted(self.offsets[:, 1], start, side="right"))
        last = int(np.searchsorted(self.offsets[:, 0], end, side="left")) - 1
        return (first, last) if first <= last else None


def places_of(tokens: Sequence[str], text: str) -> Ints | None:
    """The positions of tokens split from a text; None if one is not a part of it. Shape [T, 2]."""
    places = np.empty((len(tokens), 2), dtype=np.int64)
    at = 0
    for number, token in enumerate(tokens):
        start = text.find(token, at)
        if start < 0:
            return None
        at = start + len(token)
        places[number] = start, at
    return places
