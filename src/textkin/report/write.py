"""Writing a report: the page, the JSON that holds the same, and Markdown."""

from __future__ import annotations

from pathlib import Path

from textkin.base.files import json_text, write_text
from textkin.report.content import StudyReport
from textkin.report.markdown import markdown
from textkin.report.study_page import page

_JSON, _MARKDOWN, _PAGE = "report.json", "report.md", "report.html"


def written_forms(report: StudyReport) -> dict[str, str]:
    """What the three files of a report say, by their names; the page is the last.

    Raises:
        DataError: a figure is NaN or infinite.
    """
    content = report.to_dict()
    clean = StudyReport.from_dict(content)
    written = json_text(content, sort_keys=False)  # tables have the order of what they were made from
    return {_JSON: written, _MARKDOWN: markdown(clean), _PAGE: page(clean)}


def write_report(report: StudyReport, folder: Path | str) -> Path:
    """Write ``report.html``, ``report.json`` and ``report.md`` into ``folder``; each whole or not at all.

    All three are made before the first one is written.

    Returns:
        the path of the HTML page.

    Raises:
        DataError: a figure is NaN or infinite.
        OutputError: the folder can't be written to.
    """
    target = Path(folder)
    for name, content in written_forms(report).items():
        write_text(target / name, content)
    return target / _PAGE
