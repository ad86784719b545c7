"""Triplets with a preference, as a kind of data of its own."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.preferences import Preference, PreferenceJudge, PreferenceKind, PreferenceSet

ROWS = [
    ("open", "opening hours", "parking", "first"),
    ("open", "parking", "opening hours", "-2"),
    ("pay", "by card", "by bus", "0.5"),
    ("pay", "by bus", "by card", "tie"),
    ("pay", "by bus", "", "first"),
    ("pay", "by bus", "by card", "perhaps"),
]


class Table:
    """Scores by the text beside the anchor."""

    name = "table"

    def __init__(self, worth=None):
        self.worth = worth or {"opening hours": 2.0, "by card": 1.0, "by bus": 1.0, "parking": 0.0}

    def score(self, pairs):
        return np.array([self.worth[text] for _, text in pairs])


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "judged.tsv"
    file.write_text("\n".join("\t".join(row) for row in [("anchor", "first", "second", "preference"), *ROWS]))
    return file


def test_a_file_is_compared(path):
    found = tk.compare(path, [Table()], resamples=50, rounds=50)
    assert (found.kind, found.measure, found.data) == ("preferences", "accuracy", "judged.tsv")
    (row,) = (one for one in found if one.system == "table")
    assert row.accuracy == pytest.approx((1 + 1 + 0.5) / 3)  # by bus and by card score alike
    assert "1 of 4 triplets are ties and left out" in found.notes
    assert found.read.skipped == {
        "empty text": 1,
        "a preference that is neither first, second, tie nor a number": 1,
    }


def test_the_judge_agrees_with_a_loop():
    generator = np.random.default_rng(0)
    texts = [f"text {number}" for number in range(40)]
    worth = dict(zip(texts, generator.integers(0, 5, 40).tolist(), strict=True))
    triplets = [
        Preference("q", *generator.choice(texts, 2, replace=False).tolist(), float(generator.integers(-3, 4)))
        for _ in range(200)
    ]
    judge = PreferenceJudge(PreferenceSet(tuple(triplets)), sampling=Sampling(10, 10))
    judge.take("table", Table(worth))
    earned = []
    for one in triplets:
        if one.margin:
            gap = (worth[one.first] - worth[one.second]) * one.margin
            earned.append(1 if gap > 0 else 0.5 if gap == 0 else 0)
    assert judge.value("table") == pytest.approx(sum(earned) / len(earned))


def test_results_are_read_again(path, tmp_path):
    kind = PreferenceKind()
    data = kind.read(path, tk.Reading()).data
    judge, again = (PreferenceJudge(data, sampling=Sampling(10, 10)) for _ in range(2))
    judge.take("table", Table())
    judge.write(tmp_path)
    again.read(tmp_path, ["table"])
    assert again.value("table") == judge.value("table")
    with pytest.raises(DataError):
        again.read(tmp_path, ["other"])


def test_rankings_are_learnt_from_them():
    data = PreferenceSet((Preference("q", "a", "b", -2.0), Preference("q", "a", "b", 0.0)))
    (query,) = PreferenceKind().learnt(data, "ranking")
    assert (query.labels, query.scores) == ((0, 1), (-2.0, 0.0))
    with pytest.raises(UsageError):
        PreferenceKind().learnt(data, "spans")


@pytest.mark.torch
def test_a_recipe_is_trained_on_a_file(path, tmp_path):
    run = tk.train(path, "static", dev=path, out=tmp_path / "run")
    assert run.measure == "AP" and run.dev > 0.5


def test_ties_alone_are_nothing_to_measure():
    with pytest.raises(DataError):
        PreferenceJudge(PreferenceSet((Preference("q", "a", "b", 0.0),)), sampling=Sampling())


@pytest.mark.parametrize(
    ("triplet", "param"),
    [
        (Preference("q", None, "b", 1.0), "first"),
        (Preference("q", "a", " ", 1.0), "second"),
        (Preference("q", "a", "b", float("nan")), "margin"),
        (Preference("q", "a", "b", "first"), "margin"),
    ],
)
def test_records_are_checked(triplet, param):
    with pytest.raises(UsageError) as error:
        tk.compare(PreferenceSet((triplet,)), "tfidf")
    assert error.value.params == (param,)


def test_files_may_have_another_encoding_and_no_column_twice(tmp_path):
    file = tmp_path / "latin.tsv"
    rows = [("anchor", "first", "second", "preference"), ("Öffnung", "Zeiten", "Bücher", "first")]
    file.write_text("\n".join("\t".join(row) for row in rows), encoding="latin-1")
    found = tk.compare(file, "tfidf", encoding="latin-1", resamples=20, rounds=20)
    assert found.kind == "preferences"
    twice = [("anchor", "first", "second", "preference", "first"), ("a", "b", "c", "1", "d")]
    file.write_text("\n".join("\t".join(row) for row in twice))
    with pytest.raises(DataError):
        tk.compare(file, "tfidf")
