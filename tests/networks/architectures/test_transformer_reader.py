import numpy as np
import pytest
import torch

from tests.models.interop import tiny_readers
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch
from textkin.networks.losses.span_likelihood import span_likelihood

pytestmark = pytest.mark.torch

JOINT = {"start": [[2, 0]], "middle": [[3, 0]], "end": [[3, 1]], "types": [0, 1]}
QUESTIONS = [[7, 8, 9], [10], [11, 12, 13, 14, 15, 16], []]
WINDOWS = [[20, 21], [22, 23, 24, 25, 26, 27, 28], [29], [30, 31, 32]]


def reader(family="bert", **options):
    """One with the weights of the tiny networks."""
    inner = tiny_readers.network(family, tokens=60)
    made = build(
        "reader",
        **{"backbone": inner.config.to_dict(), "joint": JOINT, "token_types": family == "bert", **options},
    )
    made.backbone.load_state_dict(inner.state_dict())
    return made.eval()


def batch(texts):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=0)


def alone(module, question, window):
    """Logits of one question and window, from the network alone: of the first token, and of the window's."""
    ids = torch.tensor([[2, *question, 3, *window, 3]])
    types = torch.tensor([[0] * (len(question) + 2) + [1] * (len(window) + 1)])
    found = module.backbone(input_ids=ids, **({"token_type_ids": types} if module.token_types else {}))
    both = torch.stack([found.start_logits[0], found.end_logits[0]])
    begin = len(question) + 2
    return both[:, 0], both[:, begin : begin + len(window)]


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_logits_are_those_of_each_window_alone(family):
    module = reader(family, answers_none=True)
    with torch.no_grad():
        found = module(batch(QUESTIONS), batch(WINDOWS))
        for row, (question, window) in enumerate(zip(QUESTIONS, WINDOWS, strict=True)):
            none, inside = alone(module, question, window)
            both = torch.stack([found.start[row], found.end[row]])
            torch.testing.assert_close(both[:, : len(window)], inside, atol=1e-5, rtol=1e-5)
            assert (both[:, len(window) :] == float("-inf")).all()
            torch.testing.assert_close(found.none[row], none, atol=1e-5, rtol=1e-5)
    assert found.start[0, :2].std() > 1e-2


def test_every_parameter_learns():
    module = reader(answers_none=True).train()
    spans = torch.tensor([[[0, 1]], [[3, 3]], [[-1, -1]], [[1, 2]]])
    logits = module(batch(QUESTIONS), batch(WINDOWS))
    span_likelihood(*logits, spans).backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.any() or "key.bias" in name, name


def test_what_it_can_t_say_it_has_no_logits_for():
    module = reader()
    assert module.most == 30
    assert module(batch(QUESTIONS), batch(WINDOWS)).none is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": {**JOINT, "start": []}, "answers_none": True}, "nothing before the question"),
        ({"most": 0}, "most=0"),
        ({"backbone": {"model_type": "t5", "d_model": 8}}, "writes as well as it reads"),
        ({"backbone": {"model_type": "clip"}}, "can't make a network"),
        ({"backbone": {"model_type": "bert", "num_attention_heads": -2}}, "-2 attention heads"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        reader(**options)


def test_without_a_first_token_there_is_always_an_answer():
    module = reader(joint={**JOINT, "start": []})
    assert module(batch(QUESTIONS), batch(WINDOWS)).none is None
