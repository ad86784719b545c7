"""tk.calibrate."""

import pytest

import textkin as tk
from tests.verbs.public.making import DEV
from textkin.base.errors import UsageError


def test_either_order_and_no_place_to_save():
    found = tk.calibrate(DEV, "default", accuracy=True, resamples=20)
    assert found.saved_in is None and found.threshold.goal == "accuracy"
    assert found.fitted_on == "pairs"  # no file
    turned = tk.calibrate("default", DEV, accuracy=True, resamples=20)
    assert turned.threshold == found.threshold


def test_what_is_saved_decides(tmp_path):
    found = tk.calibrate(DEV, "default", f1=True, resamples=20)
    decided = tk.score([("one", "one")], decision=found.save_decision(tmp_path / "decision.json"))
    assert decided.threshold == found.threshold.value


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"model": None}, ("model",)),
        ({"groups": "topic"}, ("groups",)),
        ({"k": 3, "split": "test"}, ("split", "k")),
        ({"f1": True, "precision": 0.9}, ("precision", "f1")),
        ({"rule": "estimate"}, ("precision",)),
        ({"group_by": "article"}, ("group_by",)),
        ({"fit": "texts.txt"}, ("fit",)),
    ],
)
def test_wrong_options(options, params):
    with pytest.raises(tk.TextkinError) as error:
        tk.calibrate(DEV, **{"model": "default", **options})
    assert error.value.params == params


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"f1": True}, ("f1",)),
        ({"precision": 0.5, "rule": "estimate"}, ("rule",)),
        ({"precision": 0.5, "resamples": 20, "seed": 1}, ("resamples",)),
    ],
)
def test_options_that_matches_of_a_collection_have_no_use_for(tmp_path, options, params):
    rows = [{"id": str(n), "text": f"text number {n}", "topic": str(n // 2)} for n in range(9)]
    tk.add(tmp_path / "c", rows, text="text", id="id", metadata=["topic"])
    with pytest.raises(UsageError) as error:
        tk.calibrate(None, tmp_path / "c", groups="topic", **options)
    assert error.value.params == params


class Shared:
    name = "shared"

    def score(self, pairs):
        return [len(set(a.split()) & set(b.split())) for a, b in pairs]


def test_an_object_is_calibrated_without_a_file(tmp_path):
    rows = [(f"open {n}", f"open {n} today", 1) for n in range(9)] + [(f"a{n}", f"b{n}", 0) for n in range(9)]
    fitted = tk.calibrate(rows, Shared())
    assert fitted.saved_in is None and 0 < fitted.threshold.value <= 2
    for save in (
        lambda file: fitted.save_decision(file),
        lambda file: tk.calibrate(rows, Shared(), out=file),
    ):
        with pytest.raises(UsageError) as error:
            save(tmp_path / "decision.json")
        assert error.value.params == ("out",)
