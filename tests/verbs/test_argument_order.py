import pandas as pd

import textkin as tk
from textkin.verbs.argument_order import data_and_model, is_model

PAIRS = [("one", "two", 1)]


def test_models_and_data():
    assert all(map(is_model, ["default", "bm25", tk.load(), lambda a, b: [0.0]]))
    assert not any(map(is_model, ["pairs.tsv", PAIRS, pd.DataFrame(PAIRS), tk.as_pairs(PAIRS)]))


def test_the_model_comes_second():
    assert data_and_model("default", PAIRS) == data_and_model(PAIRS, "default") == (PAIRS, "default")
    assert data_and_model("default", "minilm") == ("default", "minilm")


def test_a_file_that_is_there_is_the_data(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.touch()
    assert data_and_model("no/such/model", path) == data_and_model(path, "no/such/model")
    assert data_and_model("missing.tsv", None) == ("missing.tsv", None)
