"""The built-in inference model: what follows from a text, and what contradicts it."""

import numpy as np
import pandas as pd
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


def test_scores_are_classes_with_their_probability(tmp_path):
    pairs = [(PREMISE, "A man is making music."), (PREMISE, "A man is asleep in his bed.")]
    found = tk.score(pairs, model=NLI)
    assert [row["class"] for row in found.rows()] == ["entailment", "contradiction"]
    np.testing.assert_allclose(found.scores, tk.load(NLI).classify(pairs).max(axis=1), atol=1e-6)
    tk.score(pairs, model=NLI, out=tmp_path / "classes.csv")
    assert pd.read_csv(tmp_path / "classes.csv")["class"].tolist() == ["entailment", "contradiction"]
    with pytest.raises(tk.TextkinError) as error:
        tk.score(pairs, model=NLI, threshold=0.5)
    assert error.value.params == ("threshold",)
