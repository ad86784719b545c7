"""Writing a report: the page, the JSON that holds the same, and Markdown."""

from __future__ import annotations

from pathlib import Path

from textkin.files import write_json, write_text
from textkin.report.content import StudyReport
from textkin.report.markdown import markdown
from textkin.report.page import page


def write_report(report: StudyReport, folder: Path | str) -> Path:
    """Write ``report.html``, ``report.json`` and ``report.md`` into ``folder``; each whole or not at all.

    All three are made before the first one is written.

    Returns:
        the path of the HTML page.

    Raises:
        DataError: a figure is NaN or infinite.
        OutputError: the folder can't be written to.
    """
    content = report.to_dict()
    clean = StudyReport.from_dict(content)
    html, words = page(clean), markdown(clean)
    target = Path(folder)
    write_json(target / "report.json", content)
    write_text(target / "report.md", words)
    write_text(target / "report.html", html)
    return target / "report.html"
