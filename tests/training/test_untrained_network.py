"""Networks before training."""

from __future__ import annotations

import numpy as np
import pytest

from tests.training.making import IN_BATCH, LOGISTIC, pairs, recipe
from textkin.base.errors import UsageError
from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import assemble
from textkin.training.untrained_network import Untrained

pytestmark = pytest.mark.torch

TEXTS = [text for pair in pairs().texts for text in pair]


def test_the_weights_are_those_that_training_begins_with() -> None:
    made = recipe(LOGISTIC, IN_BATCH)
    found = Untrained(made).system(TEXTS, seed=3)
    begun = assemble(made, list(dict.fromkeys(TEXTS)), seed=3)
    assert isinstance(found, NeuralEncoder) and found.name == "small untrained"
    by_hand = NeuralEncoder(begun.module, begun.pipeline, name="by hand")
    np.testing.assert_array_equal(found.encode(TEXTS), by_hand.encode(TEXTS))
    other = Untrained(made).system(TEXTS, seed=4)
    assert not np.allclose(other.score(pairs().texts), found.score(pairs().texts))


def test_a_recipe_of_classes_has_those_of_the_data_or_yes_and_no() -> None:
    made = Untrained(load_recipe("classes-esim"))
    found = made.system(TEXTS, seed=0, classes=("a", "b", "c"))
    assert isinstance(found, NeuralClassifier) and tuple(found.labels) == ("a", "b", "c")
    assert found.classify(pairs().texts[:2]).shape == (2, 3)
    assert tuple(made.system(TEXTS, seed=0).labels) == ("0", "1")


def test_what_starts_from_a_pretrained_model_is_never_untrained() -> None:
    with pytest.raises(UsageError) as error:
        Untrained(load_recipe("static"))
    assert error.value.params == ("models",)
