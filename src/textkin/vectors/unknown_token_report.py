"""How much of texts a model knows: the account of unknown tokens, and whom it makes doubtful."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import unknown_choice
from textkin.base.progress import note
from textkin.data.protocols import HasMembers
from textkin.text.truncation_account import system_name
from textkin.text.unknown_tokens import NOTICEABLE, UnknownOf

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
        raise unknown_choice("unknown", word, list(UnknownTexts)) from None


@runtime_checkable
class ReportsUnknown(Protocol):
    """What can say what it doesn't know of texts; encoders and scorers of this library can."""

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts, by their places."""
        ...


@runtime_checkable
class NamedReportsUnknown(ReportsUnknown, Protocol):
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
        model: how tables call the model.
        texts: how many there were.
        with_unknown: of them, those with an unknown token.
        noticeable: of them, those of which so many tokens are unknown that no score can be relied on.
        unknown_tokens: in all texts together.
    """

    model: str
    texts: int = 0
    with_unknown: int = 0
    noticeable: int = 0
    unknown_tokens: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        """The account of both together, of one model."""
        return replace(
            self,
            texts=self.texts + other.texts,
            with_unknown=self.with_unknown + other.with_unknown,
            noticeable=self.noticeable + other.noticeable,
            unknown_tokens=self.unknown_tokens + other.unknown_tokens,
        )

    def sentence(self) -> str:
        """What is unknown, in words; "" where it is too little to matter."""
        if not self.noticeable:
            return ""
        return (
            f"{self.model} doesn't know {NOTICEABLE * 100:.0f} % or more of the tokens of "
            f"{self.noticeable:,} of {self.texts:,} texts ({self.unknown_tokens:,} unknown "
            f"{'token' if self.unknown_tokens == 1 else 'tokens'} in {self.with_unknown:,} "
            f"{'text' if self.with_unknown == 1 else 'texts'})"
        )

    def tell(self) -> None:
        """Say so on standard error, if there is something to say."""
        if said := self.sentence():
            note(f"{said}; `lint()` with `model={self.model}` names them")


def coverage_of(model: Any, texts: Iterable[str], *, name: str | None = None) -> Coverage:
    """The account of texts, in bounded memory; of a model that can't tell, nothing is unknown.

    Of a model with members, it is the account of the member that knows least.

    Args:
        model: an encoder, a scorer or a classifier, or a pipeline.
        texts: what it is given.
        name: what to call it; by default its own name.
    """
    if isinstance(model, HasMembers):
        given = list(texts)
        found = (coverage_of(one, given, name=name) for one in model.members)
        return max(found, key=lambda one: one.noticeable)
    total, source = Coverage(name or system_name(model)), iter(texts)
    while window := list(islice(source, _AT_ONCE)):
        total += covered(model, window)[0]
    return total


def covered(model: Any, texts: Sequence[str]) -> tuple[Coverage, NDArray[np.bool_]]:
    """The account of texts, and which of them are doubtful. Shape [texts]."""
    doubtful = np.zeros(len(texts), dtype=bool)
    unknown = model.unknown(texts) if isinstance(model, ReportsUnknown) else {}
    doubtful[[place for place, found in unknown.items() if found.noticeable]] = True
    tokens = sum(sum(found.sizes) for found in unknown.values())
    return Coverage(system_name(model), len(texts), len(unknown), int(doubtful.sum()), tokens), doubtful
