"""A probability of relevance with what it was fitted on, as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from textkin.base.errors import DataError, ModelError, said
from textkin.base.files import write_json
from textkin.measures.decisions.relevance import RelevanceModel
from textkin.measures.decisions.saved_thresholds import FORMAT, MAKE_AGAIN, SavedThreshold, read_decision

_KIND = "relevance"


@final
@dataclass(frozen=True, slots=True)
class SavedRelevance:
    """A probability of relevance, and from which one on a hit is shown.

    Attributes:
        model: the probability.
        systems: the hash of each ranking's system, by the name that features have of it, in their order.
        depth: so many documents of each ranking count.
        k: so many hits of a query it was fitted on, and holds for.
        threshold: of the probability, for a goal, with what it was fitted on; its scores are probabilities.
        figures: what to expect on other queries: a figure's name to its value and the ends of its 95 %
            interval.
    """

    model: RelevanceModel
    systems: Mapping[str, str]
    depth: int
    k: int
    threshold: SavedThreshold
    figures: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": _KIND,
            "format": FORMAT,
            "model": self.model.to_dict(),
            "systems": [{"name": name, "sha256": sha256} for name, sha256 in self.systems.items()],
            "depth": self.depth,
            "k": self.k,
            "threshold": self.threshold.to_dict(),
            "unjudged": "not relevant",
            "figures": {name: list(ends) for name, ends in self.figures.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedRelevance:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: a field is missing, or not what it must be.
        """
        try:
            found = cls(
                RelevanceModel.from_dict(values["model"]),
                {str(one["name"]): str(one["sha256"]) for one in values["systems"]},
                int(values["depth"]),
                int(values["k"]),
                SavedThreshold.from_dict(values["threshold"]),
                {
                    str(name): (float(value), float(low), float(high))
                    for name, (value, low, high) in values["figures"].items()
                },
            )
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
            raise ModelError(f"a stored probability of relevance can't be read: {said(error)}") from error
        if found.k < 1 or found.depth < 1 or not found.systems:
            raise ModelError("a stored probability of relevance is of no hits, or of no systems")
        return found

    def write(self, path: Path | str) -> None:
        """Write a file of its own, whole or not at all.

        Raises:
            OutputError: it can't be written.
        """
        write_json(path, self.to_dict())

    @classmethod
    def read(cls, path: Path | str) -> SavedRelevance:
        """Back from :meth:`write`.

        Raises:
            DataError: it can't be read, or is no such file.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="probability of relevance")
        try:
            return cls.from_dict(values)
        except ModelError as error:
            raise DataError(f"is damaged: {error.message}", path=place, fix=MAKE_AGAIN) from error

    def require(self, systems: Mapping[str, str]) -> None:
        """Make sure that it is for these systems, by their hashes in order.

        Raises:
            ModelError: it was fitted on hits of others.
        """
        if list(systems.items()) != list(self.systems.items()):
            raise ModelError(
                f"the probability of relevance was fitted on hits of {', '.join(self.systems)}, and a system "
                f"of {', '.join(systems)} is another one or has changed",
                fix="search by the same systems, or fit it again",
            )
