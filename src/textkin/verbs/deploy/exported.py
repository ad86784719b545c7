"""A model that was written for another runtime."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from textkin.base.counts import percent
from textkin.base.results import ResultRow, Summary
from textkin.verbs.deploy.export_model import Certificate


@dataclass(frozen=True, slots=True, repr=False)
class Exported(Summary):
    """An export, and its deviation from the original.

    Attributes:
        folder: the export.
        certificate: the contents of ``parity.json``.

    Example:
        >>> import textkin as tk
        >>> tk.export("default", out="exported", to="model2vec").folder.name
        'exported'
    """

    folder: Path
    certificate: Certificate

    def _rows(self) -> Iterator[ResultRow]:
        for row in self.certificate.rows():
            yield {"folder": self.folder, **row}

    def text(self) -> str:
        """The folder, the runtime, and the figures of the comparison."""
        made, found = self.certificate, self.certificate.parity
        compared = "texts" if found.measure == "cosine" else "pairs"
        lines = [
            f"{self.folder}: {made.model} for {made.target} in {made.precision}, run by {made.runtime}",
            f"{found.measure} to the original on {found.count:,} {compared} of {made.sample}: "
            f"mean {found.mean:.7f}, worst {found.worst:.7f}",
        ]
        if found.rank_change is None:
            lines.append(f"same class: {percent(found.same, 2)} of the pairs")
        else:
            lines.append(
                f"same 10 nearest in the same order: {percent(found.same, 2)} of the texts; "
                f"largest change of rank: {found.rank_change}"
            )
        if made.unknown_texts:
            which = "1 text has" if made.unknown_texts == 1 else f"{made.unknown_texts:,} texts have"
            lines.append(
                f"{which} parts that {made.model} doesn't know: the export leaves these out, textkin adds "
                f"vectors of their spelling; lowest cosine between the two: {made.unknown_worst:.4f}"
            )
        if not made.kept:
            lines.append(f"accepted although {made.precision} promises {made.promised}")
        return "\n".join(lines)
