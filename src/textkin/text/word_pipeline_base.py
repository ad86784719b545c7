"""Base class of pipelines that give each word its own ids."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Ints, Ints32
from textkin.data.protocols import Side
from textkin.text.truncation import Truncate, check_length, kept
from textkin.text.unknown_tokens import Unknown, UnknownOf, retold


class CountsWords(ABC):
    """A pipeline without prompts and special tokens, whose limit applies to each text separately.

    Args:
        max_length: maximum number of ids of a text; None for all.
        truncate: part of a longer text to keep.
    """

    reads_pairs = False
    adds_unknown = True  # unknown words have no id, or share one

    def __init__(self, max_length: int | None, truncate: Truncate = Truncate.HEAD) -> None:
        check_length(max_length)
        self.max_length, self.truncate = max_length, truncate

    @abstractmethod
    def _whole(self, text: str) -> list[int] | Ints32:
        """The ids of a text before truncation, with their units if there is a spelling."""

    @abstractmethod
    def _unknown(self, text: str) -> Unknown | None:
        """The unknown parts of a text; None if there are none."""

    def read(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> tuple[list[Ints32], UnknownOf]:
        """The ids and the unknown parts of each text.

        Words without an id are looked up again in the form of :func:`retold`.
        """
        texts = [retold(text, lambda part: self._unknown(part) is not None) for text in texts]
        found = {place: self._unknown(text) for place, text in enumerate(texts)}
        return self.ids(texts, side=side), {place: one for place, one in found.items() if one is not None}

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of ids of a text."""
        return self.max_length

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Ints:
        """The number of ids of each text before truncation. Shape [texts]."""
        return np.fromiter((len(self._whole(text)) for text in texts), np.int64, len(texts))

    def ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Ints32]:
        """The ids of each text, shape [its tokens], or [its tokens, 1 + G] with a spelling."""
        keep = kept(self.max_length, self.truncate)
        return [np.array(self._whole(text)[keep], dtype=np.int32) for text in texts]

    def unknown(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> UnknownOf:
        """The unknown parts of texts."""
        return self.read(texts, side=side)[1]
