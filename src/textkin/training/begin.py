"""Models of pairs and of spans that begin with the network of a sentence encoder."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch

from textkin.errors import ConfigError, UsageError
from textkin.interop.cross_encoder import arguments_of
from textkin.interop.hugging_face import plain_config
from textkin.model_dir import Model
from textkin.models.contextual_piqa import ContextualPiqa
from textkin.models.cross_encoder import CrossEncoder
from textkin.models.late_interaction import LateInteraction
from textkin.models.phrase_network import PhraseAnswers
from textkin.models.transformer import TransformerEncoder
from textkin.models.transformer_piqa import TransformerPiqa
from textkin.nn.phrase_encoders import Encoding
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline


def begin(architecture: str, start: Model, *, seed: int) -> Model:
    """A model of another architecture with an encoder's network, or ``start`` as it is where there is none.

    Pooling, dense layers and prompts of the encoder are left behind.

    Args:
        architecture: of the model that is wanted.
        start: any trained model.
        seed: of a head that starts anew.

    Raises:
        ConfigError: transformers has no classification network of the encoder's kind.
    """
    make, pipeline = _BEGINNINGS.get(architecture), start.pipeline
    if make is None or not isinstance(start.module, TransformerEncoder):
        return start
    assert isinstance(pipeline, TokenizerPipeline)  # noqa: S101 - transformers have no other
    torch.manual_seed(seed)
    return make(start, start.module, pipeline)


def _cross_encoder(start: Model, encoder: TransformerEncoder, pipeline: TokenizerPipeline) -> Model:
    pairs, network = PairPipeline(pipeline), encoder.backbone
    arguments = {**arguments_of(network, pairs), "outputs": 1}
    try:
        module = CrossEncoder(**arguments)
    except UsageError as error:
        raise ConfigError(
            f"{start.name} can't become a cross-encoder: {error.message}", fix="start from another model"
        ) from error
    given, wanted = network.state_dict(), module.encoder.state_dict()
    unfit = [
        name for name, tensor in wanted.items() if name not in given or given[name].shape != tensor.shape
    ]
    if unfit:
        raise ConfigError(
            f"{start.name} can't become a cross-encoder: its network has no {unfit[0]}",
            fix="start from another model",
        )
    module.encoder.load_state_dict({name: given[name] for name in wanted})
    return Model(start.name, "cross-encoder", arguments, module, pairs)


def _late_interaction(start: Model, encoder: TransformerEncoder, pipeline: TokenizerPipeline) -> Model:
    arguments = {"backbone": plain_config(encoder.backbone), "projection": 0, "outputs": 1}
    module = LateInteraction(backbone=encoder.backbone)
    return Model(start.name, "late-interaction", arguments, module, pipeline)


def _contextual_piqa(start: Model, encoder: TransformerEncoder, pipeline: TokenizerPipeline) -> Model:
    arguments = _framed(encoder, pipeline)
    frozen = copy.deepcopy(encoder.backbone)
    module = ContextualPiqa(**{**arguments, "backbone": frozen}, encoding=Encoding(), answers=PhraseAnswers())
    return Model(start.name, "piqa-contextual", arguments, module, pipeline)


def _transformer_piqa(start: Model, encoder: TransformerEncoder, pipeline: TokenizerPipeline) -> Model:
    # With weights for both networks, of which a recipe that has one leaves the second aside.
    arguments = _framed(encoder, pipeline)
    module = TransformerPiqa(
        **{**arguments, "backbone": encoder.backbone}, answers=PhraseAnswers(), shared=False
    )
    return Model(start.name, "piqa-transformer", arguments, module, pipeline)


def _framed(encoder: TransformerEncoder, pipeline: TokenizerPipeline) -> dict[str, Any]:
    """What a network is built with that puts special tokens around texts itself."""
    before, after = (tokens.tolist() for tokens in pipeline.frame)
    frame = {"before": before, "after": after, "pad_id": pipeline.pad_id}
    return {"backbone": plain_config(encoder.backbone), "frame": frame}


_BEGINNINGS: Mapping[str, Callable[[Model, TransformerEncoder, TokenizerPipeline], Model]] = MappingProxyType(
    {
        "cross-encoder": _cross_encoder,
        "late-interaction": _late_interaction,
        "piqa-contextual": _contextual_piqa,
        "piqa-transformer": _transformer_piqa,
    }
)
