"""Users' own losses by import path."""

import pytest
import torch

from textkin.base.errors import ConfigError, UsageError
from textkin.networks.losses import LossInput, build
from textkin.networks.losses.table import find

pytestmark = pytest.mark.torch

FOCAL = """
import torch
from torch import nn

def focal(scores, labels, *, gamma: float = 2.0):
    missed = torch.where(labels > 0, 1 - scores.sigmoid(), scores.sigmoid())
    return (missed**gamma * -torch.log1p(-missed)).mean()

def classes(scores, labels):
    return scores.logsumexp(dim=1).mean()
classes.takes = "class-scores"

class Margin(nn.Module):
    def __init__(self, margin: float = 1.0):
        super().__init__()
        self.margin = margin

    def forward(self, positive, negative):
        return torch.relu(self.margin - positive + negative).mean()

def odd(logits): return logits.mean()
def unknown(scores, labels): return scores.mean()
unknown.takes = "words"
def flat(scores, labels): return scores
def detached(scores, labels): return scores.detach().mean()
def number(scores, labels): return 0.5
def failing(scores, labels): return scores.nothing()
"""
SCORES, LABELS = torch.tensor([0.3, -0.7], requires_grad=True), torch.tensor([1.0, 0.0])


def test_a_function_has_its_options(own_module):
    name = own_module(FOCAL)
    loss = build(f"{name}:focal", gamma=0.0)
    assert loss.takes is LossInput.PAIR_SCORES
    torch.testing.assert_close(loss(SCORES, LABELS), build("logistic")(SCORES, LABELS))
    assert build(f"{name}:focal")(SCORES, LABELS) < loss(SCORES, LABELS)
    with pytest.raises(ConfigError) as error:
        build(f"{name}:focal", gama=1.0)
    assert error.value.params == ("gama",)


def test_a_class_has_those_of_its_constructor(own_module):
    path = f"{own_module(FOCAL)}:Margin"
    loss = build(path, margin=3.0)
    assert loss.takes is LossInput.TRIPLET_SCORES
    torch.testing.assert_close(loss(SCORES, LABELS), build("rank-hinge", margin=3.0)(SCORES, LABELS))
    with pytest.raises(UsageError) as error:
        build(path, margin="x")(SCORES, LABELS)
    assert error.value.value == path


def test_an_attribute_says_what_the_names_leave_open(own_module):
    assert find(f"{own_module(FOCAL)}:classes").takes is LossInput.CLASS_SCORES


@pytest.mark.parametrize("part", ["odd", "unknown", "nn", "nothing"])
def test_what_takes_something_else_is_refused(own_module, part):
    with pytest.raises(UsageError):
        build(f"{own_module(FOCAL)}:{part}")


@pytest.mark.parametrize(
    ("part", "value"), [("flat", "[2]"), ("detached", "a number without gradient"), ("number", "float")]
)
def test_a_loss_is_one_number_with_a_gradient(own_module, part, value):
    loss = build(f"{own_module(FOCAL)}:{part}")
    with pytest.raises(UsageError) as error:
        loss(SCORES, LABELS)
    assert (error.value.params, error.value.value) == (("loss",), value)


def test_what_a_loss_raises_is_textkins_error(own_module):
    path = f"{own_module(FOCAL)}:failing"
    with pytest.raises(UsageError) as error:
        build(path)(SCORES, LABELS)
    assert error.value.value == path
