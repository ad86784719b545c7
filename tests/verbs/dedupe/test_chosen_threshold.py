"""The threshold chosen by answers, as found by other commands."""

import csv

import pytest

import textkin as tk
from textkin.base.errors import ModelError, UsageError
from textkin.collection.match.match_rules import MatchOptions
from textkin.data import samples
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.verbs.dedupe.dedupe_file import dedupe_file
from textkin.verbs.dedupe.deduped import DedupeOptions
from textkin.verbs.dedupe.evidence import Evidence
from textkin.verbs.dedupe.sample import COLUMNS


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A deduplication whose threshold a person's answers chose."""
    out = tmp_path_factory.mktemp("decided")
    texts = samples.path("inbox.txt")
    low = DedupeOptions(threshold=0.7)
    dedupe_file(texts, out, options=low, evidence=Evidence(sample=10**6))
    with (out / "sample.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    for row in rows[1:]:
        row[COLUMNS.index("same")] = "yes" if float(row[5]) >= 0.8 else "no"
    with (out / "sample.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    judged = Evidence(labelled=out / "sample.csv")
    return dedupe_file(texts, out, options=DedupeOptions(precision=0.9), evidence=judged), rows[1:]


@pytest.mark.slow
def test_what_is_kept(decided):
    found, rows = decided
    saved = SavedDecision.read(found.decision)
    told = saved.threshold.threshold
    assert (told.value, told.goal) == (found.cut.value, "precision=0.9")
    scores = [float(row[5]) for row in rows]  # all were judged, so the figures are the truth
    taken = [score for score in scores if score >= told.value - 1e-6]
    right = sum(score >= 0.8 for score in taken)
    same = sum(score >= 0.8 for score in scores)
    assert (told.pairs, told.positives) == (len(scores), same)
    assert told.precision == pytest.approx(right / len(taken))
    assert told.recall == pytest.approx(right / same)
    assert told.f1 == pytest.approx(2 * right / (len(taken) + same))
    wrong = len(taken) + same - 2 * right
    assert told.accuracy == pytest.approx(1 - wrong / len(scores))
    assert saved.calibration is None and saved.threshold.precision[0] >= 0.9


@pytest.mark.slow
def test_where_it_is_found(decided, tmp_path):
    found, _ = decided
    at, value = found.decision, found.cut.value
    texts = samples.path("inbox.txt")
    again = dedupe_file(texts, tmp_path / "again", options=DedupeOptions(decision=at))
    assert again.cut.value == value and again.counts.removed == found.counts.removed
    promised = DedupeOptions(decision=at, precision=0.9)
    assert dedupe_file(texts, tmp_path / "again", options=promised).cut.value == value
    scored = tk.score([("Where can I park?", "Where can I park my car?")], decision=at)
    assert scored.threshold == value and scored.probabilities is None
    mined = tk.mine(["a b c", "a b c d"], decision=at)
    assert mined is not None
    with tk.open_collection(tmp_path / "c", create=True) as notes:
        notes.add(["Where can I park?"])
        rule = notes.match("Where can I park?", decision=at).rule
        assert rule.duplicate_from == value
    with pytest.raises(ModelError) as error:
        tk.score([("red apples", "green apples")], model="tfidf", decision=at)
    assert error.value.value == "tfidf"
    with pytest.raises(UsageError) as error:
        MatchOptions(decision=at, threshold=0.9)
    assert error.value.params == ("threshold", "decision")


def test_what_is_read_is_not_overwritten(decided):
    found, _ = decided
    judged = Evidence(labelled=found.out / "sample.csv")
    options = DedupeOptions(precision=0.9, decision=found.decision)
    with pytest.raises(UsageError) as error:
        dedupe_file(samples.path("inbox.txt"), found.out, options=options, evidence=judged)
    assert error.value.params == ("out",)
