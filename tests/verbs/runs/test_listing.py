"""Runs below a folder: found runs, their descriptions, and that nothing else is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError
from textkin.data import samples
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.report.html import element
from textkin.report.page_frame import VerdictBox, document
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.runs.listing import RunsFolder

HOSTILE = "<script>alert(1)</script>\"'&"


def page(kind: str = "study", said: str = "better", title: str = "A report") -> str:
    return document(
        title, element("p", "text"), kind=kind, verdict=VerdictBox("", said, figures={"AP": HOSTILE})
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "runs"
    for name, content, when in (
        ("study/report.html", page(said=HOSTILE, title=HOSTILE), 300),
        ("another/report.html", page(), 200),
        ("deep/er/table.html", page("measurement", ""), 100),
        ("other.html", "<!doctype html>\n<html><head><title>mine</title></head></html>", 400),
        ("notes.html", "no page", 400),
        (".hidden/report.html", page(), 400),
        ("empty.html", "", 400),
    ):
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
        os.utime(place, (when, when))
    (tmp_path / "secret.html").write_text(page("study", "secret"))
    return root


def test_reports_are_listed_with_their_verdicts_the_latest_first(folder: Path) -> None:
    found = RunsFolder(folder).runs()
    assert [one.name for one in found] == ["study/report.html", "another/report.html", "deep/er/table.html"]
    assert [one.kind for one in found] == ["study", "study", "measurement"]
    assert [one.changed for one in found] == [300, 200, 100]
    assert (found[0].title, found[0].verdict) == (HOSTILE, HOSTILE)
    assert found[2].verdict == "" and all(one.folder is None for one in found)
    assert RunsFolder(folder).report(found[0].name) == (folder / "study/report.html").read_text()


def test_what_commands_write_is_found(tmp_path: Path) -> None:
    tk.dedupe(samples.path("inbox.txt"), out=tmp_path / "deduped", threshold=0.8)
    pairs = [(f"one thing {n}", f"one {'thing' if n % 2 else 'other'}", n % 2) for n in range(12)]
    options = Options(sampling=Sampling(100, 100), report=tmp_path / "measured.html")
    compared(pairs, models=["bm25", "tfidf"], options=options)
    found = {one.kind: one for one in RunsFolder(tmp_path).runs()}
    assert set(found) == {"deduplication", "measurement"}
    assert "the highest of" in found["measurement"].verdict
    told = found["deduplication"]
    assert told.verdict == "21 of 184 texts (11.4 %) are duplicates of others at threshold 0.8."
    assert told.folder == "deduped"
    review = RunsFolder(tmp_path).dedupe("deduped")
    assert review.counts().go == 21
    itself = RunsFolder(tmp_path / "deduped")
    assert itself.runs()[0].folder == "." and itself.dedupe(".").counts().go == 21


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.html", "study/../../secret.html", "/etc/passwd", "", "link.html", "away/secret.html"),
        *("a\0b", "x" * 5_000, "study", "study/gone.html", "fifo.html"),
    ],
)
def test_nothing_outside_is_given(folder: Path, name: str) -> None:
    (folder / "link.html").symlink_to(folder.parent / "secret.html")
    (folder / "away").symlink_to(folder.parent)
    os.mkfifo(folder / "fifo.html")
    runs = RunsFolder(folder)
    with pytest.raises(DataError):
        runs.report(name)
    assert len(runs.runs()) == 3, "links are not followed, and nothing waits for a pipe"
    with pytest.raises(DataError) as error:
        RunsFolder(folder / "none")
    assert str(error.value.path).endswith("none")


def test_a_page_of_another_encoding_is_no_report(folder: Path) -> None:
    (folder / "utf16.html").write_text(page(), encoding="utf-16")
    (folder / "latin.html").write_bytes(page().encode() + b"\xff")
    runs = RunsFolder(folder)
    for name in ("utf16.html", "latin.html", "notes.html"):
        with pytest.raises(DataError):
            runs.report(name)


def test_a_run_that_links_elsewhere_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("one thing\nOne thing\n")
    tk.dedupe(tmp_path / "texts.txt", out=tmp_path / "runs/a")
    removed = tmp_path / "runs/a/removed.tsv"
    removed.rename(tmp_path / "removed.tsv")
    removed.symlink_to(tmp_path / "removed.tsv")
    assert tk.review(tmp_path / "runs/a").counts().go == 1, "who owns the folder may do so"
    with pytest.raises(DataError) as error:
        RunsFolder(tmp_path / "runs").dedupe("a")
    assert str(error.value.path).endswith("removed.tsv")
