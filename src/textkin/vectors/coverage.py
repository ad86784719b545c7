"""How much of texts a model knows: the account of unknown tokens, and whom it makes doubtful."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError, did_you_mean
from textkin.progress import note
from textkin.text.unknown import NOTICEABLE, UnknownOf

_AT_ONCE = 16_384


class UnknownTexts(StrEnum):
    """What becomes of texts of which so much is unknown that no score can be relied on."""

    WITHHOLD = "withhold"  # they are paired with equal texts only
    ACCEPT = "accept"  # their vectors decide, as those of any text


def unknown_of(word: str) -> UnknownTexts:
    """What a user's word means.

    Raises:
        UsageError: it is neither.
    """
    try:
        return UnknownTexts(word)
    except ValueError:
        raise UsageError(f"unknown is {word!r}", fix=did_you_mean(word, list(UnknownTexts))) from None


@runtime_checkable
class Reader(Protocol):
    """What can say what it doesn't know of texts; encoders and scorers of this library can."""

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts, by their places."""
        ...


@runtime_checkable
class NamedReader(Reader, Protocol):
    """A reader with a name."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of texts a model knows.

    Attributes:
        texts: how many there were.
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


def coverage_of(model: Any, texts: Iterable[str]) -> Coverage:
    """The account of texts, in bounded memory; of a model that can't tell, nothing is unknown."""
    total, source = Coverage(), iter(texts)
    while window := list(islice(source, _AT_ONCE)):
        total += covered(model, window)[0]
    return total


def covered(model: Any, texts: Sequence[str]) -> tuple[Coverage, NDArray[np.bool_]]:
    """The account of texts, and which of them are doubtful. Shape [texts]."""
    doubtful = np.zeros(len(texts), dtype=bool)
    unknown = model.unknown(texts) if isinstance(model, Reader) else {}
    doubtful[[place for place, found in unknown.items() if found.noticeable]] = True
    tokens = sum(sum(found.sizes) for found in unknown.values())
    return Coverage(len(texts), len(unknown), int(doubtful.sum()), tokens), doubtful
