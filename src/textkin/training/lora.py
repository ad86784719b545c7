"""Low-rank adapters in a transformer, by peft: few weights are trained, then merged.

Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models".
"""

from typing import Any

from torch import nn

from textkin.base.errors import ConfigError
from textkin.base.extras import imported
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.recipes.recipe import LoraConfig


def add_adapters(module: Network, config: LoraConfig) -> None:
    """Add adapters to a model's transformer, in place, and freeze everything else in it.

    Parts on top of the transformer, such as a dense layer or a head, are trained as before. The adapters have
    no effect until they are trained.

    Raises:
        ConfigError: the model has no transformer, or no layer has a target's name.
        MissingExtraError: peft is not installed.
    """
    peft = imported("peft", extra="lora")
    settings = peft.LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets) or "all-linear",
    )
    try:
        peft.inject_adapter_in_model(settings, _transformer(module))
    except ValueError as error:
        raise ConfigError(
            f"no adapters fit the targets {', '.join(config.targets) or 'all linear layers'}: {error}",
            fix="name the last part of linear layers' names, such as query and value",
            params=("targets",),
        ) from error


def merge_adapters(module: nn.Module) -> None:
    """Merge adapters into the weights that they adapt, in place, and remove them."""
    for parent in list(module.modules()):
        for name, layer in list(parent.named_children()):
            if hasattr(layer, "lora_A"):
                adapted: Any = layer  # from peft, which has no type annotations
                adapted.merge()
                setattr(parent, name, adapted.get_base_layer())


def _transformer(module: Network) -> nn.Module:
    if isinstance(module, CrossEncoder | TransformerReader):
        return module.encoder
    if isinstance(module, TransformerEncoder | LateInteraction):
        return module.backbone
    raise ConfigError(
        "[model.lora] is about transformers, and the model has none",
        fix="leave it out, or use the architecture transformer, cross-encoder, late-interaction or reader",
        params=("model.lora",),
    )
