import pytest
from torch import nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import (
    as_backbone,
    config_of,
    headless_network,
    new_backbone,
    tokens_of,
)

pytestmark = pytest.mark.torch

BERT = {
    "model_type": "bert",
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "vocab_size": 30,
}


def test_a_network_of_a_configuration():
    network = new_backbone(BERT, vocab_size=31)
    assert tokens_of(network) == 31
    assert config_of(network).hidden_size == 8


def test_a_pooler_is_never_trained():
    network = as_backbone(BERT)
    learnt = {name.split(".")[0] for name, weight in network.named_parameters() if weight.requires_grad}
    assert "encoder" in learnt
    assert "pooler" not in learnt
    assert as_backbone(network) is network


def test_the_network_below_a_head():
    from transformers import BertConfig, BertForQuestionAnswering

    settings = {key: value for key, value in BERT.items() if key != "model_type"}
    network = BertForQuestionAnswering(BertConfig(**settings))
    assert headless_network(network) is network.bert


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "no-such-kind"}, "can't make a network"),
        ({"num_attention_heads": -2}, "-2 attention heads"),
    ],
)
def test_what_is_no_configuration_is_refused(changes, message):
    with pytest.raises(UsageError, match=message):
        new_backbone(BERT | changes)


def test_a_network_without_tokens_is_refused():
    with pytest.raises(UsageError, match="no table of tokens"):
        tokens_of(nn.Linear(2, 2))
