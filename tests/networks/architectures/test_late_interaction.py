"""Late interaction against loops over its definition."""

import numpy as np
import pytest
import torch

from tests.models.interop.tiny import TEXTS, backbone, write_bare
from textkin.base.errors import ConfigError
from textkin.models.inference.scorers import load_scorer
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, load_model, save_model
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

A = [[2, 5, 6, 3], [2, 9, 3], [2, 11, 12, 13, 14, 15, 3], [], [2, 3]]
B = [[2, 7, 3], [2, 9, 10, 11, 12, 13, 3], [2, 8, 3], [2, 8, 3], []]


def batch(texts, *, more=0):
    made = TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=0)
    pad = torch.nn.functional.pad
    return TextBatch(pad(made.ids, (0, more)), pad(made.mask, (0, more)))


@pytest.fixture(scope="module")
def model():
    network = backbone("bert", tokens=60)
    torch.manual_seed(7)
    return LateInteraction(backbone=network, projection=5).eval()


def unit(row):
    length = sum(value * value for value in row) ** 0.5
    return [value / length for value in row]


def token_vectors(model, text):
    """The vectors of one text alone, as lists."""
    ids = torch.tensor([text])
    states = model.backbone(input_ids=ids).last_hidden_state[0].tolist()
    weight = model.projection.weight.tolist()
    return [unit([sum(w * s for w, s in zip(row, state, strict=True)) for row in weight]) for state in states]


def score(model, a, b):
    if not a or not b:
        return 0.0
    queries, docs = token_vectors(model, a), token_vectors(model, b)
    total = 0.0
    for query in queries:
        total += max(sum(x * y for x, y in zip(query, doc, strict=True)) for doc in docs)
    return total


@torch.no_grad()
def test_the_sum_of_the_highest_cosines(model):
    found = model(batch(A, more=3), batch(B, more=1))
    expected = [[score(model, a, b)] for a, b in zip(A, B, strict=True)]
    torch.testing.assert_close(found, torch.tensor(expected), atol=1e-5, rtol=1e-5)
    assert (found[:3] < torch.tensor([[4.0], [3.0], [7.0]])).all()
    same = model(batch(A[:3]), batch(A[:3]))
    torch.testing.assert_close(same, torch.tensor([[4.0], [3.0], [7.0]]))
    for a, b, together in zip(A, B, found, strict=True):
        torch.testing.assert_close(model(batch([a]), batch([b]))[0], together, atol=1e-5, rtol=1e-5)


def test_gradients_are_finite_and_reach_the_projection(model):
    model(batch(A), batch(B)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), name
    assert model.projection.weight.grad.abs().sum() > 0
    model.zero_grad()


def test_saved_and_loaded(tmp_path):
    encoder = load_model(write_bare(tmp_path / "bare"))
    arguments = {"backbone": encoder.arguments["backbone"], "projection": 6, "outputs": 1}
    module = LateInteraction(backbone=encoder.module.backbone, projection=6).eval()
    made = Model(ModelFacts("late"), "late-interaction", arguments, module, encoder.pipeline)
    scorer = load_scorer(save_model(made, tmp_path / "ours"))
    pairs = [(a, b) for a in TEXTS for b in TEXTS[:3]]
    scores = scorer.score(pairs)
    assert len(np.unique(scores)) > 10
    alone = np.concatenate([scorer.score([pair]) for pair in pairs])
    np.testing.assert_allclose(scores, alone, atol=1e-5)
    again = load_scorer(save_model(scorer.loaded, tmp_path / "again"))
    np.testing.assert_array_equal(again.score(pairs), scores)


def test_options_that_do_not_fit():
    config = backbone("bert", tokens=60).config.to_dict()
    for option, value, known in (
        ("outputs", 3, True),
        ("projection", -1, True),
        ("projektion", 1, False),
        ("overlap", True, False),
    ):
        with pytest.raises(ConfigError) as error:
            build("late-interaction", backbone=config, **{option: value})
        assert (error.value.params, error.value.value) == ((option,), value if known else None)
