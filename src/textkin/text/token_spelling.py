"""Spelling of tokens: their characters or character n-grams, as ids of embedding rows.

Models that read spelling (letter trigrams, character networks, n-gram vectors of unknown words) receive these
units with each token's id, including words missing from the vocabulary.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Ints32
from textkin.base.errors import UsageError
from textkin.text.stable_hash import stable_hash
from textkin.text.tokenisers import character_ngrams


class Units(StrEnum):
    """Unit of a spelling."""

    CHARACTERS = "characters"  # in order
    NGRAMS = "ngrams"  # n-grams of <word>, hashed


@dataclass(frozen=True, slots=True)
class TokenSpelling:
    """The spelling of tokens as units.

    Attributes:
        units: characters or n-grams.
        rows: number of rows; ids go from 1 to ``rows`` - 1, and 0 is padding.
        most: maximum number of units of a token; the first ones are kept.
        lengths: shortest and longest n-gram.

    Raises:
        UsageError: a number is out of range.
    """

    units: Units
    rows: int
    most: int
    lengths: tuple[int, int] = (3, 3)

    def __post_init__(self) -> None:
        if self.rows < 2 or self.most < 1 or not 1 <= self.lengths[0] <= self.lengths[1]:
            raise UsageError(
                f"rows={self.rows}, most={self.most}, lengths={self.lengths} make no spelling",
                fix="give 2 rows or more, 1 unit or more, and 1 <= shortest <= longest",
            )

    def ids(self, token: str) -> Ints32:
        """The units of a token, padded with zeros. Shape [most]."""
        found = np.zeros(self.most, dtype=np.int32)
        if self.units is Units.CHARACTERS:
            units = [1 + ord(character) % (self.rows - 1) for character in token[: self.most]]
        else:
            parts = character_ngrams(token, *self.lengths)[: self.most]
            units = [1 + stable_hash(part) % (self.rows - 1) for part in parts]
        found[: len(units)] = units
        return found

    def to_dict(self) -> dict[str, Any]:
        """The attributes as JSON-compatible values."""
        return {
            "units": self.units.value,
            "rows": self.rows,
            "most": self.most,
            "lengths": list(self.lengths),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read the result of :meth:`to_dict`."""
        low, high = values["lengths"]
        return cls(Units(values["units"]), rows=values["rows"], most=values["most"], lengths=(low, high))


def spelling_to_dict(spelling: TokenSpelling | None) -> dict[str, Any]:
    """The spelling's entry in a pipeline's configuration, if there is one."""
    return {} if spelling is None else {"spelling": spelling.to_dict()}


def spelling_from_dict(config: Mapping[str, Any]) -> TokenSpelling | None:
    """Read the entry of :func:`spelling_to_dict` from a pipeline's configuration."""
    return TokenSpelling.from_dict(config["spelling"]) if "spelling" in config else None
