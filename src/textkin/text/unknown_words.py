"""What is unknown of texts, by way of what stands between their blanks.

BERT's tokenizers part texts at blanks before anything else, and so do parts of what is unknown. So most of a
text needs no closer look, and the same name or symbol in a thousand texts needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.first_seen_numbers import enumerated
from textkin.text.flat_ids import FlatIds
from textkin.text.unknown_tokens import TokenSpan, Unknown, is_suspect, unknown_of

_BLANK = " "  # of all blanks the one that every tokenizer of this kind parts texts at
_MOST = 100_000  # pieces that are remembered


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownTokens:
    """The tokens of a text.

    Attributes:
        known: which of them are known. Shape [tokens].
        unknown: what is not, with tokens that were dropped; None if all is.
    """

    known: NDArray[np.bool_]
    unknown: Unknown | None

    @classmethod
    def of(cls, text: str, spans: Sequence[TokenSpan], *, whole: bool = True) -> Self:
        """What spans say of a text; see :func:`unknown_of`."""
        known = np.array([span.known for span in spans], dtype=bool)
        return cls(known, unknown_of(text, spans, whole=whole))


@final
class BetweenBlanks:
    """Reads texts piece by piece; threads may share it.

    Args:
        ids: the token ids of texts.
        unknown_id: the id of an unknown token, if there is one.
        spans: the tokens of a text, with what is known of them.
    """

    def __init__(
        self,
        ids: Callable[[Sequence[str]], FlatIds],
        unknown_id: int | None,
        spans: Callable[[str], Sequence[TokenSpan]],
    ) -> None:
        self._ids, self._unknown_id, self._spans = ids, unknown_id, spans
        self._read: dict[str, KnownTokens] = {}

    def read(self, texts: Sequence[str]) -> list[KnownTokens]:
        """The tokens of each text, uncut."""
        pieces = [text.split(_BLANK) for text in texts]
        numbers, names = enumerated(chain.from_iterable(pieces))
        flat = self._ids(names)
        lengths, odd = flat.lengths, np.fromiter(map(is_suspect, names), dtype=bool, count=len(names))
        odd[np.searchsorted(flat.ends, np.flatnonzero(flat.ids == self._unknown_id), side="right")] = True
        ends = np.cumsum([len(each) for each in pieces])
        rows = np.split(numbers, ends[:-1]) if pieces else []
        return [self._joined(each, names, lengths[each], odd[each]) for each in rows]

    def _joined(
        self, pieces: NDArray[np.int64], names: list[str], lengths: NDArray[np.int64], odd: NDArray[np.bool_]
    ) -> KnownTokens:
        """One text of its pieces."""
        starts = np.cumsum(lengths) - lengths
        known = np.ones(int(lengths.sum()), dtype=bool)
        parts: list[str] = []
        sizes: list[int] = []
        for place in np.flatnonzero(odd).tolist():
            read = self._of_piece(names[pieces[place]])
            known[starts[place] : starts[place] + lengths[place]] = read.known
            if read.unknown is not None:
                parts += read.unknown.parts
                sizes += read.unknown.sizes
        unknown = Unknown(tuple(parts), tuple(sizes), int(known.sum()) + sum(sizes)) if parts else None
        return KnownTokens(known, unknown)

    def _of_piece(self, piece: str) -> KnownTokens:
        read = self._read.get(piece)  # another thread may forget it at any time
        if read is None:
            if len(self._read) >= _MOST:
                self._read.clear()
            read = self._read[piece] = KnownTokens.of(piece, self._spans(piece))
        return read
