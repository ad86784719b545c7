"""Small networks that encode phrases and questions independently, and batches for them."""

import numpy as np
import torch

from tests.models.interop.tiny import backbone
from textkin.models.interop.hugging_face import plain_config
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch

NAMES = ["piqa", "piqa-contextual", "piqa-transformer"]
PAD, UNKNOWN, SIZE, UNITS = 0, 1, 40, 30
QUESTIONS = [[2, 3, 4, 5, 6, 7, 8], [9], [3, 3, 3], [10, 11, 2, 4, 6], [5, 6]]
CONTEXTS = [[12, 13, 4], [2, 5, 6, 7, 9, 20, 21, 22, 23, 24, 25, 26], [3], [30, 31, 32], [6, 5, 5, 6]]


def spelling(token):
    """The units of a token are a function of its id."""
    return [1 + token % (UNITS - 1), 1 + 7 * token % (UNITS - 1)]


def batch(texts, *, extra=0, spelt=True):
    """Texts, padded by ``extra`` tokens more than they need."""
    rows = [np.array([[token, *spelling(token), 0] for token in text], dtype=np.int32) for text in texts]
    made = TextBatch.from_ids([row.reshape(-1, 4) for row in rows], pad_id=PAD)
    pad = torch.nn.functional.pad
    units = pad(made.units, (0, 0, 0, extra)) if spelt else None
    return TextBatch(pad(made.ids, (0, extra), value=PAD), pad(made.mask, (0, extra)), units)


def build_small(name, *, seed=1, **options):
    """A network with few weights, drawn large enough to distinguish texts."""
    torch.manual_seed(seed)
    if name == "piqa":
        words = {"size": SIZE, "pad_id": PAD, "zero_ids": [UNKNOWN], "dim": 12, "unit_size": UNITS}
        small = {"char_dim": 5, "hidden": 6, "heads": 2}
        return build(name, **{**words, **small, **options})
    frame = {"before": [2], "after": [3], "pad_id": PAD}
    small = {"hidden": 6, "heads": 2} if name == "piqa-contextual" else {"width": 7}
    network = backbone("bert", tokens=SIZE)
    made = build(name, backbone=plain_config(network), frame=frame, **{**small, **options})
    with torch.no_grad():
        inner = made.states.backbone if name == "piqa-contextual" else made.backbone
        inner.load_state_dict(network.state_dict())
        if getattr(made, "asking", None) is not None:
            made.asking.load_state_dict(network.state_dict())
    return made
