from functools import partial

import pytest
import torch

from textkin.base.errors import ConfigError
from textkin.networks.losses import LOSSES, LossInput, build

pytestmark = pytest.mark.torch

random = partial(torch.rand, generator=torch.Generator().manual_seed(0))
VECTORS = {
    LossInput.PAIR_VECTORS: (random(4, 3), random(4, 3), torch.tensor([0.0, 1, 0.5, 0])),
    LossInput.TRIPLET_VECTORS: (random(4, 3), random(4, 3), random(4, 3)),
    LossInput.TEACHER_VECTORS: (random(4, 3), random(4, 3)),
    LossInput.GROUPED_VECTORS: (random(4, 3), torch.tensor([0, 1, 1, 0])),
}
INPUTS = VECTORS | {
    LossInput.ROWS: (random(4, 4), ~torch.eye(4, dtype=torch.bool)),
    LossInput.PAIR_DISTANCES: (torch.tensor([0.2, 0.7, 0.4, 0.9]), torch.tensor([0.0, 1, 1, 0])),
    LossInput.PAIR_SCORES: (random(4), torch.tensor([0.0, 1, 1, 0])),
    LossInput.PAIR_SIMILARITIES: (random(4), torch.tensor([0.0, -0.5, 1, 0])),
    LossInput.CLASS_SCORES: (random(4, 3), torch.tensor([0, 2, 1, 0])),
    LossInput.TRIPLET_SCORES: (random(4), random(4, 2)),
    LossInput.TRIPLET_MARGINS: (random(4), random(4, 2), random(4, 2)),
    LossInput.SPANS: (random(2, 5), random(2, 5), None, torch.tensor([[[0, 1], [3, 3]], [[2, 4], [-1, -1]]])),
    LossInput.LISTS: (random(4), torch.tensor([1.0, 0, 0, 1]), torch.tensor([0, 2, 4])),
}


def test_every_loss_has_the_name_of_its_function():
    assert list(LOSSES) == sorted(LOSSES)
    assert {one.takes for one in LOSSES.values()} == set(LossInput)
    for name, one in LOSSES.items():
        assert one.function.__name__ == name.replace("-", "_")


def test_what_a_recipe_leaves_out_is_as_it_was():
    # A recipe of before would train another model if one of these changed.
    mean = {"reduction": "mean"}
    groups = {"margin": 0.25, "measure": "cosine", "soft": False, **mean}
    expected = {
        "angle": {"scale": 20.0},
        "batch-all-triplet": groups,
        "batch-hard-triplet": groups,
        "categorical-hinge": {"margin": 1.0, **mean},
        "contrastive": {"margin": 0.5, **mean},
        "cosent": {"scale": 20.0},
        "cosine-ranking": {"margin": 0.2, **mean},
        "cross-entropy": {"smoothing": 0.0, **mean},
        "distillation": {"measure": "square", **mean},
        "hinge": {"margin": 1.0, **mean},
        "listwise-softmax": mean,
        "logistic": mean,
        "margin-mean-square": mean,
        "mean-square": mean,
        "multiple-negatives": {"scale": 20.0, **mean},
        "online-contrastive": {"margin": 0.5, "rule": "version-6", "reduction": "sum"},
        "rank-hinge": {"margin": 1.0, **mean},
        "span-likelihood": mean,
        "triplet": {"margin": 0.25, "measure": "cosine", **mean},
        "triplet-in-batch": {"margin": 0.25, "closest": "below-positive", **mean},
    }
    assert {name: dict(one.function.__kwdefaults__) for name, one in LOSSES.items()} == expected


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_each_loss_takes_what_it_says_in_every_precision(name, dtype):
    loss = build(name)
    first, *rest = INPUTS[loss.takes]
    first = first.detach().to(dtype).requires_grad_()
    halves = loss.takes in VECTORS
    value = loss(first, *(part.to(dtype) if halves and part.ndim == 2 else part for part in rest))
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
    inputs = INPUTS[LOSSES[name].takes]
    defaults = LOSSES[name].function.__kwdefaults__
    changed = {
        "margin": 2.0,
        "scale": 3.0,
        "soft": True,
        "measure": "cosine" if defaults.get("measure") == "square" else "euclidean",
        "reduction": "sum" if LOSSES[name].averages else "mean",
        "smoothing": 0.5,
    }
    assert defaults.keys() <= {*changed, "closest", "rule"}  # which a batch with few pairs can determine
    for option in defaults.keys() & changed.keys():
        found = build(name, **{option: changed[option]})
        assert float(found(*inputs)) != pytest.approx(float(LOSSES[name](*inputs))), option
    if "reduction" in defaults:
        assert build(name, reduction="mean").averages
        assert not build(name, reduction="sum").averages


def test_no_smoothing_is_a_smoothing():
    inputs = INPUTS[LossInput.CLASS_SCORES]
    assert float(build("cross-entropy", smoothing=0)(*inputs)) == float(build("cross-entropy")(*inputs))


def test_the_closest_rule_reaches_the_loss():
    outranked = torch.tensor([[0.1, 0.9, 0.0], [0.0, 0.1, 0.9], [0.9, 0.0, 0.1]])
    below, above = (build("triplet-in-batch", closest=rule) for rule in ("below-positive", "row-max"))
    assert float(above(outranked)) - float(below(outranked)) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("name", "options", "param"),
    [
        ("triplett", {}, "loss"),
        ("zzz", {}, "loss"),
        ("triplet", {"margn": 1}, "margn"),
        ("logistic", {"margin": 1}, "margin"),
    ],
)
def test_unknown_losses_and_options(name, options, param):
    with pytest.raises(ConfigError) as error:
        build(name, **options)
    assert (error.value.params, error.value.value) == ((param,), None if options else name)


@pytest.mark.parametrize(
    ("name", "option", "value", "expected"),
    [
        ("hinge", "margin", -1, "a finite number above 0"),
        ("hinge", "margin", "wide", "a finite number above 0"),
        ("hinge", "margin", True, "a finite number above 0"),
        ("contrastive", "margin", float("nan"), "a finite number above 0"),
        ("multiple-negatives", "scale", 0, "a finite number above 0"),
        ("cross-entropy", "smoothing", 1, "a number from 0 to below 1"),
        ("batch-all-triplet", "soft", 1, "true or false"),
        ("triplet", "measure", "chebyshev", "one of: cosine, euclidean, manhattan"),
        ("distillation", "measure", "euclidean", "one of: square, cosine"),
        ("triplet-in-batch", "closest", "far", "one of: below-positive, row-max"),
        ("hinge", "reduction", "max", "one of: mean, sum"),
        ("hinge", "reduction", ["mean"], "one of: mean, sum"),
    ],
)
def test_mistakes_in_a_recipe_are_explained(name, option, value, expected):
    with pytest.raises(ConfigError) as error:
        build(name, **{option: value})
    assert (error.value.params, error.value.expected) == ((option,), expected)
    assert error.value.value is value
