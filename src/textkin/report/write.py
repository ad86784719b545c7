"""Writing of a report: the page, the JSON with the same contents, and Markdown."""

from pathlib import Path

from textkin.base.files import json_text, write_text
from textkin.report.content import StudyReport
from textkin.report.markdown import markdown
from textkin.report.study_page import page

_JSON, _MARKDOWN, _PAGE = "report.json", "report.md", "report.html"


def written_forms(report: StudyReport) -> dict[str, str]:
    """The contents of a report's three files, by name; the page is the last.

    Raises:
        DataError: a value is NaN or infinite.
    """
    content = report.to_dict()
    clean = StudyReport.from_dict(content)
    written = json_text(content, sort_keys=False)  # tables keep the order of their source
    return {_JSON: written, _MARKDOWN: markdown(clean), _PAGE: page(clean)}


def write_report(report: StudyReport, folder: Path | str) -> Path:
    """Write ``report.html``, ``report.json`` and ``report.md`` into ``folder``, each atomically.

    All three are created before the first one is written.

    Returns:
        The path of the HTML page.

    Raises:
        DataError: a value is NaN or infinite.
        OutputError: the folder isn't writable.
    """
    target = Path(folder)
    for name, content in written_forms(report).items():
        write_text(target / name, content)
    return target / _PAGE
