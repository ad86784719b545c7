"""Static encoders as networks."""

import numpy as np
import pytest
import torch

from textkin.networks.architectures.static import StaticTower
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

TEXTS = [[0, 1, 1], [4], [], [2, 3, 0, 5]]


def batch(texts=TEXTS):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=6)


def expected(model):
    """Mean, projection and length, text by text."""
    rows = []
    for text in TEXTS:
        mean = torch.zeros(model.embedding.table.shape[1])
        for token in text:
            weight = 1 if model.token_weights is None else model.token_weights[token].item()
            mean = mean + weight * model.embedding.table[token] / len(text)
        if model.projection is not None:
            mean = model.projection.weight @ mean
        length = mean.norm()
        rows.append(mean / length if length > 0 else mean)
    return torch.stack(rows)


def test_a_text_is_the_mean_of_its_tokens():
    torch.manual_seed(0)
    for options in ({}, {"token_weights": True}, {"projection": 3}, {"projection": 2, "token_weights": True}):
        model = StaticTower(size=6, dim=4, **options)
        if options.get("token_weights"):
            model.fill(torch.randn(6, 4), torch.rand(6) + 0.5)
        assert model.dim == (options.get("projection") or 4)
        torch.testing.assert_close(model(batch()), expected(model), atol=1e-6, rtol=0)


def test_a_text_without_tokens_is_zero():
    assert not StaticTower(size=6, dim=4)(batch()).detach()[2].any()


def test_the_projection_starts_as_the_leading_dimensions():
    model = StaticTower(size=6, dim=4, projection=2)
    torch.testing.assert_close(model.table, model.embedding.table[:-1, :2])
    assert model.token_weights is None


def test_what_is_filled_in_comes_back():
    model = StaticTower(size=6, dim=4, token_weights=True)
    table, weights = torch.randn(6, 4), torch.rand(6)
    model.fill(table, weights)
    torch.testing.assert_close(model.table, table)
    torch.testing.assert_close(model.token_weights.flatten(), weights)


def test_the_table_can_be_kept_as_it_is():
    frozen = StaticTower(size=6, dim=4, projection=2, train_table=False)
    assert [name for name, one in frozen.named_parameters() if one.requires_grad] == ["projection.weight"]
