"""tk.calibrate."""

import pytest

import textkin as tk
from tests.verbs.public.making import DEV


def test_either_order_and_no_place_to_save():
    found = tk.calibrate(DEV, "default", accuracy=True, resamples=20)
    assert found.saved_in is None and found.threshold.goal == "accuracy"
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
    ],
)
def test_wrong_options(options, params):
    with pytest.raises(tk.TextkinError) as error:
        tk.calibrate(DEV, **{"model": "default", **options})
    assert error.value.params == params
