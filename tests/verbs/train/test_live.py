"""The page that follows trainings, from the figures that they write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import textkin as tk
from tests.report.test_study_page import HOSTILE, Outline
from textkin.data import samples
from textkin.verbs.train.live import LivePage

pytestmark = pytest.mark.torch


def write_run(folder: Path, *devs: float, ends: tuple[bool, ...] = ()) -> None:
    folder.mkdir(parents=True)
    rows = [
        {
            "epoch": place,
            "losses": {"a": 0.25, "b": 0.125},
            "dev": dev,
            "steps": 10 * place,
            "ends_epoch": not ends or ends[place - 1],
            "measure": "AP",
        }
        for place, dev in enumerate(devs, 1)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_each_run_has_a_row_and_a_curve(tmp_path: Path) -> None:
    write_run(tmp_path / "trained" / "static-seed0", 0.5, 0.75, 0.625)
    write_run(tmp_path / "trained" / "static-seed1", 0.5)
    LivePage(tmp_path, HOSTILE).show()
    content = (tmp_path / "live.html").read_text()
    outline = Outline(content)
    assert ("meta", {"http-equiv": "refresh", "content": "5"}) in outline.tags
    assert "<script>alert" not in content and "<img" not in content
    assert [word for word in outline.words if word in ("static", "0.7500", "0.6250", "0.5000")][:4] == [
        "static",
        "0.6250",
        "0.7500",
        "static",
    ]
    assert content.count("<figcaption>Training of static") == 1


def test_a_finished_page_stays_and_links_the_report(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 0.5)
    LivePage(tmp_path / "run", "static").show(report="report.html")
    content = (tmp_path / "run" / "live.html").read_text()
    assert 'http-equiv="refresh"' not in content and 'href="report.html"' in content


def test_before_the_first_evaluation_it_says_so(tmp_path: Path) -> None:
    LivePage(tmp_path, "static").show()
    assert "No evaluation yet." in (tmp_path / "live.html").read_text()


@pytest.mark.torch
@pytest.mark.slow
def test_training_writes_it_after_each_evaluation(tmp_path: Path) -> None:
    pages: list[int] = []

    def look(figures: object) -> None:
        pages.append((tmp_path / "run" / "live.html").read_text().count("<polyline"))

    train, dev = samples.pairs("travel"), samples.pairs("cooking")
    tk.train(train, "static", dev=dev, out=tmp_path / "run", live=True, callback=look)
    assert len(pages) == 5 and 'http-equiv="refresh"' not in (tmp_path / "run" / "live.html").read_text()
