from functools import partial

import pytest
import torch
from torch import nn

from textkin.errors import ConfigError
from textkin.losses import LOSSES, LossInput, build

random = partial(torch.rand, generator=torch.Generator().manual_seed(0))
INPUTS = {
    LossInput.PAIR_MATRIX: (random(4, 4), ~torch.eye(4, dtype=torch.bool)),
    LossInput.PAIR_DISTANCES: (torch.tensor([0.2, 0.7, 0.4, 0.9]), torch.tensor([0.0, 1, 1, 0])),
    LossInput.PAIR_SCORES: (random(4), torch.tensor([0.0, 1, 1, 0])),
    LossInput.CLASS_SCORES: (random(4, 3), torch.tensor([0, 2, 1, 0])),
    LossInput.TRIPLET_VECTORS: (random(4, 3), random(4, 3), random(4, 3)),
    LossInput.TRIPLET_SCORES: (random(4), random(4, 2)),
    LossInput.LISTS: (random(4), torch.tensor([1.0, 0, 0, 1]), torch.tensor([0, 2, 4])),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_each_loss_takes_what_it_says_in_every_precision(name, dtype):
    loss = build(name)
    assert isinstance(loss, nn.Module)
    assert type(loss) is LOSSES[name]
    first, *rest = INPUTS[loss.takes]
    vectors = loss.takes is LossInput.TRIPLET_VECTORS
    first = first.detach().to(dtype).requires_grad_()
    value = loss(first, *(part.to(dtype) if vectors else part for part in rest))
    value.backward()
    assert value.shape == ()
    assert value.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert value.isfinite()
    assert first.grad.isfinite().all()


@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_works_in_mixed_precision(name):
    loss = build(name)
    weight = torch.ones(1, requires_grad=True)
    first, *rest = INPUTS[loss.takes]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(first * weight, *rest)
    value.backward()
    assert value.isfinite()


@pytest.mark.parametrize("name", LOSSES)
def test_options_reach_the_loss(name):
    loss = build(name)
    inputs = INPUTS[loss.takes]
    changed = {
        "margin": 2.0,
        "scale": 3.0,
        "symmetric": True,
        "measure": "euclidean",
        "reduction": "sum" if loss.reduction == "mean" else "mean",
    }
    for option, value in changed.items():
        if hasattr(loss, option):
            assert float(build(name, **{option: value})(*inputs)) != pytest.approx(float(loss(*inputs))), (
                option
            )


def test_the_closest_rule_reaches_the_loss():
    outranked = torch.tensor([[0.1, 0.9, 0.0], [0.0, 0.1, 0.9], [0.9, 0.0, 0.1]])
    below, above = (build("triplet-in-batch", closest=rule) for rule in ("below-positive", "row-max"))
    assert float(above(outranked)) - float(below(outranked)) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("triplett", {}, "unknown loss: 'triplett', expected one of: .*did you mean 'triplet'"),
        ("zzz", {}, "unknown loss: 'zzz'"),
        ("triplet", {"margn": 1}, "option of the loss 'triplet': 'margn', expected .*did you mean 'margin'"),
        ("logistic", {"margin": 1}, "expected one of: reduction"),
        ("hinge", {"margin": -1}, "margin is -1, expected a finite number above 0"),
        ("contrastive", {"margin": float("nan")}, "margin is nan"),
        ("multiple-negatives", {"scale": 0}, "scale is 0"),
        ("triplet", {"measure": "manhattan"}, "measure is 'manhattan', expected one of: cosine, euclidean"),
        ("triplet-in-batch", {"closest": "far"}, "closest is 'far'"),
        *((name, {"reduction": "max"}, "reduction is 'max', expected one of: mean, sum") for name in LOSSES),
    ],
)
def test_mistakes_in_a_recipe_are_explained(name, options, message):
    with pytest.raises(ConfigError, match=message):
        build(name, **options)
