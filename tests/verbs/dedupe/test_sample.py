"""Samples of pairs: drawn from all scores, equal in any order, and as informative as stated."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts
from textkin.verbs.dedupe.sample import COLUMNS, draw, read_answers, strata, write_sample

LOWEST, THRESHOLD = 0.97, 0.98


def circle(count, seed=0, order=None):
    """Texts with vectors at random places on a part of a circle."""
    angles = np.random.default_rng(seed).uniform(0, 2.5, count)
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    order = np.arange(count) if order is None else order
    return dedupe_texts(
        [f"text x{chr(97 + place // 26)}{chr(97 + place % 26)}" for place in order],
        embeddings=vectors[order],
        options=DedupeOptions(threshold=THRESHOLD),
        ids=[f"id{place}" for place in order],
        lowest=LOWEST,
    )


def written(path, rows):
    stream = io.StringIO()
    write_sample(rows, stream)
    path.write_text(stream.getvalue())
    return path


@given(
    st.lists(st.floats(0.5, 1.0, width=32), min_size=1, max_size=300),
    st.floats(0.5, 1.0),
)
def test_ranges_hold_every_score_once(scores, threshold):
    scores = np.array(scores, dtype=np.float32)
    found = strata(scores, threshold, lowest=0.5)
    member = found.of(scores)
    assert np.bincount(member[member >= 0], minlength=len(found.edges)).tolist() == found.pairs.tolist()
    assert (found.pairs > 0).all() and (np.diff(found.edges) > 0).all()
    reached = (scores >= np.float32(threshold)).sum()
    if reached and (scores < np.float32(threshold)).any():  # no range is on both sides of it
        assert found.pairs[np.searchsorted(found.edges, np.float32(threshold)) :].sum() == reached


def test_ranges_halve_what_is_above():
    scores = np.sort(np.random.default_rng(0).uniform(0.8, 1.0, 8000)).astype(np.float32)
    found = strata(scores, 0.9, lowest=0.8)
    assert np.float32(0.9) in found.edges
    above = np.cumsum(found.pairs[::-1])[::-1]
    assert above[:-1] / above[1:] == pytest.approx(np.full(len(above) - 1, 2.0), rel=0.2)


def test_the_order_of_the_texts_does_not_count():
    order = np.random.default_rng(1).permutation(60)
    once = draw(circle(60), 25, seed=3)
    assert draw(circle(60, order=order), 25, seed=3) == once
    assert draw(circle(60), 25, seed=4) != once
    assert len(once) == 25 == len({(row[3], row[4]) for row in once})


def test_every_range_is_seen():
    found = circle(200)
    rows = draw(found, 60)
    ranges = strata(found.similar.edges.score, THRESHOLD, lowest=found.similar.lowest)
    drawn = {row[COLUMNS.index("range_from")] for row in rows}
    assert drawn == {str(edge) for edge in ranges.edges}


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(80,), (40, 80)])
def test_estimates_hold_the_truth_as_often_as_they_say(sizes, tmp_path):
    """A known rule plays the person: 95 % intervals contain the truth in 90 % or more of 60 draws.

    This also holds if a sample is enlarged.
    """
    found = circle(150)
    pairs = found.similar.edges.where(found.similar.edges.score >= np.float32(THRESHOLD))

    def same(a, b, score):
        return score > 0.99 and (int(a[2:]) * 31 + int(b[2:])) % 7 > 0

    names = [(found.ids[a], found.ids[b]) for a, b in zip(pairs.a, pairs.b, strict=True)]
    truth = np.mean(
        [same(*sorted(pair), score) for pair, score in zip(names, pairs.score.tolist(), strict=True)]
    )
    held = []
    for seed in range(60):
        path = None
        for size in sizes:
            rows = [
                (*row[:2], "y" if same(*sorted(row[3:5]), float(row[5])) else "n", *row[3:])
                for row in draw(found, size, seed=seed, judged=path)
            ]
            path = written(tmp_path / "sample.csv", rows)
        answers = read_answers(path, found).answers()
        told = next(at.precision for at in answers.at if at.threshold == np.float32(THRESHOLD))
        assert answers.judged == 80
        held.append(told.low <= truth <= told.high)
    assert np.mean(held) >= 0.9


def test_a_larger_sample_keeps_what_was_judged(tmp_path):
    found = circle(150)
    small = draw(found, 40, seed=1)
    path = written(
        tmp_path / "sample.csv",
        [(*row[:2], ("yes", "no", "")[place % 3], *row[3:]) for place, row in enumerate(small)],
    )
    large = draw(found, 80, seed=2, judged=path)
    assert len(large) == 80
    answers = {row[3:5]: row[2] for row in large}
    assert {row[3:5]: answers[row[3:5]] for row in small} == {
        row[3:5]: ("yes", "no", "")[place % 3] for place, row in enumerate(small)
    }
    assert [row[2] == "" for row in large] == sorted((row[2] == "" for row in large), reverse=True)
    assert sum(row[2] != "" for row in large) == 27
    order = sorted(large, key=lambda row: int(row[-1]))
    assert [row[3:5] for row in order[:40]] == [row[3:5] for row in small], "first drawn, first counted"
    places = [int(row[-1]) for row in large if row[2] == ""]
    assert places == sorted(places), "pairs are judged in the order in which they were drawn"
    assert len(draw(found, 10, judged=path)) == 40  # none is thrown away
    drawn = {row[3:5] for row in large}
    assert {row[3:5] for row in draw(found, 80, seed=3, judged=path)} != drawn


def test_a_sample_of_other_ranges_takes_answers_over(tmp_path):
    """Around another threshold pairs are redrawn, and known ones are not asked again."""
    found = circle(150)
    path = written(tmp_path / "sample.csv", [(*row[:2], "no", *row[3:]) for row in draw(found, 80)])
    judged = {row[3:5] for row in draw(found, 80)}
    moved = found.rethreshold(0.99)
    anew = draw(moved, 80, judged=path)
    assert {row[3:5] for row in anew} == {row[3:5] for row in draw(moved, 80)}
    assert [row[2] for row in anew] == ["no" if row[3:5] in judged else "" for row in anew]
    assert 0 < sum(row[2] == "no" for row in anew) < 80


def test_what_a_spreadsheet_does_to_a_file(tmp_path):
    """Semicolons, a byte order mark and other line ends change nothing."""
    found = circle(40)
    rows = [(*row[:2], "Yes", *row[3:]) for row in draw(found, 12)]
    path = tmp_path / "sample.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream, delimiter=";", quoting=csv.QUOTE_ALL).writerows([COLUMNS, *rows])
    answers = read_answers(path, found).answers()
    assert answers.judged == 12
    assert {at.precision.value for at in answers.at if at.precision} == {1.0}
