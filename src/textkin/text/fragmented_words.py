"""Words that a WordPiece vocabulary knows only in small pieces: made-up words, codes, hashes.

Each piece has a vector, so no token counts as unknown. But all such words consist of the same few hundred
pieces, so texts of them have nearly the same mean, whatever they say.
"""

import re
from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Bools, Ints, Ints32
from textkin.text.flat_ids import FlatIds
from textkin.text.unknown_tokens import NOTICEABLE, Unknown

FEWEST_TOKENS = 5_000
"""Minimum size of a vocabulary. Smaller ones have pieces for most words, so pieces mean nothing."""

_LETTERS, _PIECES = 2.0, 3
"""Maximum letters per piece, and minimum number of pieces, of a word known only in pieces.

A word with a digit needs only two pieces.
"""

_FEWEST = 16
"""Texts with fewer tokens of such words have sufficiently distinct vectors."""

_LONG = 256  # characters; longer texts are always checked
_CODE = re.compile(r"(?=\S*\d)\S{12}")


class InPieces:
    """Detection of texts with a noticeable proportion of such words.

    Args:
        tokens: the vocabulary, by id.
        prefix: prefix of the later pieces of a word.
    """

    def __init__(self, tokens: Sequence[str], prefix: str) -> None:
        self._tokens, self._prefix = tokens, prefix
        self._later = np.array([token.startswith(prefix) for token in tokens], dtype=bool)
        bare = [token.removeprefix(prefix) for token in tokens]
        self._letters = np.array(list(map(len, bare)), dtype=np.int64)
        self._digits = np.array([any(map(str.isdigit, token)) for token in bare], dtype=bool)

    def of(self, flat: FlatIds) -> dict[int, Unknown]:
        """The words known only in pieces, for texts with a noticeable proportion of them.

        Args:
            flat: ids of texts, without special tokens.
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

    def _noticeable(self, flat: FlatIds, word: Ints, odd: Bools, pieces: Ints) -> dict[int, Unknown]:
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

    def _spelt(self, ids: Ints32) -> str:
        return "".join(self._tokens[number].removeprefix(self._prefix) for number in ids.tolist())


def may_be_in_pieces(text: str) -> bool:
    """True if a text is long, or contains something like a code; others need no check."""
    return len(text) >= _LONG or _CODE.search(text) is not None
