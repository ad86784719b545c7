import pytest
import torch

from tests.training.making import recipe
from textkin.base.errors import ConfigError
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import PRETRAINED, load_recipe
from textkin.training.assemble import assemble, few_words

pytestmark = pytest.mark.torch

TEXTS = ["reset my password", "reset the router", "my router"]


def test_the_vocabulary_is_that_of_the_training_texts():
    made = assemble(recipe(model={"cell": "lstm"}), TEXTS, seed=0)
    assert sorted(made.pipeline.vocabulary.words) == ["my", "password", "reset", "router", "the"]
    assert made.arguments["size"] == made.pipeline.size == len(made.module.embedding.table)
    assert made.arguments["pad_id"] == made.pipeline.pad_id


def test_seeds_decide_the_weights():
    first, again, other = (
        assemble(recipe(), TEXTS, seed=seed).module.state_dict()["embedding.table"] for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_arguments_are_checked():
    with pytest.raises(ConfigError) as error:
        assemble(recipe(model={"hiddden": 3}), TEXTS, seed=0)
    assert error.value.params == ("hiddden",)


@pytest.mark.parametrize("name", bundled_recipes())
def test_the_network_of_few_words_has_all_layers(name):
    recipe = load_recipe(name)
    if recipe.model.architecture in PRETRAINED:
        with pytest.raises(ConfigError) as error:
            few_words(recipe)
        assert error.value.params == ("start",)
        return
    outputs = 2 if recipe.task == "classes" else 1
    small, whole = few_words(recipe, outputs=outputs), assemble(recipe, TEXTS, seed=0, outputs=outputs).module
    assert [type(part) for part in small.modules()] == [type(part) for part in whole.modules()]
    assert [name for name, _ in small.named_parameters()] == [name for name, _ in whole.named_parameters()]
