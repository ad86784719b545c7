"""Unknown tokens of texts, looked up once per whitespace-separated word.

BERT's tokenizers split texts at spaces first, and unknown parts are split there too. So most of a text needs
no separate check, and a name or symbol that occurs in a thousand texts needs one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from textkin.base.arrays import Bools, Ints
from textkin.base.first_seen_numbers import enumerated
from textkin.text.flat_ids import FlatIds
from textkin.text.unknown_tokens import TokenSpan, Unknown, is_suspect, unknown_of

_BLANK = " "  # the space that every tokenizer of this kind splits at
_MOST = 100_000  # maximum number of cached words


@dataclass(frozen=True, slots=True, eq=False)
class KnownTokens:
    """The tokens of a text.

    Attributes:
        known: True for known tokens. Shape [tokens].
        unknown: the unknown parts, dropped tokens included; None if there are none.
    """

    known: Bools
    unknown: Unknown | None

    @classmethod
    def of(cls, text: str, spans: Sequence[TokenSpan], *, whole: bool = True) -> Self:
        """The known and unknown tokens of a text from its spans, see :func:`unknown_of`."""
        known = np.array([span.known for span in spans], dtype=bool)
        return cls(known, unknown_of(text, spans, whole=whole))


class BetweenBlanks:
    """A thread-safe cache of unknown tokens by word.

    Args:
        ids: function from texts to token ids.
        unknown_id: id of the unknown token, if there is one.
        spans: function from a text to its tokens, with flags for known ones.
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
        """The tokens of each text, not truncated."""
        pieces = [text.split(_BLANK) for text in texts]
        numbers, names = enumerated(chain.from_iterable(pieces))
        flat = self._ids(names)
        lengths, odd = flat.lengths, np.fromiter(map(is_suspect, names), dtype=bool, count=len(names))
        odd[np.searchsorted(flat.ends, np.flatnonzero(flat.ids == self._unknown_id), side="right")] = True
        ends = np.cumsum([len(each) for each in pieces])
        rows = np.split(numbers, ends[:-1]) if pieces else []
        return [self._joined(each, names, lengths[each], odd[each]) for each in rows]

    def _joined(self, pieces: Ints, names: list[str], lengths: Ints, odd: Bools) -> KnownTokens:
        """A text assembled from its words."""
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
        read = self._read.get(piece)  # another thread may evict it at any time
        if read is None:
            if len(self._read) >= _MOST:
                self._read.clear()
            read = self._read[piece] = KnownTokens.of(piece, self._spans(piece))
        return read
