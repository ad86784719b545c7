import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.base.saved_results import open_result

TEXTS = ["Hello!", "Hello!", "Goodbye.", "How do I pay?", "How do I pay now?"]
PAIRS = [(a, b, int(a == b)) for a in TEXTS for b in TEXTS]

RESULTS = {
    "mine": lambda: tk.mine(TEXTS, threshold=0.5),
    "dedupe": lambda: tk.dedupe(pd.DataFrame({"t": TEXTS}, index=list("abcde")), text="t", threshold=0.9),
    "cluster": lambda: tk.cluster(TEXTS, threshold=0.5),
    "score": lambda: tk.score(TEXTS[:2], TEXTS[1:3]),
    "search": lambda: tk.search(TEXTS, ["pay", "bye"], k=2),
    "match": lambda: tk.match(TEXTS, ["Hello"]),
    "measure": lambda: tk.measure({"q": {"d": 0.5}}, {"q": {"d": 1}}),
    "compare": lambda: tk.compare(PAIRS, "default", resamples=20, rounds=20),
    "answer": lambda: tk.answer("When?", ["When the sun shines."], "sentence-bm25"),
    "classify": lambda: tk.classify(["Hi"], {"greeting": TEXTS[:2], "question": TEXTS[3:]}),
    "codes": lambda: tk.search(tk.encode(TEXTS, bits=64), "pay"),
    "lint": lambda: tk.lint(PAIRS),
    "pairs": lambda: tk.as_pairs(PAIRS),
    "recipes": lambda: tk.train(list=True),
    "verify": lambda: tk.verify("default"),
}


def test_an_index_of_several_levels_keeps_their_names(tmp_path):
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["letter", "number"])
    found = tk.score(pd.DataFrame({"a": TEXTS[:4], "b": TEXTS[1:]}, index=index))
    again = open_result(found.save(tmp_path / "result.zip"))
    pd.testing.assert_frame_equal(again.to_pandas(), found.to_pandas())
    assert again.to_pandas().index.names == ["letter", "number"]


def test_an_index_of_one_level_of_several_is_opened(tmp_path):
    index = pd.MultiIndex.from_arrays([["a", "b"]], names=["letter"])
    found = tk.score(pd.DataFrame({"a": TEXTS[:2], "b": TEXTS[1:3]}, index=index))
    again = open_result(found.save(tmp_path / "result.zip"))
    pd.testing.assert_frame_equal(again.to_pandas(), found.to_pandas())


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_the_same_when_opened(name, tmp_path):
    result = RESULTS[name]()
    found = open_result(result.save(tmp_path / "result.zip"))
    assert type(found) is type(result)
    assert (repr(found), found.text()) == (repr(result), result.text())
    pd.testing.assert_frame_equal(found.to_pandas(), result.to_pandas())


def test_what_was_opened_works_on(tmp_path):
    found = open_result(tk.mine(TEXTS, threshold=0.9).save(tmp_path / "mined.zip"))
    assert found.rethreshold(-1.0).rows() == tk.mine(TEXTS, threshold=-1.0).rows()
    scores = tk.score(TEXTS[:2], TEXTS[1:3])
    assert np.array_equal(open_result(scores.save(tmp_path / "scores.zip")), scores)


class Encoder:
    def encode(self, texts):
        return np.eye(len(texts), 8, dtype=np.float32)


def test_a_model_is_not_kept(tmp_path):
    with pytest.raises(UsageError):
        tk.encode(TEXTS, Encoder(), bits=64).save(tmp_path / "codes.zip")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "tree",
    [
        {"class": "os:PathLike", "fields": {}},
        {"class": "textkin.base.files:write_json", "fields": {}},
        {"class": "textkin.data.records:Pair", "fields": {"a": "x", "b": "y"}},
        {"stated": "pathlib:Path", "values": {}},
        {"enum": "builtins:eval", "value": "1"},
        {"array": 7},
        {"nothing": 1},
        [],
        5,
    ],
)
def test_files_that_hold_something_else_are_refused(tree, tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("result.json", json.dumps({"format": 1, "result": tree}))
    with pytest.raises(DataError) as error:
        open_result(tmp_path / "bad.zip")
    assert error.value.path == tmp_path / "bad.zip"


@pytest.mark.parametrize("content", [None, b"", b"PK no archive", b"{}"])
def test_files_that_are_no_result(content, tmp_path):
    if content is not None:
        (tmp_path / "bad.zip").write_bytes(content)
    with pytest.raises(DataError):
        open_result(tmp_path / "bad.zip")
