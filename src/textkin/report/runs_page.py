"""Runs as one page: a table that sorts and filters, and pinned runs side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from textkin.base.counts import count
from textkin.report.html import Html, definitions, element, scrolling, search_field
from textkin.report.page_frame import page_of

KIND = "runs"
"""The kind of such a page, which is not a run itself."""


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A report, and the folder that it is in.

    Attributes:
        name: the report's path below the folder that was looked into, with slashes.
        kind: such as study, deduplication or measurement; "" where unknown.
        title: title of the report.
        verdict: its first sentence; "" where unknown.
        changed: when it was written, in seconds since 1970.
        folder: folder of a deduplication that can be reviewed; None of others.
        figures: its most important figures by name.
    """

    name: str
    kind: str
    title: str
    verdict: str
    changed: float
    folder: str | None = None
    figures: Mapping[str, str] = field(default_factory=dict)


def runs_page(folder: str, runs: Mapping[str, FoundRun]) -> str:
    """The whole page.

    Args:
        folder: the name of the folder.
        runs: the reports by their paths from the page, the latest first.
    """
    heads = ("pin", "report", "verdict", "figures", "kind", "written")
    table = element(
        "table",
        element("caption", "Reports, the latest first"),
        element("thead", element("tr", *(element("th", one, scope="col", class_="word") for one in heads))),
        element("tbody", *(_row(run, link) for link, run in runs.items())),
        class_="runs",
    )
    said = "A pinned run stays at the top, and stands beside the other pinned ones below the table."
    return page_of(
        f"Runs in {folder}",
        (count(len(runs), "report"),),
        (
            (
                "runs",
                "All runs",
                [element("p", said), search_field(".runs tbody tr", "Search runs"), scrolling(table)],
            ),
        ),
        kind=KIND,
        verdict=None,
        made=None,
        scripts=("filter.js", "runs.js"),
    )


def when(changed: float) -> str:
    """A time in words, UTC."""
    return datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%d %H:%M")


def _row(run: FoundRun, path: str) -> Html:
    pin = element("input", type="checkbox", aria_label=f"Pin {run.name}", class_="pin")
    link = element("a", element("bdi", run.title), href=quote(path))
    cells = (
        element("td", pin),
        element("td", link, element("small", element("bdi", run.name)), class_="word"),
        element("td", run.verdict, class_="word said", dir="auto"),
        element("td", definitions(run.figures)),
        element("td", run.kind),
        element("td", when(run.changed), data_sort=str(run.changed)),
    )
    return element("tr", *cells, data_run=run.name)
