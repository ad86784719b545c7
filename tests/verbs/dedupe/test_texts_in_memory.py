"""Deduplications of texts in memory with a folder: samples, labels and reports of a data frame."""

import csv

import numpy as np
import pandas
import pytest

import textkin as tk
from textkin.base.errors import OutputError, UsageError
from textkin.data import samples

TEXTS = ["When do you open?", "Where can I park?", "WHEN do you open?", "=1+1", "Do you sell tea?"]


def frame_of(texts):
    ids = [f"T{number}" for number in range(len(texts))]
    return pandas.DataFrame({"votes": range(len(texts)), "subject": texts}, index=ids)


def test_a_frame_gives_the_folder_of_a_file_with_all_its_columns(tmp_path):
    frame = frame_of([*TEXTS, None, float("nan")])
    found = tk.dedupe(frame, text="subject", threshold=0.9, out=tmp_path / "out")
    memory = tk.dedupe(frame.dropna(), text="subject", threshold=0.9)
    assert found.is_duplicate.tolist() == [*memory.is_duplicate.tolist(), False, False]
    assert found.counts.texts == 5 and (found.read.kept, found.read.rows) == (5, 7)
    with (tmp_path / "out" / "kept.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    kept = frame[~found.is_duplicate]
    assert [row["row"] for row in rows] == kept.index.tolist()
    assert [row["votes"] for row in rows] == kept["votes"].astype(str).tolist()
    assert [row["subject"].removeprefix("'") for row in rows] == kept["subject"].fillna("").tolist()


@pytest.mark.slow
def test_a_sample_is_labelled_and_finds_the_threshold(tmp_path):
    frame = frame_of(samples.path("inbox.txt").read_text(encoding="utf-8").splitlines())
    tk.dedupe(frame, text="subject", threshold=0.8, sample=40, out=tmp_path / "drawn")
    pairs = pandas.read_csv(tmp_path / "drawn" / "sample.csv")
    assert pairs["id_a"].isin(frame.index).all()
    pairs["same"] = "yes"
    pairs.to_csv(tmp_path / "judged.csv", index=False)
    judged = {"labelled": tmp_path / "judged.csv", "precision": 0.5, "out": tmp_path / "final"}
    final = tk.dedupe(frame, text="subject", **judged)
    assert final.decision == tmp_path / "final" / "decision.json" and final.is_duplicate.sum() > 0
    again = tk.dedupe(frame["subject"], decision=final.decision)
    assert np.array_equal(again.is_duplicate, final.is_duplicate)


@pytest.mark.parametrize("texts", [TEXTS, tuple(TEXTS), pandas.Series(TEXTS), np.array(TEXTS)])
def test_texts_without_columns_are_named_by_their_rows(tmp_path, texts):
    found = tk.dedupe(texts, threshold=0.9, out=tmp_path)
    assert found.is_duplicate.sum() == 1
    with (tmp_path / "texts.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["row"] for row in csv.DictReader(stream)] == list("01234")


def test_rows_are_named_by_their_index_beside_a_column_of_that_name(tmp_path):
    frame = pandas.DataFrame({"row": list("vwxyz"), "text": TEXTS}, index=[5, 1, 2, 3, 4])
    found = tk.dedupe(frame, text="text", threshold=0.9, out=tmp_path)
    assert len(found.is_duplicate) == 5 and found.is_duplicate.sum() == 1
    header = (tmp_path / "texts.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header == "row 2,row,text"
    by_column = tk.dedupe(frame, text="text", id="row", threshold=0.9, out=tmp_path)
    assert by_column.is_duplicate.tolist() == found.is_duplicate.tolist()


def test_what_can_not_be_written_or_read_is_refused(tmp_path):
    with pytest.raises(UsageError) as error:
        tk.dedupe(TEXTS, sample=10)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        tk.dedupe(frame_of([*TEXTS, 7]), text="subject", out=tmp_path / "a")
    assert error.value.params == ("texts",) and error.value.value == 7
    with pytest.raises(UsageError) as error:
        tk.dedupe(frame_of(TEXTS).assign(key="same"), text="subject", id="key", out=tmp_path / "b")
    assert error.value.params == ("texts",) and error.value.value == "same"
    (tmp_path / "texts.csv").write_text("mine")
    with pytest.raises(OutputError):
        tk.dedupe(TEXTS, out=tmp_path)
    assert (tmp_path / "texts.csv").read_text() == "mine"


@pytest.mark.parametrize("missing", [pandas.NA, None, float("nan")])
def test_missing_texts_are_told_without_a_folder_and_skipped_with_one(tmp_path, missing):
    frame = frame_of([*TEXTS, missing])
    with pytest.raises(UsageError) as error:
        tk.dedupe(frame, text="subject")
    assert error.value.params == ("texts",) and "dropna" in str(error.value.fix)
    assert tk.dedupe(frame, text="subject", threshold=0.9, out=tmp_path).read.kept == 5
