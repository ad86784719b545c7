"""Thresholds of a judge's systems, fitted on data other than the measured ones."""

import json
from collections.abc import Sequence
from pathlib import Path

from textkin.base.arrays import Floats
from textkin.base.errors import DataError, said
from textkin.base.files import write_json
from textkin.base.json_records import restored
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal

_FILE = "thresholds.json"


class Thresholds:
    """One threshold per system, seed and aim.

    Args:
        aims: the goals of the thresholds.
    """

    def __init__(self, *aims: Aim) -> None:
        self.aims = aims
        self._values: dict[str, dict[str, list[float]]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def fit(self, name: str, fitted_on: Sequence[tuple[Floats, Floats]]) -> None:
        """Fit the thresholds of a system on the labels and scores of each seed.

        Raises:
            DataError: all pairs are of one kind, or a score isn't a number.
        """
        self._values[name] = {
            aim.value: [fit_threshold(labels, scores, Goal(aim)).value for labels, scores in fitted_on]
            for aim in self.aims
        }

    def of(self, name: str, aim: Aim) -> list[float]:
        """A system's thresholds, one per seed."""
        return self._values[name][aim.value]

    def write(self, folder: Path) -> None:
        """Write ``thresholds.json``, if there are any."""
        if self._values:
            write_json(folder / _FILE, self._values)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read these systems' thresholds from the file of :meth:`write`, if it exists.

        Raises:
            DataError: it isn't such a file.
        """
        path = folder / _FILE
        if not path.exists():
            return
        try:
            found = restored(dict[str, dict[str, list[float]]], json.loads(path.read_text(encoding="utf-8")))
            self._values = {name: {aim.value: found[name][aim.value] for aim in self.aims} for name in names}
        except (OSError, ValueError, KeyError) as error:
            raise DataError(
                f"does not hold the thresholds: {said(error)}", path=path, fix="measure again"
            ) from error
