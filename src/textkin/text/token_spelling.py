"""What a token is spelt with: its characters, or its character n-grams, as ids of embedding rows.

Models that read spelling (letter trigrams, character networks, n-gram vectors of unknown words) get these
units beside each token's id, for words that no vocabulary knows as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.text.stable_hash import stable_hash
from textkin.text.tokenisers import character_ngrams


class Units(StrEnum):
    """The units of a spelling."""

    CHARACTERS = "characters"  # in their order
    NGRAMS = "ngrams"  # of <word>, hashed


@final
@dataclass(frozen=True, slots=True)
class Spelling:
    """How tokens are cut into units.

    Attributes:
        units: characters or n-grams.
        rows: ids go from 1 to ``rows`` - 1; 0 is no unit.
        most: units that are kept of a token, the first ones.
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

    def ids(self, token: str) -> NDArray[np.int32]:
        """The units of a token, filled up with zeros. Shape [most]."""
        found = np.zeros(self.most, dtype=np.int32)
        if self.units is Units.CHARACTERS:
            units = [1 + ord(character) % (self.rows - 1) for character in token[: self.most]]
        else:
            parts = character_ngrams(token, *self.lengths)[: self.most]
            units = [1 + stable_hash(part) % (self.rows - 1) for part in parts]
        found[: len(units)] = units
        return found

    def to_dict(self) -> dict[str, Any]:
        """The attributes in JSON's types."""
        return {
            "units": self.units.value,
            "rows": self.rows,
            "most": self.most,
            "lengths": list(self.lengths),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What :meth:`to_dict` gave."""
        low, high = values["lengths"]
        return cls(Units(values["units"]), rows=values["rows"], most=values["most"], lengths=(low, high))


def spelling_to_dict(spelling: Spelling | None) -> dict[str, Any]:
    """A pipeline's entry for its spelling, if it has one."""
    return {} if spelling is None else {"spelling": spelling.to_dict()}


def spelling_from_dict(config: Mapping[str, Any]) -> Spelling | None:
    """What :func:`spelling_to_dict` put into a pipeline's configuration."""
    return Spelling.from_dict(config["spelling"]) if "spelling" in config else None
