import json

import pytest

from tests.networks.architectures.test_matchers import SIZE
from tests.training.test_span_rows import pipeline
from textkin.base.errors import UsageError
from textkin.models.inference.scorers import NeuralScorer
from textkin.networks.architectures.table import build
from textkin.verbs.use.attention import attention

pytestmark = pytest.mark.torch

PAIR = ("Who built the mill?", "Ada built the mill.")


def scorer():
    words = pipeline()
    made = build("esim", size=max(SIZE, words.size), pad_id=words.pad_id, dim=8, hidden=4)
    return NeuralScorer(made, words, name="small")


def test_each_matrix_is_a_row_with_its_largest_cell():
    found = attention(*PAIR, model=scorer())
    assert (found.model, found.first, found.second) == ("small", *PAIR)
    for row, one in zip(found.rows(), found.maps, strict=True):
        assert (row["matrix"], row["rows"], row["columns"]) == (one.name, 5, 5)
        assert row["largest"] == pytest.approx(one.weights.max(), rel=1e-5)
    assert "what small looks at" in str(found)


def test_it_is_saved_by_its_ending(tmp_path):
    found = attention(*PAIR, model=scorer())
    page, numbers = (found.write(tmp_path / name) for name in ("seen.HTML", "seen.json"))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(numbers.read_text())["maps"][1] == found.maps[1].to_dict()
    with pytest.raises(UsageError) as error:
        found.write(tmp_path / "seen.txt")
    assert error.value.params == ("out",)


def test_an_object_without_a_network_is_refused():
    with pytest.raises(UsageError) as error:
        attention(*PAIR, model=object())
    assert error.value.params == ("model",)
