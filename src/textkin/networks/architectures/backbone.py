"""The Hugging Face networks below our models: built from a configuration and inspected, not run."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from textkin.base.errors import UsageError, wrong_setting

_ENCODER_HALVES = frozenset({"t5", "mt5", "umt5", "t5gemma"})


def as_backbone(backbone: nn.Module | Mapping[str, Any]) -> nn.Module:
    """A network, or a new one from a configuration, for its token states.

    Raises:
        UsageError: transformers doesn't know the kind.
    """
    network = backbone if isinstance(backbone, nn.Module) else new_backbone(backbone)
    # Used only for pretraining on sentences, by no vector of ours: without gradients, never trained.
    pooler = getattr(network, "pooler", None)
    if isinstance(pooler, nn.Module):
        pooler.requires_grad_(False)
    return network


def new_backbone(
    config: Mapping[str, Any], *, kind: Callable[[Any], Any] | None = None, **changes: Any
) -> nn.Module:
    """An untrained Hugging Face network.

    Args:
        config: the contents of a ``config.json``.
        kind: the class of transformers that builds networks from a configuration; None for encoders.
        changes: settings that differ.

    Raises:
        UsageError: transformers doesn't know the kind.
    """
    from textkin.networks.architectures.of_transformers import transformers

    settings = {key: value for key, value in config.items() if key not in ("model_type", "auto_map")}
    settings |= changes
    try:
        made = transformers.AutoConfig.for_model(config["model_type"], **settings)
        require_sizes(made)
        network: nn.Module = (kind or backbone_class)(made).from_config(made)
    except (KeyError, ValueError) as error:
        raise UsageError(f"transformers can't make a network of this configuration: {error}") from error
    return network


def backbone_class(config: Any) -> Any:
    """The class of transformers that builds encoders from this configuration."""
    from textkin.networks.architectures.of_transformers import transformers

    # T5's encoder alone, once saved, claims to have no decoder; its kind shows it.
    halves = getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_HALVES
    return transformers.AutoModelForTextEncoding if halves else transformers.AutoModel


def headless_network(backbone: nn.Module) -> nn.Module:
    """The network below the head of one of Hugging Face's."""
    return backbone.get_submodule(str(backbone.base_model_prefix))


def require_sizes(config: Any) -> None:
    """Check that a configuration has sizes, as the library's own check differs by version.

    Raises:
        UsageError: it has no attention heads, or no whole number for its width.
    """
    width = getattr(config, "hidden_size", 1)
    if not isinstance(width, int | None):
        raise wrong_setting("hidden_size", width, expected="a whole number")
    heads = getattr(config, "num_attention_heads", 1)
    if not isinstance(heads, int) or heads < 1:
        raise UsageError(f"{str(heads)[:40]} attention heads, expected 1 or more")


def tokens_of(backbone: nn.Module) -> int:
    """The vocabulary size of a Hugging Face network.

    Raises:
        UsageError: it reads no tokens, but images or bytes.
    """
    try:
        network: Any = backbone
        return int(network.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError) as error:
        raise UsageError("the network has no table of tokens", fix="choose one that reads texts") from error


def config_of(backbone: nn.Module) -> Any:
    """The configuration of a Hugging Face network."""
    return backbone.config
