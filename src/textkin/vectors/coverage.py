"""How much of texts a model knows: the account of unknown tokens, and whom it makes doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.progress import note
from textkin.text.unknown import NOTICEABLE, UnknownOf

_AT_ONCE = 16_384


@runtime_checkable
class Reader(Protocol):
    """What can say what it doesn't know of texts; encoders and scorers of this library can."""

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts, by their places."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of texts a model knows.

    Attributes:
        texts: how many different ones there were.
        with_unknown: of them, those with an unknown token.
        noticeable: of them, those of which so many tokens are unknown that no score can be relied on.
        unknown_tokens: in all texts together.
    """

    texts: int = 0
    with_unknown: int = 0
    noticeable: int = 0
    unknown_tokens: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        """The account of both."""
        return Coverage(
            self.texts + other.texts,
            self.with_unknown + other.with_unknown,
            self.noticeable + other.noticeable,
            self.unknown_tokens + other.unknown_tokens,
        )

    def sentence(self, model: str) -> str | None:
        """What a user should know, or None."""
        if not self.noticeable:
            return None
        return (
            f"{model} doesn't know {NOTICEABLE * 100:.0f} % or more of the tokens of {self.noticeable:,} of "
            f"{self.texts:,} texts ({self.unknown_tokens:,} unknown tokens in {self.with_unknown:,} texts)"
        )

    def tell(self, model: str) -> None:
        """Say so on standard error, if there is something to say."""
        if (sentence := self.sentence(model)) is not None:
            note(f"{sentence}; textkin lint FILE --model {model} names them")


def coverage_of(model: Any, texts: Sequence[str]) -> Coverage:
    """The account of different texts; of a model that can't tell, nothing is unknown."""
    return covered(model, texts)[0]


def covered(model: Any, texts: Sequence[str]) -> tuple[Coverage, NDArray[np.bool_]]:
    """The account of different texts, and which of them are doubtful. Shape [texts]."""
    total = Coverage(texts=len(texts))
    doubtful = np.zeros(len(texts), dtype=bool)
    if not isinstance(model, Reader):
        return total, doubtful
    for start in range(0, len(texts), _AT_ONCE):
        unknown = model.unknown(texts[start : start + _AT_ONCE])
        noticed = [start + place for place, found in unknown.items() if found.noticeable]
        doubtful[noticed] = True
        tokens = sum(sum(found.sizes) for found in unknown.values())
        total += Coverage(0, len(unknown), len(noticed), tokens)
    return total, doubtful
