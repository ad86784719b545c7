"""The built-in inference model: what follows from a text, and what contradicts it."""

import pytest

import textkin as tk
from textkin.base.hub import NLI

pytestmark = pytest.mark.torch

PREMISE = "A man in a red shirt is playing a guitar on a stage."


@pytest.mark.parametrize(
    ("hypothesis", "label"),
    [
        ("A man is making music.", "entailment"),
        ("A man is asleep in his bed.", "contradiction"),
        ("The man is a famous singer.", "neutral"),
    ],
)
def test_a_picture_described_twice(hypothesis, label):
    model = tk.load(NLI)
    (found,) = model.classify([(PREMISE, hypothesis)])
    assert model.labels[found.argmax()] == label and found.sum() == pytest.approx(1, abs=1e-5)
