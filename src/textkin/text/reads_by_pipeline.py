"""How much of a text is read, where a pipeline decides that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import Side
from textkin.text.pipeline import TextPipeline
from textkin.text.unknown_tokens import UnknownOf


class ReadsByPipeline:
    """A system that reads as much of a text as its pipeline: the ``ReadsTokens`` of all that have one."""

    _pipeline: TextPipeline

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that it reads, special ones aside; None where it reads whole texts."""
        return self._pipeline.max_tokens

    @property
    def reads_pairs(self) -> bool:
        """Whether that is the limit of two texts together, as of a cross-encoder."""
        return self._pipeline.reads_pairs

    @one_or_several
    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The tokens of each text before it is cut, special ones aside. Shape [texts]."""
        return self._pipeline.lengths(texts, side=side)

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts."""
        return self._pipeline.unknown(texts)
