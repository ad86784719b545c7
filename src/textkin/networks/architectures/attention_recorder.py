"""Recording of the attention of pretrained transformers."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import config_of


@contextmanager
def attentions(backbone: nn.Module) -> Iterator[list[Tensor]]:
    """Record the attention of a Hugging Face encoder. A context manager.

    The list has a tensor for each run of the encoder, of shape [layers, B, heads, L, L]; its rows sum to one.
    Fused kernels never compute these numbers, so the network uses plain attention meanwhile.

    Args:
        backbone: the encoder, without a head.

    Raises:
        UsageError: the network has no attention, or attention of another shape.
    """
    network: Any = backbone
    how = config_of(backbone)._attn_implementation
    kept: list[Tensor] = []
    none = UsageError(f"networks of the kind {config_of(backbone).model_type!r} show no attention")

    def ask(_: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        takes = signature(backbone.forward).parameters.values()
        if not any(one.name == "output_attentions" or one.kind is one.VAR_KEYWORD for one in takes):
            raise none
        return args, {**named, "output_attentions": True}

    def keep(_: nn.Module, __: tuple[Any, ...], found: Any) -> None:
        layers = getattr(found, "attentions", None)
        if not layers or any(one is None or one.shape != layers[0].shape for one in layers):
            raise none
        kept.append(torch.stack([one.float() for one in layers]))

    network.set_attn_implementation("eager")
    hooks = [
        backbone.register_forward_pre_hook(ask, with_kwargs=True),
        backbone.register_forward_hook(keep),
    ]
    try:
        yield kept
    finally:
        for hook in hooks:
            hook.remove()
        network.set_attn_implementation(how)
