"""Thresholds tried on a deduplication, against a call for each."""

import re

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError
from textkin.data import samples
from textkin.verbs.dedupe.threshold_steps import reach, thresholds


def steps_in(page: str) -> list[float]:
    return [float(one) for one in re.findall(r'data-threshold="([^"]*)"', page)]


@pytest.mark.slow
def test_each_step_says_what_a_call_with_its_threshold_does():
    texts = tk.dedupe(samples.path("inbox.txt")).texts
    found = tk.dedupe(texts, threshold=0.85)
    tried = thresholds(found)
    assert tried.chosen == 0.85 and len(tried.steps) > 5
    for step in tried.steps:
        there = tk.dedupe(texts, threshold=step.threshold)
        sizes = np.bincount(there.stays)
        assert (step.kept, step.removed) == (len(there.kept), len(there.removed))
        assert (step.groups, step.largest) == (int((sizes > 1).sum()), int(sizes.max()))
        assert all(pair.score >= np.float32(step.threshold) for pair in step.border)
    assert sum(tried.scores.pairs) == len(found.pairs)


def test_a_plot_has_thresholds_on_both_sides_and_leaves_the_result_alone():
    found = tk.dedupe(samples.path("inbox.txt"), threshold=0.9)
    steps = steps_in(found.plot().page)
    assert steps[0] == reach(0.9) == 0.85 and steps[-1] == 1.0 and 0.9 in steps
    assert found.similar.lowest > 0.85


@pytest.mark.parametrize("texts", [["a"], ["a", "a"], ["one thing", "another thing"]])
def test_a_plot_of_little_shows_what_there_is(texts):
    assert steps_in(tk.dedupe(texts, threshold=1.0).plot().page) == [1.0]


@pytest.mark.parametrize("ids", [[7, 8, 9], [0.5, 1.5, 2.5], [("a", 1), ("a", 2), ("b", 1)]])
def test_pairs_are_shown_by_ids_of_any_type(ids):
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    texts = ["How do I reset my password?", "How do I reset my password please?", "Bye"]
    frame = frames.DataFrame({"text": texts}, index=frames.Index(ids, tupleize_cols=False))
    tried = thresholds(tk.dedupe(frame, threshold=0.6))
    shown = [set(pair.ids) for step in tried.steps for pair in step.border]
    assert shown == [{str(ids[0]), str(ids[1])}]
    assert f"<bdi>{ids[0]}</bdi>" in tk.dedupe(frame, threshold=0.6).plot().page.replace("&#x27;", "'")


def test_the_plot_of_a_folder_is_its_report(tmp_path):
    found = tk.dedupe(samples.path("inbox.txt"), out=tmp_path / "out")
    assert found.plot().page == (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    (tmp_path / "out" / "report.html").unlink()
    with pytest.raises(DataError) as told:
        found.plot()
    assert told.value.path == tmp_path / "out" / "report.html"
