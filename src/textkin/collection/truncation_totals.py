"""How much a model has read and known of the texts that it was given so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage


@final
@dataclass(frozen=True, slots=True)
class ReadingTotals:
    """An account of texts, some after others.

    Attributes:
        truncation: how many are longer than the model reads; None where it can't tell, or nothing was given.
        coverage: how much of them it knows; None where nothing was given.
    """

    truncation: Truncation | None = None
    coverage: Coverage | None = None

    def with_more(self, cut: Truncation | None, known: Coverage) -> ReadingTotals:
        """The account of these and further texts."""
        before = self.truncation
        return ReadingTotals(
            before if cut is None else cut if before is None else before + cut,
            known if self.coverage is None else self.coverage + known,
        )
