"""Triplets with a preference, as a kind of data of its own."""

import json

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.kinds.preferences import Preference, PreferenceJudge, PreferenceKind, PreferenceSet
from textkin.measures.intervals.sampling import Sampling

FEW = {"resamples": 50, "rounds": 50}
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


TOLD = [
    ("anchor", "first", "second", "preference"),
    ("open", "parking", "opening hours", "second"),  # as the data, with the texts exchanged
    ("pay", "by bus", "by card", "first"),
    ("pay", "by phone", "by card", "first"),  # not in the data
]


@pytest.mark.parametrize(
    ("source", "accuracy"), [("texts", 2 / 3), ("frame", 2 / 3), ("order", 1), ("numbers", 2 / 3)]
)
def test_another_systems_preferences_are_measured(path, tmp_path, source, accuracy):
    told = tmp_path / "judge.tsv"
    lines = ["\t".join(row) for row in TOLD] if source in ("texts", "frame") else ["first", "-1", "1", "tie"]
    told.write_text("\n".join(lines))
    given = {"numbers": [1, 0.0, 0, 5]}.get(source, told)
    found = tk.compare(path, {"judge": pd.read_csv(told, sep="\t") if source == "frame" else given}, **FEW)
    (row,) = (one for one in found if one.system == "judge")
    assert row.accuracy == pytest.approx(accuracy)
    assert any("1 prediction" in note for note in found.notes) is (source in ("texts", "frame"))


def test_a_triplet_has_its_own_prediction_even_if_both_orders_were_asked(tmp_path):
    rows = [(f"open {n}", f"open {n} today", "parking", "first") for n in range(4)]
    data = written(tmp_path / "data.tsv", rows)
    turned = [(anchor, second, first, "first") for anchor, first, second, _ in rows]  # always the first
    for told in ([*rows, *turned], [*turned, *rows], [*rows, rows[0]], rows):
        found = tk.compare(
            data, {"judge": written(tmp_path / "judge.tsv", told)}, baselines="constant", **FEW
        )
        assert next(one for one in found if one.system == "judge").accuracy == 1
    with pytest.raises(DataError, match="two preferences"):
        told = [*rows, (*rows[0][:3], "second")]
        tk.compare(data, {"judge": written(tmp_path / "judge.tsv", told)}, **FEW)


def test_predictions_are_combined_with_a_model(tmp_path):
    rows = [(f"open {n}", f"open {n} today", "parking", "first") for n in range(20)]
    data = written(tmp_path / "data.tsv", [*rows, ("open", "hours", "days", "tie")])
    judge = {"judge": written(tmp_path / "judge.tsv", rows), "random": "random"}
    found = tk.ensemble(judge, dev=data, out=tmp_path / "both", **FEW)
    assert found.compared.members["predictions of judge"].value == 1


def test_equal_scores_decide_for_none_and_that_is_told(tmp_path):
    rows = [(f"open {n}", f"open {n} today", "parking", "first") for n in range(20)]
    file = written(tmp_path / "data.tsv", rows)
    agreed = tk.compare(file, ["tfidf", "constant"], agreement=True, resamples=20)
    assert agreed.notes == ("constant: 20 triplets with equal scores for both texts, which decide for none",)


@pytest.mark.parametrize("head", ["preference", "id,preference", "theirs,votes", ""])
def test_a_column_of_preferences_is_found_by_its_name(path, tmp_path, head):
    told, rows = (
        tmp_path / "told.csv",
        ["second", "first", "second", "tie"],
    )  # all wrong, the last is no matter
    cells = {"id,preference": "9,{}", "theirs,votes": "{},9"}.get(head, "{}")
    told.write_text("\n".join([head, *map(cells.format, rows)]).lstrip("\n"))
    (row,) = (one for one in tk.compare(path, {"theirs": told}, **FEW) if one.system == "theirs")
    assert row.accuracy == 0


def test_a_file_that_does_not_tell_its_preferences_is_refused(path, tmp_path):
    told = tmp_path / "told.csv"
    told.write_text("id,said\n1,first\n2,first\n3,first\n4,first\n")
    with pytest.raises(DataError) as error:
        tk.compare(path, {"theirs": told}, **FEW)
    assert error.value.path == told
    told.write_text("preference\nfirst\nfirst\nperhaps\nfirst\n")
    with pytest.raises(DataError) as error:
        tk.compare(path, {"theirs": told}, **FEW)
    assert (error.value.path, error.value.line) == (told, 4)


@pytest.mark.parametrize("given", [[1.0], [1.0, 2.0, 3.0, np.nan], {"open": 1.0}])
def test_predictions_that_fit_no_triplet_are_refused(path, given):
    with pytest.raises(DataError):
        tk.compare(path, {"judge": given}, **FEW)


NAMES = ("anchor", "first", "second", "preference")
JUDGED = [
    ("open", "opening hours", "parking", "first"),
    ("open", "parking", "opening hours", "second"),
    ("Open!", "parking", "opening hours", "first"),
    ("pay", "by card", "by card", "first"),
]


def written(path, rows):
    path.write_text("\n".join("\t".join(row) for row in (NAMES, *rows)))
    return path


