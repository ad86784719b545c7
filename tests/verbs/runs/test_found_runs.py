"""Reports below a folder as rows and as a page that sorts, filters, pins and compares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import textkin as tk
from tests.server.browsing import SIZES, findings, in_a_browser
from textkin.base.errors import DataError
from textkin.report.html import element
from textkin.report.page_frame import VerdictBox, document

HOSTILE = "<img src=x onerror=alert(1)>'\"&"


def write_run(place: Path, title: str, *, kind: str = "study", when: int, **figures: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    verdict = VerdictBox("", f"verdict of {title}", figures=figures)
    place.write_text(document(title, element("p", ""), kind=kind, verdict=verdict))
    os.utime(place, (when, when))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "runs"
    write_run(root / "a#1" / "report.html", "Alpha", when=300, AP="0.5 (0.4 to 0.6)")
    write_run(root / "b" / "report.html", HOSTILE, kind="deduplication", when=200, texts="1,515")
    write_run(root / "c" / "report.html", "Gamma", when=100, AP="0.7")
    return root


def test_rows_have_the_figures_of_all(folder: Path) -> None:
    found = tk.runs(folder)
    assert [(one.name, one.AP, one.texts) for one in found] == [
        ("a#1/report.html", "0.5 (0.4 to 0.6)", ""),
        ("b/report.html", "", "1,515"),
        ("c/report.html", "0.7", ""),
    ]
    assert found[0].written == "1970-01-01 00:05" and found.page is None


def test_a_page_is_no_run_and_its_texts_are_escaped(folder: Path) -> None:
    found = tk.runs(folder, out=folder / "runs.html")
    assert len(tk.runs(folder)) == 3 and found.page == folder / "runs.html"
    content = (folder / "runs.html").read_text()
    assert "<img" not in content and 'href="a%231/report.html"' in content


def test_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        tk.runs(tmp_path / "none")


@in_a_browser
def test_runs_are_sorted_filtered_pinned_and_compared(folder: Path, browser) -> None:
    tk.runs(folder, out=folder / "runs.html")
    page = browser.new_page(viewport=SIZES["narrow"])
    page.goto((folder / "runs.html").as_uri())

    def shown() -> list[str]:
        rows = page.locator(".runs tbody tr")
        return [row.get_attribute("data-run")[0] for row in rows.all() if row.is_visible()]

    assert shown() == ["a", "b", "c"] and not page.locator("#beside").is_visible()
    page.get_by_role("button", name="written").click()
    assert shown() == ["c", "b", "a"]
    page.get_by_label("Pin a#1/report.html").check()
    assert shown() == ["a", "c", "b"]
    page.get_by_label("Search runs").fill("gamma")
    assert shown() == ["a", "c"]
    page.get_by_label("Pin c/report.html").check()
    table = page.locator("#beside table")
    assert table.locator("tbody tr").first.locator("th, td").all_text_contents() == [
        "AP",
        "0.5 (0.4 to 0.6)",
        "0.7",
    ]
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES["narrow"]["width"]
    assert findings(page) == []
    page.reload()
    assert page.get_by_label("Pin a#1/report.html").is_checked() and table.is_visible()
    table.get_by_role("link", name="Alpha").click()
    assert page.title() == "Alpha"
    page.close()
