"""Words that a WordPiece vocabulary knows in small pieces only: made-up words, codes, hashes.

Each piece has a vector, so nothing seems unknown. But the pieces of all such words are the same few hundred:
texts of them have nearly one mean, whatever they say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.text.flat_ids import FlatIds
from textkin.text.unknown_tokens import NOTICEABLE, Unknown

FEWEST_TOKENS = 5_000
"""A smaller vocabulary has pieces for most words, and says nothing by them."""

_LETTERS, _PIECES = 2.0, 3
"""A word of so many pieces, at least, that have so many letters each, at most, is known in pieces only; so is
one with a digit that has two pieces."""

_FEWEST = 16
"""Texts with fewer tokens of such words have vectors far enough apart."""

_LONG = 256  # characters of a text that is looked at in any case
_CODE = re.compile(r"(?=\S*\d)\S{12}")


@final
class InPieces:
    """Finds the texts that consist of such words to a noticeable share.

    Args:
        tokens: the vocabulary, each at the place of its id.
        prefix: what stands before the later pieces of a word.
    """

    def __init__(self, tokens: Sequence[str], prefix: str) -> None:
        self._tokens, self._prefix = tokens, prefix
        self._later = np.array([token.startswith(prefix) for token in tokens], dtype=bool)
        bare = [token.removeprefix(prefix) for token in tokens]
        self._letters = np.array(list(map(len, bare)), dtype=np.int64)
        self._digits = np.array([any(map(str.isdigit, token)) for token in bare], dtype=bool)

    def of(self, flat: FlatIds) -> dict[int, Unknown]:
        """What is known in pieces only, of the texts of which that is a noticeable share.

        Args:
            flat: the ids of texts, without special tokens.
        """
        ids = flat.ids
        starts = ~self._later[ids]
        starts[np.concatenate(([0], flat.ends[:-1]))[flat.lengths > 0]] = True
        word = np.cumsum(starts) - 1
        count = int(word[-1]) + 1 if len(word) else 0
        pieces = np.bincount(word, minlength=count)
        letters = np.bincount(word, weights=self._letters[ids], minlength=count)
        digits = np.bincount(word, weights=self._digits[ids], minlength=count) > 0
        odd = (pieces >= _PIECES) & (letters <= _LETTERS * pieces) | digits & (pieces > 1)
        return self._noticeable(flat, word, odd, pieces)

    def _noticeable(
        self, flat: FlatIds, word: NDArray[np.int64], odd: NDArray[np.bool_], pieces: NDArray[np.int64]
    ) -> dict[int, Unknown]:
        found: dict[int, Unknown] = {}
        lengths = flat.lengths
        inside = np.concatenate(([0], np.cumsum(odd[word])))
        tokens = inside[flat.ends] - inside[flat.ends - lengths]
        for place in np.flatnonzero((tokens >= _FEWEST) & (tokens >= NOTICEABLE * lengths)).tolist():
            start, end = int(flat.ends[place] - lengths[place]), int(flat.ends[place])
            some = [number for number in np.unique(word[start:end]).tolist() if odd[number]]
            firsts = np.searchsorted(word, some)
            parts = tuple(
                self._spelt(flat.ids[first : first + pieces[number]])
                for first, number in zip(firsts.tolist(), some, strict=True)
            )
            found[place] = Unknown(parts, tuple(pieces[some].tolist()), int(lengths[place]))
        return found

    def _spelt(self, ids: NDArray[np.int32]) -> str:
        return "".join(self._tokens[number].removeprefix(self._prefix) for number in ids.tolist())


def may_be_in_pieces(text: str) -> bool:
    """Whether a text is long, or holds what looks like a code; others are not worth a closer look."""
    return len(text) >= _LONG or _CODE.search(text) is not None
