"""Coverage of texts by a model: counts of unknown tokens, and the texts they make unreliable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, Protocol, runtime_checkable

import numpy as np

from textkin.base.arrays import Bools
from textkin.base.counts import count, percent
from textkin.base.errors import unknown_choice
from textkin.base.progress import note
from textkin.data.protocols import HasMembers
from textkin.text.truncation_account import Truncation, note_truncation, system_name
from textkin.text.unknown_tokens import NOTICEABLE, UnknownOf

_AT_ONCE = 16_384
_RELY_ON_LITTLE = "don't rely on their scores; choose a model of their language"


class UnknownTexts(StrEnum):
    """Treatment of texts with so many unknown tokens that their scores are unreliable."""

    WITHHOLD = "withhold"  # they are paired with equal texts only
    ACCEPT = "accept"  # their vectors decide, like those of any text


def unknown_of(word: str) -> UnknownTexts:
    """The treatment with the given name.

    Raises:
        UsageError: the name is unknown.
    """
    try:
        return UnknownTexts(word)
    except ValueError:
        raise unknown_choice("unknown", word, list(UnknownTexts)) from None


@runtime_checkable
class ReportsUnknown(Protocol):
    """A model that can report unknown tokens; encoders and scorers of this library can."""

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """The unknown tokens of texts, by position."""


@runtime_checkable
class NamedReportsUnknown(ReportsUnknown, Protocol):
    """A named model that can report unknown tokens."""

    @property
    def name(self) -> str:
        """The model's name in tables."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of texts by a model.

    Attributes:
        model: the model's name in tables.
        texts: number of texts.
        with_unknown: number of texts with an unknown token.
        noticeable: number of texts with so many unknown tokens that no score is reliable.
        unknown_tokens: number of unknown tokens in all texts.
    """

    model: str
    texts: int = 0
    with_unknown: int = 0
    noticeable: int = 0
    unknown_tokens: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        """The sum of two coverages of one model."""
        return replace(
            self,
            texts=self.texts + other.texts,
            with_unknown=self.with_unknown + other.with_unknown,
            noticeable=self.noticeable + other.noticeable,
            unknown_tokens=self.unknown_tokens + other.unknown_tokens,
        )

    def sentence(self) -> str:
        """The unknown tokens in words; "" if there are too few to matter."""
        if not self.noticeable:
            return ""
        return (
            f"{self.model} doesn't know {percent(NOTICEABLE, 0)} or more of the tokens of "
            f"{self.noticeable:,} of {count(self.texts, 'text')} ({self.unknown_tokens:,} unknown "
            f"{'token' if self.unknown_tokens == 1 else 'tokens'} in {self.with_unknown:,} "
            f"{'text' if self.with_unknown == 1 else 'texts'})"
        )

    def tell(self) -> None:
        """Print the sentence to standard error unless it is empty."""
        if said := self.sentence():
            note(f"{said}; `lint()` with `model={self.model}` names them")


def coverage_of(model: Any, texts: Iterable[str], *, name: str | None = None) -> Coverage:
    """The coverage of texts, in bounded memory.

    For a model that can't report it, no token is unknown. For a model with members, it is the coverage of the
    member that knows least.

    Args:
        model: an encoder, a scorer, a classifier, or a pipeline.
        texts: the model's input.
        name: name in tables; the model's own by default.
    """
    if isinstance(model, HasMembers):
        given = list(texts)
        found = (coverage_of(one, given, name=name) for one in model.members)
        return max(found, key=lambda one: one.noticeable)
    total, source = Coverage(name or system_name(model)), iter(texts)
    while window := list(islice(source, _AT_ONCE)):
        total += covered(model, window)[0]
    return total


def covered(model: Any, texts: Sequence[str]) -> tuple[Coverage, Bools]:
    """The coverage of texts, and flags for unreliable ones. Shape [texts]."""
    doubtful = np.zeros(len(texts), dtype=bool)
    unknown = model.unknown(texts) if isinstance(model, ReportsUnknown) else {}
    doubtful[[place for place, found in unknown.items() if found.noticeable]] = True
    tokens = sum(sum(found.sizes) for found in unknown.values())
    return Coverage(system_name(model), len(texts), len(unknown), int(doubtful.sum()), tokens), doubtful


def note_accounts(truncations: Iterable[Truncation | None], coverages: Iterable[Coverage | None]) -> None:
    """Note for each model how many texts it cuts, and how many it knows too little of, if any."""
    for cut in truncations:
        note_truncation(cut)
    for known in coverages:
        if known is not None and (said := known.sentence()):
            note(f"{said}; {_RELY_ON_LITTLE}")
