"""The drift between two models on the canaries, and its limits.

The bounds were chosen by measurement, see ``docs/formats.md``: between the effect of 16-bit copies on
vectors, and that of the gentlest 8-bit copy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import percent
from textkin.base.errors import ModelError
from textkin.base.json_fields import number, text
from textkin.text.baselines.mean_pooling import row_cosines

Measure = Literal["cosine", "difference"]

_NETWORK = 1 - 5e-4
_TABLE = 1 - 2e-5
_LENGTH = 0.01
_SPREAD = 0.05
_ROUNDING = 1e-6
_AGAIN = "make it again: `verify()` with `out`"


@dataclass(frozen=True, slots=True)
class DriftRule:
    """The maximum drift of a copy from its original.

    Attributes:
        measure: "cosine" of the two vectors of a text, or "difference" of the two scores of a pair.
        bound: the lowest cosine, or the largest difference, allowed for a copy on any canary.
        length: the maximum relative difference of a vector's length; not used for scores.
    """

    measure: Measure
    bound: float
    length: float = _LENGTH

    @classmethod
    def of_vectors(cls, *, is_table: bool) -> Self:
        """The rule for vectors, stricter for means of a table, which 8 bits hardly change."""
        return cls("cosine", _TABLE if is_table else _NETWORK)

    @classmethod
    def of_scores(cls, scores: Floats32) -> Self:
        """The rule for scores, relative to their spread. Shape [pairs, outputs]."""
        spread = float(scores.astype(np.float64).std(axis=0).max(initial=0.0))
        return cls("difference", max(_SPREAD * spread, _ROUNDING))

    @property
    def is_table(self) -> bool:
        """True for the rule of vectors that are means of a table."""
        return self.measure == "cosine" and self.bound == _TABLE

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        return {"measure": self.measure, "bound": self.bound, "length": self.length}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], path: Path | str) -> Self:
        """Parse the result of :meth:`to_dict`.

        Raises:
            ModelError: a value is missing or invalid.
        """
        measure = text(values, "measure", path)
        if measure not in ("cosine", "difference"):
            raise ModelError(
                f"rule.measure is {measure!r}, expected cosine or difference",
                path=path,
                params=("measure",),
                value=measure,
            )
        bound, length = number(values, "bound", path), number(values, "length", path)
        if not (_NETWORK <= bound <= 1 if measure == "cosine" else bound >= 0):
            raise ModelError(
                f"rule.bound is {bound:g}, which tells no two models apart", path=path, fix=_AGAIN
            )
        if not 0 <= length <= _LENGTH:
            raise ModelError(f"rule.length is {length:g}, expected 0 to {_LENGTH:g}", path=path, fix=_AGAIN)
        return cls("cosine" if measure == "cosine" else "difference", bound, length)


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of a model from its passport on the canaries.

    Attributes:
        measure: see :class:`DriftRule`.
        bound: see :class:`DriftRule`.
        count: the number of canaries.
        mean: the mean of the measure.
        worst: the lowest cosine, or the largest difference; NaN if a number isn't finite.
        worst_at: the canary with this value, from 0.
        length: the largest relative difference of the lengths of two vectors; 0 for scores.
        accepted: True if the rule takes them for the same model.
    """

    measure: Measure
    bound: float
    count: int
    mean: float
    worst: float
    worst_at: int
    length: float
    accepted: bool

    @property
    def is_rounding(self) -> bool:
        """True if both differ only by rounding: then they are equivalent."""
        near = self.worst >= 1 - _ROUNDING if self.measure == "cosine" else self.worst <= _ROUNDING
        return self.accepted and near

    @property
    def words(self) -> str:
        """The drift in words."""
        what = "lowest" if self.measure == "cosine" else "largest"
        found = (
            f"mean {self.measure} {self.mean:.6f}, {what} {self.worst:.6f} (canary {self.worst_at + 1} of "
            f"{self.count}), bound {self.bound:.6g}"
        )
        return found + (f", lengths differ by {percent(self.length, 2)}" if self.length > _ROUNDING else "")


def drift(rule: DriftRule, ours: Floats32, theirs: Floats32) -> Drift:
    """Compare a passport's rows with a model's outputs, shape [canaries, width] each.

    Two zero vectors are equal; a zero vector and another aren't.

    Raises:
        ModelError: the shapes differ.

    Example:
        >>> import numpy as np
        >>> rows = np.eye(3, dtype=np.float32)
        >>> drift(DriftRule.of_vectors(is_table=False), rows, rows).is_rounding
        True
    """
    if ours.shape != theirs.shape:
        raise ModelError(
            f"the model gives rows of shape {list(theirs.shape)}, the passport has {list(ours.shape)}",
            fix="give the model that the passport was made for",
        )
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    if not np.isfinite(b).all():
        at = int(np.argmin(np.isfinite(b).all(axis=1)))
        return Drift(rule.measure, rule.bound, len(a), np.nan, np.nan, at, 0.0, False)
    if rule.measure == "difference":
        gaps = np.abs(a - b).max(axis=1)
        at = int(gaps.argmax())
        worst = float(gaps[at])
        return Drift(
            "difference", rule.bound, len(a), float(gaps.mean()), worst, at, 0.0, worst <= rule.bound
        )
    cosines = row_cosines(a, b)
    at = int(cosines.argmin())
    lengths = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
    off = np.abs(lengths[0] - lengths[1]) / np.where(lengths[0] > 0, lengths[0], 1.0)
    worst, length = float(cosines[at]), float(off.max())
    kept = worst >= rule.bound and length <= rule.length
    return Drift("cosine", rule.bound, len(a), float(cosines.mean()), worst, at, length, kept)
