"""Duplicates that other programs found, beside models."""

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.records import DuplicateSet
from textkin.data.splits.training_texts import Seen, SeenShare
from textkin.kinds.duplicates_judge import MiningJudge
from textkin.kinds.predicted_duplicates import miner_from
from textkin.kinds.registry import data_kind
from textkin.kinds.systems.predictions import Predictions
from textkin.measures.intervals.sampling import Sampling

FEW = {"resamples": 20, "rounds": 20}
TEXTS = {"1": "open", "2": "Open!", "3": "parking", "4": "a park", "5": "pay"}
DATA = DuplicateSet(TEXTS, (("1", "2"), ("4", "3")), "few")
FOUND = {("1", "2"): 0.9, ("5", "1"): 0.7, ("3", "4"): 0.5}
AP = (1 + 2 / 3) / 2
ROWS = "".join(f"{a},{b},{score}\n" for (a, b), score in FOUND.items())


def ap(given, data=DATA):
    found = tk.compare(data, {"theirs": given}, baselines="tfidf", **FEW)
    return next(one for one in found.systems.rows if one.name == "theirs").measures["AP"].value


@pytest.mark.parametrize(
    "text",
    [
        f"id_a,id_b,score\n{ROWS}",
        f"qid1,qid2,theirs\n{ROWS}",
        "score,text,id1,id2,cosine\n" + "".join(f"{s},x,{b},{a},0\n" for (a, b), s in FOUND.items()),
        f"id_a,id_b,score\n{ROWS}2,1,0.1\n",  # either order: the higher score counts
        "text_a,text_b,sim\n" + "".join(f"{TEXTS[a]},{TEXTS[b]},{s}\n" for (a, b), s in FOUND.items()),
    ],
)
def test_pairs_with_scores_are_measured_as_those_of_a_model(write, text):
    assert ap(write(text)) == pytest.approx(AP)


def test_pairs_from_memory(tmp_path):
    rows = [(int(a), int(b), score) for (a, b), score in FOUND.items()]
    frame = pd.DataFrame(rows, columns=["qid1", "qid2", "cosine"])
    frame.to_parquet(tmp_path / "theirs.parquet")
    texts = frame.assign(text_a=frame.qid1.astype(str).map(TEXTS), text_b=frame.qid2.astype(str).map(TEXTS))
    for given in (FOUND, frame, tmp_path / "theirs.parquet", texts[["text_b", "text_a", "cosine"]]):
        assert ap(given) == pytest.approx(AP)
    assert ap([FOUND, {("1", "2"): 1, ("3", "4"): 1}]) == pytest.approx((AP + 1) / 2)
    assert ap(frame[:0]) < AP


def test_what_a_system_found_is_measured_alike_without_it(tmp_path):
    mined = tk.compare(DATA, "tfidf-char", baselines="tfidf", out=tmp_path / "out", **FEW)
    again = tk.compare(DATA, {"theirs": tmp_path / "out/tfidf-char.mined.tsv"}, baselines="tfidf-char", **FEW)
    ours, theirs = (
        next(one for one in found.systems.rows if one.name == name)
        for found, name in ((mined, "tfidf-char"), (again, "theirs"))
    )
    assert ours.measures == theirs.measures
    assert again.systems.predictions == ("theirs",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"id_a,id_b,score\n{ROWS}1,9,0.1\n", 5),
        (f"id_a,id_b,score\n{ROWS}1,1,0.1\n", 5),
        (f"id_a,id_b,score\n{ROWS}1,2,0.1\n", 5),
        (f"id_a,id_b,score\n{ROWS}1,3,high\n", 5),
        (f"id_a,id_b,score\n{ROWS}1,3,nan\n", 5),
        (f"one,other,score\n{ROWS}", None),
        ("id_a,id_b,number,other\n1,2,0.9,1\n", None),
        ("0.9\n0.1\n0.2\n", None),
        ("text_a,text_b,score\nopen,Open!,1\nopen,closed,1\n", 3),
    ],
)
def test_wrong_pairs(write, text, line):
    path = write(text)
    with pytest.raises(DataError) as error:
        ap(path)
    assert (error.value.path, error.value.line) == (path, line)


@pytest.mark.parametrize(
    "given",
    [
        {"1": 0.5},
        {("1", "9"): 0.5},
        {("1", "2"): None},
        np.ones(3),
        pd.DataFrame({"id_a": ["1"], "score": [1.0]}),
        pd.DataFrame({"id_a": ["1"], "id_b": ["2"]}),
    ],
)
def test_wrong_pairs_in_memory(given):
    with pytest.raises(DataError) as error:
        ap(given)
    assert error.value.path is None and "theirs" in error.value.message


def test_equal_texts_need_ids(write):
    data = DuplicateSet({"1": "open", "2": "open", "3": "pay"}, (("1", "2"),), "few")
    path = write("text_a,text_b,score\nopen,pay,1\n")
    with pytest.raises(DataError) as error:
        ap(path, data)
    assert error.value.path == path


def test_predictions_know_the_measured_texts_alone():
    system = miner_from(DATA, Predictions("theirs", FOUND)).system
    other = DuplicateSet({"7": "a", "8": "A"}, (("7", "8"),))
    with pytest.raises(DataError):
        system.mined(list(other.texts.values()))
    judge = MiningJudge(DATA, sampling=Sampling(20, 20), dev=other)
    judge.take("theirs", system)
    assert list(judge.figures("theirs")) == ["AP"]


def test_nothing_is_decided_on_duplicates(tmp_path):
    with pytest.raises(UsageError) as error:
        tk.compare(DATA, {"theirs": FOUND, "ours": FOUND}, agreement=True, resamples=20)
    assert error.value.params == ("data",)
    with pytest.raises(UsageError) as error:
        tk.ensemble({"theirs": FOUND, "tfidf": "tfidf"}, dev=DATA, out=tmp_path / "e")
    assert error.value.params == ("dev",)


def test_the_duplicates_are_what_a_model_must_not_have_learnt():
    seen = Seen.of([("Open!", "open")])
    assert seen.share(data_kind(DATA).counted(DATA)) == SeenShare(pairs=2, learnt=1, sharing=1)


@pytest.mark.parametrize(
    ("texts", "pairs", "param"),
    [
        (["open"], (), "texts"),
        (TEXTS, [("1", "9")], "pairs"),
        (TEXTS, [("1", "1")], "pairs"),
        (TEXTS, ["12"], "pairs"),
        (TEXTS, [("1", "2"), ("2", "1")], "pairs"),
    ],
)
def test_wrong_records(texts, pairs, param):
    with pytest.raises(UsageError) as error:
        tk.compare(DuplicateSet(texts, pairs), "tfidf", **FEW)
    assert error.value.params == (param,)


def test_ids_may_be_numbers():
    data = DuplicateSet({1: "open", 2: "Open!", 3: "pay"}, [(1, 2)])
    assert ap({(1, 2): 0.5}, data) == 1
