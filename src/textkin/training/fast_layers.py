"""Layers of a network that are faster to train on a CPU, in place of torch's."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from textkin.networks.nn.dropout_attention import attention
from textkin.networks.nn.fast_dropout import FastDropout

_NAME = "textkin"  # of the attention, among transformers' own


@contextmanager
def fast_layers(module: nn.Module) -> Iterator[None]:
    """Replace dropout and the attention of pretrained transformers for the block. A context manager.

    They compute the same functions, and draw other random numbers. Weights and their names stay.
    """
    places = [
        (part, name, child)
        for part in module.modules()
        for name, child in part.named_children()
        if type(child) is nn.Dropout
    ]
    transformers = _with_sdpa(module)
    try:
        for part, name, child in places:
            setattr(part, name, FastDropout(child.p).train(child.training))
        for one in transformers:
            one.set_attn_implementation(_NAME)
        yield
    finally:
        for part, name, child in places:
            setattr(part, name, child.train(getattr(part, name).training))
        for one in transformers:
            one.set_attn_implementation("sdpa")


def _with_sdpa(module: nn.Module) -> list[Any]:
    """The pretrained transformers in a network that use torch's attention."""
    if "transformers" not in sys.modules:
        return []
    from textkin.networks.architectures.of_transformers import transformers

    transformers.AttentionInterface.register(_NAME, attention)
    transformers.AttentionMaskInterface.register(_NAME, transformers.masking_utils.sdpa_mask)
    found = [part for part in module.modules() if isinstance(part, transformers.PreTrainedModel)]
    return [one for one in found if one.config._attn_implementation == "sdpa"]
