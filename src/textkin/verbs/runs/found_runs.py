"""Reports below a folder as a result, and as a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from textkin.base.counts import count
from textkin.base.files import write_text
from textkin.base.paths import real
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.report.runs_page import FoundRun, runs_page, when
from textkin.verbs.runs.listing import RunsFolder


@dataclass(frozen=True, slots=True, repr=False)
class FoundRuns(Result):
    """Reports below a folder.

    Attributes:
        folder: where they are.
        found: the reports, the latest first.
        page: the page that was written; None without one.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> deduped = tk.dedupe(samples.path("inbox.txt"), out="looked/deduped")
        >>> tk.runs("looked")[0].kind
        'deduplication'
    """

    folder: Path
    found: tuple[FoundRun, ...]
    page: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        """One row a report; figures that it lacks are empty."""
        figures = dict.fromkeys(name for one in self.found for name in one.figures)
        for one in self.found:
            about = {"name": one.name, "kind": one.kind, "title": one.title, "verdict": one.verdict}
            yield {
                **about,
                "written": when(one.changed),
                **{name: one.figures.get(name, "") for name in figures},
            }

    def _summary(self) -> str:
        return f"{count(len(self.found), 'report')} in {self.folder}"

    def text(self) -> str:
        """The reports with their verdicts, and the page."""
        rows = [(when(one.changed), one.kind, one.name, one.verdict) for one in self.found]
        lines = [text_table(("written (UTC)", "kind", "report", "verdict"), rows)] if rows else []
        page = [] if self.page is None else ["", f"page: {self.page}"]
        return "\n".join([*lines, *page] or [f"no report of textkin is in {self.folder}"])

    def as_dict(self) -> dict[str, Any]:
        """The reports and the page."""
        return {"runs": [asdict(one) for one in self.found], "page": self.page}


def find_runs(folder: Path, out: Path | None) -> FoundRuns:
    """List the reports below a folder, and write their page, if one is asked for.

    Raises:
        DataError: there is no such folder.
        OutputError: the page can't be written.
    """
    found = tuple(RunsFolder(folder).runs())
    if out is not None:
        beside = real(out.parent)
        by_path = {Path(os.path.relpath(real(folder / one.name), beside)).as_posix(): one for one in found}
        write_text(out, runs_page(real(folder).name, by_path))
    return FoundRuns(folder, found, out)
