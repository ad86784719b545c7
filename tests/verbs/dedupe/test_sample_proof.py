"""Proofs from a labelled sample: by the order of draws, at any stopping time."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from textkin.base.errors import DataError, PromiseError, UsageError
from textkin.data import samples
from textkin.measures.decisions.goal import GoalRule
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.verbs.dedupe.dedupe_file import dedupe_file
from textkin.verbs.dedupe.deduped import DedupeOptions
from textkin.verbs.dedupe.deduped_file import DedupedFile
from textkin.verbs.dedupe.evidence import Evidence
from textkin.verbs.dedupe.sample import COLUMNS, DrawnPair
from textkin.verbs.dedupe.sample_answers import Strata
from textkin.verbs.dedupe.sample_proof import proof_of, read_proof

SAME, SCORE, DRAW = (COLUMNS.index(name) for name in ("same", "score", "draw"))


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A sample of all similar pairs of the inbox, with nothing answered."""
    given = Evidence(sample=10**6)
    dedupe_file(samples.path("inbox.txt"), tmp_path, options=DedupeOptions(threshold=0.7), evidence=given)
    return tmp_path / "sample.csv"


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as stream:
        return list(csv.reader(stream))[1:]


def write(path: Path, rows: list[list[str]], columns: tuple[str, ...] = COLUMNS) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])


def judge(path: Path, most: int = 10**6) -> None:
    rows = rows_of(path)
    for row in rows:
        if int(row[DRAW]) <= most:
            row[SAME] = "yes" if float(row[SCORE]) >= 0.75 else "no"
    write(path, rows)


def proven(path: Path, precision: float = 0.8) -> DedupedFile:
    evidence = Evidence(labelled=path, proof=True)
    options = DedupeOptions(precision=precision)
    return dedupe_file(samples.path("inbox.txt"), path.parent, options=options, evidence=evidence)


def test_where_all_is_judged_the_truth_is_proven(drawn: Path) -> None:
    judge(drawn)
    found = proven(drawn)
    scores = np.array([float(row[SCORE]) for row in rows_of(drawn)])
    assert found.proof is not None and found.proof.labels == len(scores) and found.proof.blank == 0
    for one in found.proof.at:
        reached = scores >= one.threshold - 1e-6
        assert one.pairs == reached.sum()
        assert one.least == pytest.approx((scores[reached] >= 0.75).mean())
    assert found.cut.value == min(one.threshold for one in found.proof.at if one.least >= 0.8)
    assert "a proven precision of 0.8" in found.cut.words and found.decision is not None
    saved = SavedDecision.read(found.decision).threshold.proof
    assert saved is not None and saved.precision >= 0.8 and saved.pairs == len(scores)
    assert '"proof"' in (drawn.parent / "dedupe.json").read_text()


def test_the_order_of_the_draws_counts_and_not_that_of_the_rows(drawn: Path) -> None:
    judge(drawn, 40)
    once = read_proof(drawn)
    write(drawn, sorted(rows_of(drawn), key=lambda row: row[SCORE]))
    assert read_proof(drawn) == once and once.labels == 40


@pytest.mark.slow
def test_what_is_left_blank_before_the_last_answer_counts_against(drawn: Path) -> None:
    judge(drawn, 40)
    whole = read_proof(drawn)
    rows = rows_of(drawn)
    for row in rows:
        if row[SAME] == "yes" and int(row[DRAW]) % 3 == 0:
            row[SAME] = ""
    write(drawn, rows)
    picked = read_proof(drawn)
    assert picked.blank > 0 and all(
        ours.least <= theirs.least for ours, theirs in zip(picked.at, whole.at, strict=True)
    )
    with pytest.raises(PromiseError):
        proven(drawn, 0.99)


@pytest.mark.slow
def test_a_file_that_does_not_say_how_it_was_drawn_proves_nothing(drawn: Path) -> None:
    judge(drawn)
    rows = rows_of(drawn)
    write(drawn, [row[:DRAW] for row in rows], COLUMNS[:DRAW])
    with pytest.raises(DataError) as error:
        proven(drawn)
    assert str(error.value.path).endswith("sample.csv")
    evidence = Evidence(labelled=drawn)  # without a proof it is what it was
    dedupe_file(samples.path("inbox.txt"), drawn.parent, options=DedupeOptions(), evidence=evidence)
    write(drawn, rows[:-5])
    assert read_proof(drawn).labels == len(rows) - 5, "who stops early has judged the first draws"
    write(drawn, rows[5:])
    with pytest.raises(DataError) as error:
        proven(drawn)
    assert str(error.value.path).endswith("sample.csv")
    write(drawn, [*rows[:-1], rows[0]])
    with pytest.raises(DataError) as error:
        proven(drawn)
    assert str(error.value.path).endswith("sample.csv")


def test_what_can_not_be_proven(drawn: Path) -> None:
    with pytest.raises(UsageError) as error:
        Evidence(proof=True)
    assert error.value.params == ("labelled",)
    with pytest.raises(UsageError) as error:
        Evidence(proof=True, labelled=drawn, rule=GoalRule.ESTIMATE)
    assert error.value.params == ("proof", "rule")
    with pytest.raises(UsageError) as error:
        evidence = Evidence(proof=True, labelled=drawn)
        dedupe_file(samples.path("inbox.txt"), drawn.parent, evidence=evidence)
    assert error.value.params == ("precision",)
    with pytest.raises(DataError) as error:
        proven(drawn)
    assert str(error.value.path).endswith("sample.csv")


@pytest.mark.slow
def test_just_below_a_goal_few_are_ever_proven() -> None:
    random, wrong, replays = np.random.default_rng(4), 0, 40
    ranges = Strata(np.array([0.7, 0.8, 0.9], dtype=np.float32), np.array([200, 100, 100]))
    for _ in range(replays):
        same = [
            random.permutation(size) >= no for size, no in ((200, 35), (100, 5), (100, 1))
        ]  # .8975 of all
        member = random.permutation(np.repeat([0, 1, 2], 60))
        draws = [DrawnPair(int(one), None) for one in member]
        taken = [0, 0, 0]
        for place, one in enumerate(member.tolist()):
            draws[place] = DrawnPair(one, bool(same[one][taken[one]]))
            taken[one] += 1
        wrong += max(proof_of(ranges, draws[:count]).at[0].least for count in (60, 120, 180)) >= 0.9
    assert wrong <= 6
