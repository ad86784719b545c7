"""Token ids of many texts in one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Self

import numpy as np

from textkin.base.arrays import Bools, Ints, Ints32
from textkin.text.truncation import Truncate

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class FlatIds:
    """Token ids of many texts, concatenated.

    Attributes:
        ids: shape [tokens], or [tokens, 1 + G] with units.
        ends: end of each text's ids, shape [texts].
    """

    ids: Ints32
    ends: Ints

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int] | Ints32]) -> Self:
        """Concatenate one sequence of ids per text."""
        ends = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))
        total = int(ends[-1]) if len(rows) else 0
        return cls(np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=total), ends)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The texts of all parts in order; ids without units."""
        if len(parts) == 1:
            return parts[0]
        offsets = np.cumsum([0, *(len(part.ids) for part in parts)])
        ends = [part.ends + offset for part, offset in zip(parts, offsets, strict=False)]
        return cls(
            np.concatenate([np.empty(0, dtype=np.int32), *(part.ids for part in parts)]),
            np.concatenate([np.empty(0, dtype=np.int64), *ends]),
        )

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each text, shape [texts]."""
        return np.diff(self.ends, prepend=0)

    def rows(self) -> list[Ints32]:
        """The ids of each text, as views."""
        ids = self.ids
        return [ids[start:end] for start, end in pairwise((0, *self.ends.tolist()))]

    def cut(self, most: int | None, truncate: Truncate) -> Self:
        """Truncate each text to a maximum number of tokens; None for all."""
        lengths = self.lengths
        if most is None or lengths.max(initial=0) <= most:
            return self
        kept = np.minimum(lengths, most)
        starts = self.ends - (lengths if truncate is Truncate.HEAD else kept)
        ends = np.cumsum(kept)
        return type(self)(self.ids[np.arange(ends[-1]) + np.repeat(starts - ends + kept, kept)], ends)

    def without(self, token: int | None) -> Self:
        """Remove all occurrences of a token; None for none."""
        if token is None:
            return self
        keep = self.ids != token
        return self if keep.all() else self.where(keep)

    def where(self, keep: Bools) -> Self:
        """Select tokens, shape [tokens]."""
        gone = np.flatnonzero(~keep)
        return type(self)(np.delete(self.ids, gone, axis=0), self.ends - np.searchsorted(gone, self.ends))

    def replaced(self, rows: Mapping[int, Ints32]) -> Self:
        """Replace the ids of some texts, given by position."""
        own = [rows.get(place, row) for place, row in enumerate(self.rows())]
        ends = np.cumsum(np.fromiter(map(len, own), dtype=np.int64, count=len(own)))
        return type(self)(np.concatenate(own) if own else self.ids, ends)

    def framed(self, before: Ints32, after: Ints32) -> Self:
        """Add the same tokens before and after every text."""
        lengths, frame = self.lengths, len(before) + len(after)
        if not frame:
            return self
        texts = np.arange(len(self.ends))
        ends = self.ends + frame * (texts + 1)
        ids = np.empty(len(self.ids) + frame * len(texts), dtype=np.int32)
        ids[np.arange(len(self.ids)) + np.repeat(frame * texts + len(before), lengths)] = self.ids
        starts = ends - lengths - frame
        ids[starts[:, None] + np.arange(len(before))] = before
        ids[ends[:, None] - np.arange(len(after), 0, -1)] = after
        return type(self)(ids, ends)


def whole_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> FlatIds:
    """The tokenizer's ids of each text, without special tokens."""
    encodings = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    return FlatIds.of_rows([encoding.ids for encoding in encodings])
