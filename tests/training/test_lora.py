import numpy as np
import pytest
import torch

from tests.models.interop.tiny import theirs, write_theirs
from tests.training.test_pretrained import recipe as started
from tests.training.test_pretrained import run
from textkin.base.errors import ConfigError
from textkin.models.inference.scorers import load_scorer
from textkin.models.model_folder import load_model
from textkin.networks.batches.padded import TextBatch
from textkin.networks.recipes.recipe import LoraConfig, Recipe
from textkin.training.assemble import assemble, continued
from textkin.training.lora import add_adapters, merge_adapters

pytestmark = pytest.mark.torch

TEXTS = ["how do I repair router 1", "ways of repairing router 1", "where to sell ticket 7"]


def batch(model):
    return TextBatch.from_ids(model.pipeline.ids(TEXTS), pad_id=model.pipeline.pad_id)


def test_adapters_change_nothing_until_they_learn_and_then_merge(tmp_path):
    model = load_model(write_theirs(tmp_path / "start"))
    module, given = model.module.eval(), batch(model)
    names = set(module.state_dict())
    with torch.no_grad():
        before = module(given)
        add_adapters(module, LoraConfig(rank=2, targets=("query", "value")))
        module.eval()
        assert torch.equal(module(given), before)
    trained = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    adapters = {name for name in trained if "lora_" in name}
    assert adapters
    assert all("query" in name or "value" in name for name in adapters)
    assert all(name.startswith("dense.") for name in trained - adapters)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if "lora_B" in name:
                parameter.normal_(generator=torch.Generator().manual_seed(0))
        after = module(given)
        merge_adapters(module)
        assert not torch.allclose(after, before, atol=1e-2)
        assert torch.allclose(module(given), after, atol=1e-5)
    assert set(module.state_dict()) == names


@pytest.mark.parametrize("architecture", ["transformer", "cross-encoder"])
def test_what_is_saved_is_an_ordinary_model(architecture, tmp_path):
    start = write_theirs(tmp_path / "start")
    text, _ = started(architecture, rate=0.01)
    if architecture == "cross-encoder":
        text = text.replace("multiple-negatives", "logistic").replace("positives", "pairs")
    model = run(tmp_path, start, text + "[model.lora]\nrank = 2\ndropout = 0.0\n")
    first, found = load_model(start).module.state_dict(), load_model(model).module.state_dict()
    assert not any("lora" in name for name in found)
    prefix = "backbone." if architecture == "transformer" else "backbone.bert."
    same, other = "embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight"
    assert torch.equal(found[prefix + same], first["backbone." + same])
    assert not torch.equal(found[prefix + other], first["backbone." + other])
    if architecture == "transformer":
        vectors = theirs(model).encode(TEXTS)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        assert load_scorer(model).encode(TEXTS) == pytest.approx(vectors, abs=1e-5)


def test_what_can_not_be_adapted(tmp_path):
    lora = {"lora": {"rank": 2, "targets": ["nothing"]}}
    values = {"name": "x", "objectives": [{"loss": "logistic", "rows": "pairs"}]}
    transformer = Recipe.from_dict({**values, "model": {"architecture": "transformer", **lora}})
    with pytest.raises(ConfigError) as error:
        continued(transformer, load_model(write_theirs(tmp_path / "start")), seed=0)
    assert error.value.params == ("targets",)
    siamese = Recipe.from_dict({**values, "model": lora})
    with pytest.raises(ConfigError) as error:
        assemble(siamese, TEXTS, seed=0)
    assert error.value.params == ("model.lora",)
    alone = assemble(Recipe.from_dict(values), TEXTS, seed=0).module
    with pytest.raises(ConfigError) as error:
        add_adapters(alone, LoraConfig())
    assert error.value.params == ("model.lora",)