def test_rows_in_memory_are_compared_as_a_file_is(path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [row for row in ROWS if all(row) and row[-1] != "perhaps"]
    frame = pandas.DataFrame(rows, columns=NAMES)
    read = tk.compare(path, [Table()], resamples=20, rounds=20).as_dict()["systems"]
    for data in (frame, frame.to_dict("records"), [Preference(*row) for row in rows]):
        found = tk.compare(data, [Table()], resamples=20, rounds=20)
        assert (found.kind, found.as_dict()["systems"]) == ("preferences", read)
    with pytest.raises(UsageError) as error:
        tk.compare([dict(zip(NAMES, ROWS[-1], strict=True))], [Table()])
    assert error.value.params == ("preference",)


@pytest.mark.parametrize(
    ("changed", "param"),
    [
        ({"preference": True}, "preference"),
        ({"preference": False}, "preference"),
        ({"second": "x"}, "second"),
    ],
)
def test_rows_in_memory_that_a_file_would_not_count_are_refused(changed, param):
    row = {"anchor": "a", "first": "x", "second": "y", "preference": 1} | changed
    with pytest.raises(UsageError) as error:
        tk.compare([row], [Table()])
    assert error.value.params == (param,)


def test_a_first_record_may_be_long(tmp_path):
    file = tmp_path / "judged.jsonl"
    rows = [dict(zip(NAMES, row, strict=True)) for row in JUDGED]
    rows[0]["anchor"] += " x" * 50_000
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert tk.compare(file, [Table()], resamples=20, rounds=20).kind == "preferences"


def test_triplets_that_are_judged_twice_or_in_two_ways_are_found(tmp_path):
    file = written(tmp_path / "judged.tsv", JUDGED)
    found = {
        one.kind.value: [place.line for one in one.examples for place in one.places]
        for one in tk.lint(file).findings
    }
    assert found["repeated-pair"] == [2, 3, 2, 4]
    assert found["contradictory-label"] == [2, 4]
    assert found["skipped-row"] == [5]
    other = written(tmp_path / "other.tsv", [("way", "by bus", "parking", "tie")])
    shared = next(one for one in tk.lint([file, other]).findings if one.kind == "shared-text")
    assert [one.text for one in shared.examples] == ["parking"]


def test_sides_share_no_text(tmp_path):
    rows = [(f"q{n}", f"near {n}", f"far {n}", "first") for n in range(40)]
    rows.append(("q1", "near 1", "far 2", "first"))  # links two groups, unless it is left out
    file = written(tmp_path / "judged.tsv", rows)
    train, dev, test = tk.split(file, rule="cut")
    texts = [
        {text for one in side for text in (one.anchor, one.first, one.second)} for side in (train, dev, test)
    ]
    assert not (texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])
    assert len(train) + len(dev) + len(test) in (40, 41)
    report = tk.split([Preference(*row) for row in rows], out=tmp_path / "split")
    assert sum(side.pairs for side in report.sides.values()) == 41 and report.shared.texts == 0
    read = tk.compare(tmp_path / "split" / "train.tsv", [Table(dict.fromkeys(sum(rows, ()), 0.0))])
    assert read.kind == "preferences"


def test_each_anchor_is_scored_with_both_texts(path):
    found = tk.score(pairs=path, model=Table())
    assert found.scores.tolist() == [2, 0, 0, 2, 1, 1, 1, 1]
    assert list(found.places) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert tk.score([Preference("open", "by card", "parking", 1.0)], model=Table()).scores.tolist() == [
        1,
        0,
    ]


@pytest.mark.parametrize("verb", [tk.calibrate, tk.negatives])
def test_preferences_are_no_labels(path, tmp_path, verb):
    with pytest.raises(UsageError) as error:
        verb(path, model="random", out=tmp_path / "out.tsv")
    assert error.value.value == "triplets with a preference"


def test_systems_agree_and_are_combined(tmp_path):
    rows = [(f"open {n}", f"open {n} today", "parking", "first") for n in range(20)]
    file = written(tmp_path / "judged.tsv", rows)
    agreed = tk.compare(file, ["tfidf", "bm25"], agreement=True, resamples=20)
    assert agreed.items == 20 and agreed.decision == "which text is nearer"
    found = tk.ensemble(["tfidf", "bm25"], dev=file, out=tmp_path / "both", resamples=20, rounds=20)
    assert found.kind == "rankings"


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
        if one.preference:
            gap = (worth[one.first] - worth[one.second]) * one.preference
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
    assert run.measure == "MAP" and run.dev > 0.5


def test_ties_alone_are_nothing_to_measure():
    with pytest.raises(DataError):
        PreferenceJudge(PreferenceSet((Preference("q", "a", "b", 0.0),)), sampling=Sampling())


@pytest.mark.parametrize(
    ("triplet", "param"),
    [
        (Preference("q", None, "b", 1.0), "first"),
        (Preference("q", "a", " ", 1.0), "second"),
        (Preference("q", "a", "b", float("nan")), "preference"),
        (Preference("q", "a", "b", "nearer"), "preference"),
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
