import pytest
import torch

from textkin.networks.nn.text_dropout import TextDropout

pytestmark = pytest.mark.torch


def test_all_tokens_of_a_text_lose_the_same_features():
    torch.manual_seed(0)
    found = TextDropout(0.25)(torch.full((400, 3, 10), 3.0))
    assert found.unique().tolist() == [0, 4]
    assert torch.equal(found, found[:, :1].expand_as(found))
    assert abs((found == 0).float().mean() - 0.25) < 0.03
    assert len(found[:, 0].unique(dim=0)) > 100  # but each text others


def test_nothing_is_dropped_in_evaluation_or_at_rate_zero():
    states = torch.randn(2, 3, 4)
    assert torch.equal(TextDropout(0.5).eval()(states), states)
    assert torch.equal(TextDropout(0.0)(states), states)
