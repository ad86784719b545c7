"""Decisions that are kept: with a model, or in a file of their own.

A decision says from which score on two texts are the same, how probable it is at a score, and what both were
fitted on. A file of one names the model that it was made for by hash, since scores of another one mean
something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from textkin.base.errors import DataError, ModelError, said
from textkin.base.files import write_json
from textkin.base.json_records import restored
from textkin.measures.decisions.calibration import Calibration, calibration_from_dict
from textkin.measures.decisions.fit_threshold import Threshold

FORMAT = 1
_KIND = "decision"
MAKE_AGAIN = "make it again with `calibrate()`"


def read_decision(place: Path, *, kind: str, what: str) -> dict[str, Any]:
    """What a file of a decision holds.

    Args:
        place: the file.
        kind: what it must say that it is.
        what: that, in words.

    Raises:
        DataError: it can't be read, is something else, or has another format.
    """
    try:
        values = json.loads(place.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=place, fix=MAKE_AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise DataError("is no decision: it is not JSON", path=place, fix=MAKE_AGAIN) from error
    if not isinstance(values, dict) or values.get("kind") != kind:
        raise DataError(f"is no {what}", path=place, fix=MAKE_AGAIN)
    if values.get("format") != FORMAT:
        raise DataError(
            f"has format {values.get('format')!r}, this textkin reads format {FORMAT}",
            path=place,
            fix=MAKE_AGAIN,
        )
    return values


@final
@dataclass(frozen=True, slots=True)
class LabelProof:
    """What labels of random draws prove of a threshold, however often anybody looked.

    Attributes:
        precision: of the pairs from the threshold on, so many are the same at least.
        pairs: how many were drawn from, those below the threshold included.
        labels: how many were drawn, repeated draws included.
        error: how probable it is that any of this is wrong.
        recall: of what is the same among ``pairs``, so much lies from the threshold on at least; None where
            that was not asked for.
    """

    precision: float
    pairs: int
    labels: int
    error: float
    recall: float | None = None

    @property
    def sentence(self) -> str:
        """All of it in words."""
        recall = ""
        if self.recall is not None:
            recall = f", and a recall of at least {self.recall:.3f} among the {self.pairs:,} pairs"
        return (
            f"Proven by {self.labels:,} labels of pairs that were drawn at random from {self.pairs:,}, "
            f"however often anybody looked: a precision of at least {self.precision:.3f}{recall}; wrong with "
            f"a probability of {self.error:g} at most."
        )


@final
@dataclass(frozen=True, slots=True)
class SavedThreshold:
    """A threshold with what it was fitted on.

    Attributes:
        threshold: the cut and what it reached where it was fitted.
        fitted_on: the name of that data.
        data_sha256: the hash of that data, or "".
        precision: the ends of the 95 % interval of its precision on pairs like those, from other pairs where
            there were some; None if it is not known.
        proof: what labels prove of it; None where nothing is proven.
    """

    threshold: Threshold
    fitted_on: str
    data_sha256: str = ""
    precision: tuple[float, float] | None = None
    proof: LabelProof | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "fitted_on": self.fitted_on,
            "data_sha256": self.data_sha256,
            "threshold": self.threshold.to_dict(),
            "precision": None if self.precision is None else list(self.precision),
            **({} if self.proof is None else {"proof": asdict(self.proof)}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedThreshold:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: a field is missing, or not what it must be.
        """
        try:
            return restored(cls, values, finite=True)
        except ValueError as error:
            raise ModelError(f"a stored threshold can't be read: {error}") from error


@final
@dataclass(frozen=True, slots=True)
class SavedDecision:
    """What a file of a decision holds.

    Attributes:
        model: what the scorer is called.
        model_sha256: its hash, see ``models.provenance.hash_of_scorer``.
        threshold: from which score on a pair is the same.
        calibration: scores to probabilities; None where none was fitted, as ``dedupe`` fits none.
    """

    model: str
    model_sha256: str
    threshold: SavedThreshold
    calibration: Calibration | None

    def write(self, path: Path | str) -> None:
        """Write the file, whole or not at all.

        Raises:
            OutputError: it can't be written.
        """
        write_json(
            path,
            {
                "kind": _KIND,
                "format": FORMAT,
                "model": self.model,
                "model_sha256": self.model_sha256,
                "threshold": self.threshold.to_dict(),
                "calibration": None if self.calibration is None else self.calibration.to_dict(),
            },
        )

    @classmethod
    def read(cls, path: Path | str) -> SavedDecision:
        """Back from :meth:`write`.

        Raises:
            DataError: it can't be read, or is no decision of this format.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="decision of `calibrate()` or `dedupe()`")
        try:
            calibration = values["calibration"]
            return cls(
                model=str(values["model"]),
                model_sha256=str(values["model_sha256"]),
                threshold=SavedThreshold.from_dict(values["threshold"]),
                calibration=None if calibration is None else calibration_from_dict(calibration),
            )
        except (KeyError, TypeError, ModelError) as error:
            raise DataError(f"is damaged: {said(error)}", path=place, fix=MAKE_AGAIN) from error

    def require(self, sha256: str, *, path: Path | str, name: str) -> None:
        """Make sure that the decision is for the scorer of this hash.

        Raises:
            ModelError: it was made for another one.
        """
        if self.model_sha256 != sha256:
            raise ModelError(
                f"the decision {path} was made for another model than {name}: {self.model} "
                f"(SHA-256 {self.model_sha256[:12]}, not {sha256[:12]})",
                fix=f"give that model, or fit a decision for {name}: `calibrate()`",
            )
