"""Tokens with the places in the text that they stand at, for models that point at words.

Ids alone are enough to compare texts. To say which words answer a question, the way back from a token to the
characters of the untouched text is needed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The tokens of a text, uncut and without special ones.

    Attributes:
        ids: token ids, with their units where the pipeline spells tokens. Shape [T] or [T, 1 + G].
        offsets: the first character of each token, and the one after its last. Shape [T, 2].
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets)

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last token that have a character of [start, end), or None."""
        first = int(np.searchsorted(self.offsets[:, 1], start, side="right"))
        last = int(np.searchsorted(self.offsets[:, 0], end, side="left")) - 1
        return (first, last) if first <= last else None


def places_of(tokens: Sequence[str], text: str) -> NDArray[np.int64] | None:
    """Where tokens cut from a text stand in it; None where one is no part of it. Shape [T, 2]."""
    places = np.empty((len(tokens), 2), dtype=np.int64)
    at = 0
    for number, token in enumerate(tokens):
        start = text.find(token, at)
        if start < 0:
            return None
        at = start + len(token)
        places[number] = start, at
    return places
