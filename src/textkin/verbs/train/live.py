"""A page that follows trainings, from the figures that they write after each evaluation."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.files import write_text
from textkin.report.content import Epoch, TrainingCurve
from textkin.report.live_page import live_page

PAGE = "live.html"
_SEED = re.compile(r"(.+)-seed(\d+)")


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page in a folder of trainings; processes that train at the same time write it in turn.

    Attributes:
        folder: a run, or a folder with runs below it.
        title: what is trained.
    """

    folder: Path
    title: str

    @property
    def path(self) -> Path:
        """The page."""
        return self.folder / PAGE

    def show(self, *, report: str | None = None) -> None:
        """Write the page anew.

        Args:
            report: the link to the report of what is done, "" for none; None while trainings go on.

        Raises:
            OutputError: it can't be written.
        """
        found = list(self._runs())
        measure = next((measure for _, measure in found), "")
        write_text(self.path, live_page(self.title, [one for one, _ in found], measure, report=report))

    def _runs(self) -> Iterator[tuple[TrainingCurve, str]]:
        """The curve of each run with an evaluation, and its measure."""
        from textkin.training.loop import METRICS  # loads torch

        for file in sorted((self.folder / METRICS, *self.folder.glob(f"*/*/{METRICS}"))):
            rows = _rows(file)
            if rows:
                named = _SEED.fullmatch(file.parent.name)
                name, seed = named.groups() if named else (self.title, "0")
                by_step = not all(row["ends_epoch"] for row in rows)
                moments = tuple(
                    Epoch(
                        row["epoch"],
                        sum(row["losses"].values()),
                        row["dev"],
                        row["steps"] if by_step else None,
                    )
                    for row in rows
                )
                yield TrainingCurve(name, int(seed), moments), rows[0]["measure"]


def _rows(file: Path) -> list[dict[str, Any]]:
    """The evaluations in a file; none while there is no file."""
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except FileNotFoundError:
        return []
