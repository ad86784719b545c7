"""Users' own networks by import path."""

import pytest
import torch

from tests.own_modules import NET, TOWER
from textkin.base.errors import ConfigError, UsageError
from textkin.networks.architectures.own import OwnMatcher, OwnTower, try_out
from textkin.networks.architectures.table import architecture, argument_names, build
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

IDS = torch.tensor([[1, 2], [3, 0]])
BATCH = TextBatch(IDS, IDS > 0)
WORDS = {"size": 5, "pad_id": 0}


def changed(own_module, before, after, network=NET):
    assert before in network
    return f"{own_module(network.replace(before, after))}:{'Net' if network is NET else 'Tower'}"


def test_options_are_read_off_the_signature(own_module):
    path = f"{own_module(NET)}:Net"
    assert argument_names(path) == {"size", "pad_id", "dim", "outputs"}
    made = build(path, **WORDS, dim=3)
    assert isinstance(made, OwnMatcher)
    assert made.network.words.weight.shape == (5, 3)
    for wrong in ({"width": 3}, {"dim": False}, {"dim": "3"}):
        with pytest.raises(ConfigError):
            build(path, **WORDS, **wrong)
    with pytest.raises(UsageError) as error:
        build(path)
    assert error.value.value == path


def test_a_score_is_that_of_the_network(own_module):
    made = build(f"{own_module(NET)}:Net", **WORDS)
    expected = made.network(BATCH, BATCH)
    assert torch.equal(made(BATCH, BATCH), expected)
    flat = build(changed(own_module, "self.mean(b))", "self.mean(b))[:, 0]"), **WORDS)
    assert flat(BATCH, BATCH).shape == (2, 1)


def test_vectors_are_made_unit_vectors(own_module):
    made = build(f"{own_module(TOWER)}:Tower", size=5)
    assert isinstance(made, OwnTower)
    assert made.dim == 8
    torch.testing.assert_close(made(BATCH).norm(dim=1), torch.ones(2))


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("self.mean(b))", "self.mean(b))[:1]", "shape [1, 1]"),
        ("nn.Linear(dim, outputs)", "nn.Linear(dim, 2)", "shape [2, 2]"),
        ("self.mean(b))", "self.mean(b)).detach()", "no gradient"),
        ("self.mean(b))", "self.mean(b)).tolist()", "list"),
    ],
)
def test_a_wrong_output_is_refused(own_module, before, after, value):
    made = build(changed(own_module, before, after), **WORDS)
    with pytest.raises(UsageError) as error:
        made(BATCH, BATCH)
    assert (error.value.params, error.value.value) == (("architecture",), value)


def test_what_a_network_raises_is_textkins_error(own_module):
    path = changed(own_module, "self.mean(a) * self.mean(b)", "self.mean(a) * torch.ones(3)")
    with pytest.raises(UsageError) as error:
        build(path, **WORDS)(BATCH, BATCH)
    assert error.value.value == path
    with pytest.raises(UsageError) as error:
        build(changed(own_module, "super()", "1 / 0; super()"), **WORDS)
    assert "line 11: 1 / 0; super()" in error.value.fix


def test_padding_must_not_count(own_module):
    try_out(build(f"{own_module(NET)}:Net", **WORDS), size=5, pad_id=0)
    padded = build(changed(own_module, "known.sum(dim=1).clamp(min=1)", "known.shape[1]"), **WORDS)
    with pytest.raises(UsageError) as error:
        try_out(padded, size=5, pad_id=0)
    assert error.value.value == "other numbers when padding is added"
    divided = build(changed(own_module, "self.mean(a) * self.mean(b)", "self.mean(a) / 0"), **WORDS)
    with pytest.raises(UsageError) as error:
        try_out(divided, size=5, pad_id=0)
    assert error.value.value == "NaN or infinity"


@pytest.mark.parametrize("part", ["torch", "nn", "nothing", "function", "Plain", "Abstract"])
def test_only_networks_for_textkin_are_built(own_module, part):
    more = "def function(): pass\nclass Plain(nn.Module): pass\nclass Abstract(tk.Matcher): pass\n"
    with pytest.raises(UsageError) as error:
        architecture(f"{own_module(NET + more)}:{part}")
    assert error.value.params == ("architecture",)


def test_a_tower_says_its_width(own_module):
    with pytest.raises(UsageError) as error:
        build(changed(own_module, "self.dim = dim", "pass", TOWER), size=5)
    assert error.value.expected == "a network with an attribute dim, the width of its vectors"


def test_an_unknown_name_is_no_import_path():
    with pytest.raises(ConfigError) as error:
        architecture("esmi")
    assert (error.value.params, error.value.value) == (("architecture",), "esmi")
