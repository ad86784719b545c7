"""Watching a collection: comparisons, storage, and messages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.collection.match.match import COLUMNS, Match, row_of
from textkin.collection.match.match_labels import FACT, BaseRate, MatchLabels
from textkin.collection.store.open_store import open_store
from textkin.collection.watch.reference import (
    Reference,
    each_match,
    read_labels,
    read_matches,
    reference_of,
    score_of,
)
from textkin.collection.watch.watch_log import Beginning, WatchLog
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_rule import MatchVerdict
from textkin.measures.intervals.bootstrap import Interval


def arrivals(known: int, others: int) -> Arrivals:
    random = np.random.default_rng(0)
    scores = np.concatenate([random.normal(0.8, 0.1, known), random.normal(0.4, 0.1, others)])
    flags = np.arange(known + others) < known
    return Arrivals(scores.astype(np.float32), flags, flags, np.arange(known + others))


def drawn(known: float, count: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    same = random.random(count) < known
    return random.normal(np.where(same, 0.8, 0.4), 0.1)


def calibrated(
    folder: Path, rate: Interval, known: int = 400, others: int = 400, precision: float = 0.95
) -> Path:
    """A collection with a calibration of synthetic scores."""
    with tk.open_collection(folder, create=True) as opened:
        opened.add(["Where can I park?", "When do you open?"])
        made_up = BaseRate(rate, "made up")
        labels = MatchLabels(arrivals(known, others), "what was made up", (), made_up, precision=precision)
        opened.store.note_fact(FACT, labels.to_dict())
    return folder


def write_matches(path: Path, scores: np.ndarray) -> Path:
    path.write_text("score\tverdict\n" + "".join(f"{one:.6f}\tnew\n" for one in scores))
    return path


HALF = Interval(0.5, 0.47, 0.53, 800)


def test_matches_in_a_frame_are_watched_as_those_of_its_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"score": [0.9, None, 0.8, None], "nearest_id": ["a", None, "b", "c"], "guards": [""] * 4}
    )
    frame.to_csv(tmp_path / "m.csv", index=False)
    ours = [score_of(one) for one in each_match(frame)]
    assert ours == pytest.approx([0.9, -np.inf, 0.8, None])
    assert read_matches(tmp_path / "m.csv").values == pytest.approx([0.9, -np.inf, 0.8])
    with pytest.raises(DataError):
        score_of(0.5)  # type: ignore[arg-type]


@pytest.mark.slow
def test_from_the_first_match_to_the_alarm(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF)
    assert tk.watch(folder).state == "ok"
    as_before = write_matches(tmp_path / "a.tsv", drawn(0.5, 600, 1))
    found = tk.watch(folder, as_before)
    assert found.state == "ok" and found.scores.events == 600 and found.scores.evidence < 5
    assert found.canaries is not None and found.canaries.accepted
    assert tk.watch(folder, as_before).scores.events == 600, "a file is taken once"
    more_duplicates = write_matches(tmp_path / "b.tsv", drawn(0.8, 400, 2))
    found = tk.watch(folder, more_duplicates)
    assert found.state == "drifting" and "calibrate the collection again" in found.todo
    assert found.scores.alarm is not None and 600 < found.scores.alarm < 800
    assert found.scores.since is not None and abs(found.scores.since - 601) < 80
    again = tk.watch(folder)
    assert (again.scores, again.todo) == (found.scores, found.todo), "it is all on the disk"
    anew = tk.watch(folder, restart=True)
    assert anew.state == "ok" and anew.scores.events == 0


def test_a_file_without_labels_of_duplicates_is_told(tmp_path: Path, capsys: Any) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF)
    path = tmp_path / "labels.tsv"
    path.write_text("label\tverdict\n" + "0\tnew\n" * 5)
    tk.watch(folder, labelled=path)
    assert "labels.tsv has no labels of texts that were called duplicates" in capsys.readouterr().err
    path.write_text("label\tverdict\n" + "1\tduplicate\n" * 5)
    tk.watch(folder, labelled=path)
    tk.watch(folder, labelled=path)
    assert "labels.tsv was read before, and is skipped" in capsys.readouterr().err


def test_labels_show_that_the_precision_has_dropped(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF)
    path = tmp_path / "labels.tsv"
    path.write_text("label\tverdict\n" + "1\tduplicate\n" * 60)
    assert tk.watch(folder, labelled=path).state == "ok"
    path.write_text("label\tverdict\n" + "same\tduplicate\ndifferent\tduplicate\n0\tnew\n" * 20)
    found = tk.watch(folder, labelled=path)
    assert found.state == "broken" and "below 0.95" in found.todo
    assert (found.labels.events, found.same) == (100, 80)
    assert found.labels.since is not None and 55 < found.labels.since < 70


@pytest.mark.torch
def test_another_model_is_broken_at_once(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF)
    found = tk.watch(folder, model="minilm")
    assert found.state == "broken" and "minilm is not the model" in found.todo


@pytest.mark.slow
def test_a_new_calibration_begins_the_watch_anew(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF)
    tk.watch(folder, write_matches(tmp_path / "a.tsv", drawn(0.9, 400, 1)))
    assert tk.watch(folder).state == "drifting"
    calibrated(folder, HALF, known=700, others=700)
    found = tk.watch(folder)
    assert found.state == "ok" and found.scores.events == 0
    with pytest.raises(DataError, match=r"was begun with error 0\.05, not 0\.01"):
        tk.watch(folder, error=0.01)


@pytest.mark.slow
def test_the_reference_has_the_base_rate_that_is_to_come(tmp_path: Path) -> None:
    with open_store(calibrated(tmp_path / "a.kin", HALF)) as store:
        assert len(reference_of(store).scores) == 800
        rare = reference_of(store, base_rate=0.1).scores
        assert 400 <= len(rare) <= 445 and 0.05 < (rare > 0.6).mean() < 0.16
    folder = calibrated(tmp_path / "b.kin", Interval(0.02, 0.01, 0.03, 500), known=600, others=4_000)
    found = tk.watch(folder, write_matches(tmp_path / "m.tsv", drawn(0.02, 2_000, 3)))
    assert found.state == "ok" and "base rate 0.02" in found.reference


def test_a_collection_without_calibration_needs_a_reference(tmp_path: Path) -> None:
    with tk.open_collection(tmp_path / "c.kin", create=True) as opened:
        opened.add(["Where can I park?"])
    with pytest.raises(UsageError) as error:
        tk.watch(tmp_path / "c.kin")
    assert error.value.params == ("against",)
    few = write_matches(tmp_path / "few.tsv", drawn(0.5, 20, 0))
    with pytest.raises(UsageError) as error:
        tk.watch(tmp_path / "c.kin", against=few)
    assert error.value.params == ("against",)
    before = write_matches(tmp_path / "before.tsv", drawn(0.5, 300, 0))
    rows = [{"score": score} for score in drawn(0.5, 700, 1)]
    assert tk.watch(tmp_path / "c.kin", iter(rows), against=before).scores.events == 700
    later = tk.watch(tmp_path / "c.kin", iter(rows[:50]))
    assert later.scores.events == 750 and "before.tsv" in later.reference, "the reference is kept"
    with pytest.raises(UsageError):
        tk.watch(tmp_path / "c.kin", restart=True)
    with pytest.raises(UsageError) as error:
        tk.watch(tmp_path / "other.kin")
    assert error.value.params == ("collection",)
    with pytest.raises(UsageError) as error:
        tk.watch(tmp_path / "c.kin", precision=1.0)
    assert error.value.params == ("precision",)


def test_the_precision_is_that_of_the_calibration(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "c.kin", HALF, precision=0.7)
    assert tk.watch(folder).state == "ok"
    assert tk.watch(folder, precision=0.7).state == "ok"
    with pytest.raises(DataError, match=r"begun with precision 0\.7, not 0\.95"):
        tk.watch(folder, precision=0.95)


def test_a_change_is_told_by_what_came_until_the_alarm_however_it_is_cut(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    reference = Reference(random.normal(0.5, 0.1, 500).astype(np.float32), "what was made up")
    scores = np.concatenate([random.normal(mean, 0.1, 300) for mean in (0.7, 0.5, 0.3)])
    labels = np.concatenate([random.random(count) < share for count, share in ((60, 0.5), (900, 0.8))])
    found = []
    for size in (7, 50, 1_000):
        log = WatchLog(tmp_path / f"{size}.jsonl", lambda _: Beginning(reference=reference))
        for start in range(0, len(scores), size):
            log.take(scores[start : start + size])
        for start in range(0, len(labels), size):
            log.take_labels(labels[start : start + size])
        one = log.found()
        found.append([(test.alarm, test.since, test.words) for test in (one.scores, one.labels)])
    assert found[0] == found[1] == found[2]
    assert all(alarm is not None and since <= alarm < 60 for alarm, since, _ in found[0])


def test_how_matches_are_watched(tmp_path: Path) -> None:
    near = {"nearest_id": "t", "nearest_text": "t", "score": 0.75}
    assert score_of(Match("a", "a", MatchVerdict.NEW, **near)) == 0.75
    assert score_of(Match("a", "a", MatchVerdict.ASK, **near, guards=("numbers",))) == -np.inf
    assert score_of(Match("a", "a", MatchVerdict.NEW)) == -np.inf
    assert score_of(Match("a", "a", MatchVerdict.DUPLICATE, nearest_id="b")) is None
    assert score_of(Match("a", "a", MatchVerdict.ASK, nearest_id="a", guards=("id",))) is None
    path = tmp_path / "m.csv"
    path.write_text('nearest_id,score,guards\nt,0.75,\nt,0.8,"names,order"\n,,\nt,,\nt,high,\nt,0.5,id\n')
    found = read_matches(path)
    assert found.values.tolist() == [0.75, -np.inf, -np.inf] and sum(found.read.skipped.values()) == 3
    with pytest.raises(DataError, match="is not a match"):
        score_of({"id": "a"})
    with pytest.raises(DataError) as error:
        read_labels(path)
    assert str(error.value.path).endswith("m.csv")


def test_texts_that_come_again_are_no_evidence(tmp_path: Path) -> None:
    with tk.open_collection(tmp_path / "c.kin", create=True) as opened:
        asked = [
            tk.Entry("1", "Where can I park?"),
            tk.Entry("2", "Where can I park?"),
            tk.Entry("3", "When?"),
        ]
        first, again = (opened.match(asked, add=True, threshold=0.9).matches for _ in range(2))
    assert [score_of(one) for one in first][:2] == [-np.inf, 1.0] and score_of(first[2]) is not None
    assert [one.verdict.value for one in again] == ["duplicate"] * 3
    assert [one.nearest_text for one in again] == ["Where can I park?", "Where can I park?", "When?"]
    assert [one.score for one in again] == [1.0, None, 1.0] and again[1].nearest_id == "1"
    assert [score_of(one) for one in again] == [None] * 3
    other = replace(again[0], text="Where may I park?", score=0.9)  # another text that has the same number
    assert score_of(other) == 0.9
    rows = [",".join(map(str, row_of(one).values())) for one in (*again, other)]
    path = tmp_path / "m.csv"
    path.write_text("\n".join([",".join(COLUMNS), *rows]).replace("None", "") + "\n")
    assert read_matches(path).values == pytest.approx([0.9])


def begun(kept: Reference | None) -> Beginning:
    made_up = Reference(drawn(0.5, 300, 9).astype(np.float32), "made up")
    return Beginning(reference=kept or made_up)


def test_a_log_hands_on_its_reference_unless_it_starts_over(tmp_path: Path) -> None:
    handed: list[str | None] = []

    def noted(kept: Reference | None) -> Beginning:
        handed.append(None if kept is None else kept.source)
        return begun(kept)

    for restart in (False, False, True):
        WatchLog(tmp_path / "log", noted, restart=restart)
    assert handed == [None, "made up", None]


def test_the_file_outlives_a_kill_and_tells_the_same_in_any_parts(tmp_path: Path) -> None:
    scores = drawn(0.5, 900, 4)
    scores[::40] = -np.inf
    whole, parts = WatchLog(tmp_path / "whole", begun), WatchLog(tmp_path / "parts", begun)
    whole.take(scores)
    for start in range(0, 900, 77):
        parts.take(scores[start : start + 77])
        with parts.path.open("ab") as stream:
            stream.write(b'{"scores": [0.5, 0.2')  # the rest of a write interrupted by a kill
        parts = WatchLog(parts.path, begun)
    assert parts.found().scores.events == 900
    assert parts.found().scores.evidence == pytest.approx(whole.found().scores.evidence, rel=1e-9)


def test_two_who_add_to_one_file_see_what_the_other_has_added(tmp_path: Path) -> None:
    first, second = (WatchLog(tmp_path / "log", begun) for _ in range(2))
    first.take([0.5, 0.6])
    second.take_labels([1, 0, 1])
    second.take([0.7])
    assert first.found().scores.events == 3 and first.found().same == 2
    assert not first.take([]) and first.found().scores == second.found().scores


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "other"},
        {"scores": ["x"]},
        {"scores": [float("nan")]},
        {"labels": [2]},
        {"labels": [1], "scores": [1]},
        {"other": 1},
    ],
)
def test_a_broken_line(tmp_path: Path, line: dict[str, object]) -> None:
    log = WatchLog(tmp_path / "log", begun)
    with log.path.open("a") as stream:
        stream.write(json.dumps(line) + "\n")
    with pytest.raises(DataError) as error:
        WatchLog(log.path, begun)
    assert error.value.line == 2


def test_a_log_that_is_removed_meanwhile_begins_again(tmp_path: Path, capsys: Any) -> None:
    log = WatchLog(tmp_path / "log", begun)
    assert log.take([0.9, 0.8]) and log.found().scores.events == 2
    log.path.unlink()
    assert log.take([0.7]) and log.found().scores.events == 1
    assert "the watch begins anew" in capsys.readouterr().err
    assert WatchLog(log.path, begun).found().scores.events == 1, "the file can be opened again"
    log.path.write_bytes(b'{"kind": "something else"}\n' * 99)
    with pytest.raises(DataError):
        log.take([0.7])


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "log").write_text('{"kind": "textkin labels"}\n')
    with pytest.raises(DataError) as error:
        WatchLog(tmp_path / "log", begun)
    assert error.value.line == 1
