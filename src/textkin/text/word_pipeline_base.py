"""What pipelines share that give each word its ids by itself, whatever they take for a word."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.data.protocols import Side
from textkin.text.truncation import Truncate, check_length, kept
from textkin.text.unknown_tokens import Unknown, UnknownOf, retold


class CountsWords(ABC):
    """A pipeline without prompts and special tokens, whose limit is that of each text for itself.

    Args:
        max_length: the most ids of a text; None for all.
        truncate: what is kept of a longer text.
    """

    reads_pairs = False
    adds_unknown = True  # unknown words have no id, or share one

    def __init__(self, max_length: int | None, truncate: Truncate = Truncate.HEAD) -> None:
        check_length(max_length)
        self.max_length, self.truncate = max_length, truncate

    @abstractmethod
    def _whole(self, text: str) -> list[int] | NDArray[np.int32]:
        """The ids of a text before it is cut, with their units where there is a spelling."""

    @abstractmethod
    def _unknown(self, text: str) -> Unknown | None:
        """What is unknown of a text; None where all is known."""

    def read(
        self, texts: Sequence[str], *, side: Side = Side.TEXT
    ) -> tuple[list[NDArray[np.int32]], UnknownOf]:
        """The ids of each text, and what is unknown of it.

        What has no id is looked up again as :func:`retold` has it.
        """
        texts = [retold(text, lambda part: self._unknown(part) is not None) for text in texts]
        found = {place: self._unknown(text) for place, text in enumerate(texts)}
        return self.ids(texts, side=side), {place: one for place, one in found.items() if one is not None}

    @property
    def max_tokens(self) -> int | None:
        """The most ids of a text."""
        return self.max_length

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The ids of each text before it is cut. Shape [texts]."""
        del side
        return np.fromiter((len(self._whole(text)) for text in texts), np.int64, len(texts))

    def ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[NDArray[np.int32]]:
        """The ids of each text, shape [its tokens], or [its tokens, 1 + G] with a spelling."""
        del side
        keep = kept(self.max_length, self.truncate)
        return [np.array(self._whole(text)[keep], dtype=np.int32) for text in texts]

    def unknown(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> UnknownOf:
        """What is unknown of texts."""
        return self.read(texts, side=side)[1]
