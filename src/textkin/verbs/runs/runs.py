"""``runs``: reports below a folder, as a table, and as a page that compares them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.verbs import verb

if TYPE_CHECKING:
    from textkin.verbs.runs.found_runs import FoundRuns

Folder = Annotated[Path, Option("Folder with results of other commands.", metavar="FOLDER", argument=True)]
Page = Annotated[
    Path | None,
    Option("Page that sorts, filters, pins and compares them.", metavar="FILE.html", panel="Output"),
]


@verb
def runs(folder: Folder, /, *, out: Page = None) -> FoundRuns:
    """List the reports of studies, deduplications and measurements below a folder.

    Each is shown with its verdict, the latest first.

    Returns:
        :class:`FoundRuns`, a row for each report.

    Raises:
        DataError: there is no such folder.
        OutputError: the page can't be written.

    Example:
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> deduped = tk.dedupe(samples.path("inbox.txt"), out="looked/deduped")
        >>> [run.name for run in tk.runs("looked", out="looked/runs.html")]
        ['deduped/report.html']
    """
    from textkin.verbs.runs.found_runs import find_runs

    return find_runs(Path(folder), out)
