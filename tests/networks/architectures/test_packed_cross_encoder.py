import numpy as np
import pytest
import torch

from tests.models.interop.tiny import backbone
from textkin.models.inference.engine import match_ids
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.packed_cross_encoder import PackedCrossEncoder
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

JOINT = {"start": [[2, 0]], "middle": [[3, 0]], "end": [[3, 1]], "types": [0, 1]}


def cross_encoder(family, *, outputs=1):
    """One with the weights of the tiny networks, and a head of its own."""
    inner = backbone(family, tokens=60)
    torch.manual_seed(7)
    made = CrossEncoder(
        backbone=inner.config.to_dict(),
        joint=JOINT,
        max_length=24,
        token_types=family == "bert",
        outputs=outputs,
    )
    made.encoder.load_state_dict(inner.state_dict(), strict=False)
    return made.train()


def pairs(count=50):
    draw = np.random.default_rng(8)
    return [
        [draw.integers(5, 60, draw.integers(0, 20)).astype(np.int32) for _ in range(count)] for _ in range(2)
    ]


@pytest.mark.parametrize(("family", "outputs"), [("bert", 1), ("roberta", 3), ("distilbert", 2)])
def test_logits_are_those_of_the_network(family, outputs):
    module, (a, b) = cross_encoder(family, outputs=outputs), pairs()
    assert PackedCrossEncoder.of(module) is not None
    found = match_ids(module, a, b, pad_id=0)
    assert module.training
    module.eval()
    with torch.inference_mode():
        expected = module(*(TextBatch.from_ids(side, pad_id=0) for side in (a, b))).numpy()
        alone = [
            module(TextBatch.from_ids([x], pad_id=0), TextBatch.from_ids([y], pad_id=0))
            for x, y in zip(a, b, strict=True)
        ]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(found, torch.cat(alone).numpy(), atol=1e-5)
    assert found.std() > 1e-3


def test_what_it_does_not_know_is_left_alone():
    module, (a, b) = cross_encoder("mpnet"), pairs(5)
    assert PackedCrossEncoder.of(module) is None
    assert match_ids(module, a, b, pad_id=0).shape == (5, 1)
