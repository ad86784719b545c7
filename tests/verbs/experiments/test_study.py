"""``study`` of files, records and given sides."""

import pandas as pd
import pytest

import textkin as tk
from tests.verbs.making_data import write_questions, write_recipe
from tests.verbs.public.making import DEV, ROWS, TRAIN
from textkin.base.errors import ConfigError, DataError, UsageError
from textkin.data import samples

pytestmark = pytest.mark.long

TEST = pd.DataFrame(samples.pairs("hobbies")[::3], columns=["q1", "q2", "same"])


@pytest.mark.torch
def test_a_study_tells_what_given_sides_share(tmp_path):
    test = [*samples.pairs("hobbies")[::3], *TRAIN[:40]]
    for name, rows in {"train": TRAIN, "dev": DEV, "test": test}.items():
        lines = ["a\tb\tlabel", *(f"{a}\t{b}\t{label}" for a, b, label in rows)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n")
    found = _study(tmp_path, tmp_path / "study")
    told = " ".join([*found.report.notes, *found.report.facts.proof])
    assert "left out, since one of their texts is in dev or test too" in told


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\tlabel\n" + "".join(f"{a}\t{b}\t{label}\n" for a, b, label in ROWS))
    return path


def _study(data, out):
    return tk.study(data, out=out, models="static", seeds=1, resamples=40, rounds=40)


@pytest.mark.torch
def test_a_study_of_rows_is_a_study_of_their_file(pairs, tmp_path):
    by_path = _study(pairs, tmp_path / "one")
    by_rows = _study(ROWS, tmp_path / "two")
    again = _study(tk.as_pairs(ROWS), tmp_path / "two")
    costs = {"seconds"}
    for other in (by_rows, again):
        for ours, theirs in zip(by_path.rows(), other.rows(), strict=True):
            assert {key: ours[key] for key in ours.keys() - costs} == {
                key: theirs[key] for key in theirs.keys() - costs
            }
    assert "textkin-" not in (by_rows.folder / "report.json").read_text(encoding="utf-8")


@pytest.mark.torch
def test_sides_come_from_frames_and_records(tmp_path):
    wide = pd.DataFrame(TRAIN, columns=["q1", "q2", "same"]).assign(votes=1)
    roles = {"a": "q1", "b": "q2", "label": "same"}
    sides = {"train": wide, "dev": pd.DataFrame(DEV, columns=wide.columns[:3]), "test": TEST.to_dict("list")}
    options = {"models": "static", "seeds": 1, "resamples": 40, "rounds": 40}
    found = tk.study(**sides, out=tmp_path / "study", columns=roles, **options)
    assert "static" in {row.system for row in found}
    assert tk.study(**sides, out=tmp_path / "study", columns=roles, **options).rows() == found.rows()
    assert "textkin-" not in (tmp_path / "study" / "report.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "params"),
    [
        ({}, ("pairs",)),
        ({"train": TRAIN}, ("test",)),
        ({"dev": DEV}, ("train", "test")),
        ({"test": DEV}, ("train",)),
    ],
)
def test_what_is_missing_is_named(given, params, tmp_path):
    with pytest.raises(UsageError) as error:
        tk.study(out=tmp_path / "study", **given)
    assert error.value.params == params
    assert not (tmp_path / "study").exists()


def test_a_wrong_model_is_told_before_the_file_is_read(tmp_path):
    """The file may be large, and here it doesn't exist at all."""
    with pytest.raises(ConfigError) as error:
        tk.study(tmp_path / "none.tsv", out=tmp_path / "study", models=["statik"])
    assert (error.value.params, error.value.value) == (("models",), "statik")
    with pytest.raises(DataError) as error:
        tk.study(tmp_path / "none.tsv", out=tmp_path / "study", models="static")
    assert str(error.value.path).endswith("none.tsv")


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"precision": 0.9, "f1": True}, ("precision", "f1")),
        ({"rule": "estimate"}, ("precision",)),
        ({"models": ()}, ("models",)),
        ({"near": 1.5}, ("near",)),
        ({"columns": {"c": "a"}}, ("columns",)),
        ({"seeds": 0}, ("seeds",)),
        ({"start": "default"}, ("start",)),
        ({"test": "test.tsv"}, ("pairs", "test")),
    ],
)
def test_options_that_no_study_has(options, params, pairs, tmp_path):
    with pytest.raises(tk.TextkinError) as error:
        tk.study(pairs, out=tmp_path / "study", **options)
    assert error.value.params == params


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["file", "frame"])
def test_queries_with_candidates_are_split_first(tmp_path, kind):
    write_questions(tmp_path / "asked.tsv", range(40))
    frame = pd.read_csv(tmp_path / "asked.tsv", sep="\t")
    data = tmp_path / "asked.tsv" if kind == "file" else frame
    options = {"models": write_recipe(tmp_path, "small"), "seeds": 1, "resamples": 40, "rounds": 40}
    options |= {"measures": "MAP", "device": "cpu"}
    with pytest.raises(UsageError) as error:
        tk.study(data, out=tmp_path / "study", curve=True, **options)
    assert error.value.params == ("curve",) and not (tmp_path / "study").exists()
    with pytest.raises(ConfigError):
        tk.study(data, out=tmp_path / "study", **options | {"models": "statik"})
    assert not (tmp_path / "study").exists()
    found = tk.study(data, out=tmp_path / "study", **options)
    tk.split(data, out=tmp_path / "sides")
    by_hand = tk.study(tmp_path / "sides", out=tmp_path / "by-hand", **options)
    again = tk.study(data, out=tmp_path / "study", **options)
    for other in (by_hand, again):
        for ours, theirs in zip(found.rows(), other.rows(), strict=True):
            assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}
    with pytest.raises(UsageError) as error:
        tk.study(data, out=tmp_path / "study", split_seed=3, **options)
    assert error.value.params == ("out",)
    (tmp_path / "study" / "split" / "split.json").write_text('{"seed": 42, "input": []}')
    with pytest.raises(UsageError) as error:
        tk.study(data, out=tmp_path / "study", **options)
    assert error.value.params == ("out",)
    elsewhere = tk.study(data, out=tmp_path / "other", split_seed=3, **options)
    assert (elsewhere.folder / "split" / "test.tsv").read_bytes() != (
        tmp_path / "sides/test.tsv"
    ).read_bytes()
