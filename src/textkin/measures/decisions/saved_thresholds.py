"""Thresholds and calibrations stored with a model, or in a file of their own.

A decision holds the threshold, the calibration, and the data both were fitted on. Its file names its model by
hash, since another model's scores have another meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, ModelError
from textkin.base.files import write_json
from textkin.base.json_records import restored
from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.fit_threshold import Threshold

FORMAT = 1
_KIND = "decision"
MAKE_AGAIN = "make it again with `calibrate()`"


def read_decision(place: Path, *, kind: str, what: str) -> dict[str, Any]:
    """The content of a decision file.

    Args:
        place: path of the file.
        kind: the kind that the file must declare.
        what: that kind in words, for messages.

    Raises:
        DataError: the file can't be read, is of another kind, or has another format.
    """
    try:
        values = json.loads(place.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=place, fix=MAKE_AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise DataError("is not a decision: it is not JSON", path=place, fix=MAKE_AGAIN) from error
    if not isinstance(values, dict) or values.get("kind") != kind:
        raise DataError(f"is no {what}", path=place, fix=MAKE_AGAIN)
    if values.get("format") != FORMAT:
        raise DataError(
            f"has format {values.get('format')!r}, this textkin reads format {FORMAT}",
            path=place,
            fix=MAKE_AGAIN,
        )
    return values


@dataclass(frozen=True, slots=True)
class LabelProof:
    """The anytime-valid proof of a threshold by labels of random draws.

    Attributes:
        precision: lower confidence bound of the precision at the threshold.
        pairs: size of the population, pairs below the threshold included.
        labels: number of draws, repeated draws included.
        error: maximum probability that any bound is wrong.
        recall: lower confidence bound of the recall among ``pairs``; None if it wasn't requested.
    """

    precision: float
    pairs: int
    labels: int
    error: float
    recall: float | None = None

    @property
    def sentence(self) -> str:
        """The proof in words."""
        recall = ""
        if self.recall is not None:
            recall = f", and a recall of at least {self.recall:.3f} among the {self.pairs:,} pairs"
        return (
            f"Proven by {self.labels:,} labels of pairs that were drawn at random from {self.pairs:,}, "
            f"however often anybody looked: a precision of at least {self.precision:.3f}{recall}; wrong with "
            f"a probability of {self.error:g} at most."
        )


@dataclass(frozen=True, slots=True)
class SavedThreshold:
    """A threshold with the data it was fitted on.

    Attributes:
        threshold: the threshold and its performance on that data.
        fitted_on: the name of that data.
        data_sha256: the hash of that data, or "".
        precision: bounds of the 95 % interval of its precision on similar pairs, from held-out pairs if there
            were any; None if unknown.
        proof: the proof by labels; None if there is none.
    """

    threshold: Threshold
    fitted_on: str
    data_sha256: str = ""
    precision: tuple[float, float] | None = None
    proof: LabelProof | None = None

    def to_dict(self) -> dict[str, Any]:
        """The threshold as JSON-compatible values."""
        found = asdict(self)
        if self.proof is None:
            del found["proof"]
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedThreshold:
        """Read a threshold from the result of :meth:`to_dict`.

        Raises:
            ModelError: a field is missing or invalid.
        """
        try:
            return restored(cls, values, finite=True)
        except ValueError as error:
            raise ModelError(f"a stored threshold can't be read: {error}") from error


@dataclass(frozen=True, slots=True)
class SavedDecision:
    """The content of a decision file.

    Attributes:
        model: name of the scorer.
        model_sha256: its hash, see ``models.provenance.hash_of_scorer``.
        threshold: minimum score of duplicates.
        calibration: scores to probabilities; None if none was fitted, as by ``dedupe``.
    """

    model: str
    model_sha256: str
    threshold: SavedThreshold
    calibration: Calibration | None

    def write(self, path: Path | str) -> None:
        """Write the file atomically.

        Raises:
            OutputError: the file can't be written.
        """
        about = {"kind": _KIND, "format": FORMAT}
        write_json(path, {**about, **asdict(self), "threshold": self.threshold.to_dict()})

    @classmethod
    def read(cls, path: Path | str) -> SavedDecision:
        """Read the file of :meth:`write`.

        Raises:
            DataError: the file can't be read, or is not a decision of this format.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="decision of `calibrate()` or `dedupe()`")
        try:
            return restored(cls, values, finite=True)
        except ValueError as error:
            raise DataError(f"is damaged: {error}", path=place, fix=MAKE_AGAIN) from error

    def require(self, sha256: str, *, path: Path | str, name: str) -> None:
        """Check that the decision was made for the scorer with this hash.

        Raises:
            ModelError: the decision was made for another scorer.
        """
        if self.model_sha256 != sha256:
            raise ModelError(
                f"the decision {path} was made for another model than {name}: {self.model} "
                f"(SHA-256 {self.model_sha256[:12]}, not {sha256[:12]})",
                fix=f"give that model, or fit a decision for {name}: `calibrate()`",
                value=name,
            )
