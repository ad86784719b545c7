"""Models that start with the network of another architecture.

A transformer can move from an encoder to a model of pairs or a reader, between these two, and from all three
to a model of phrases; the layers of BiDAF can move from a reader to a scorer of sentences.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from textkin.base.errors import ConfigError, ModelError, UsageError
from textkin.models.interop.cross_encoder import arguments_of
from textkin.models.interop.hugging_face import plain_config
from textkin.models.interop.span_reader import reading_arguments
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model
from textkin.networks.architectures.bidaf import BidafSpans
from textkin.networks.architectures.bidaf_t import BidafT
from textkin.networks.architectures.contextual_piqa import ContextualPiqa
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.phrase_network import PhraseAnswers
from textkin.networks.architectures.table import Network, argument_names, build, with_defaults
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.architectures.transformer_piqa import TransformerPiqa
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.nn.phrase_encoders import Encoding
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline

_OF_PAIRS = CrossEncoder | TransformerReader
_TRANSFORMERS = (TransformerEncoder, CrossEncoder, TransformerReader)
# A layer before the head of pairs that other networks lack: it is newly initialised.
_POOLER = "pooler."
_BIDAFS = frozenset({"bidaf", "bidaf-t"})
_SHAPES_OF_BIDAF = frozenset(
    {
        *("size", "pad_id", "zero_ids", "dim", "unit_size"),
        *("char_dim", "char_filters", "char_window", "hidden", "highways"),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """The starting point of training.

    Attributes:
        model: a model of the requested architecture, or the unchanged start.
        fresh: weights of the model that don't come from the start.
        left: weights of the start that aren't used in the model.
        spare: weights of the model that repeat the start's, for a network of the other side.
        fixed: arguments that must keep the start's values.
    """

    model: Model
    fresh: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()
    spare: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()


def begin(architecture: str, start: Model, *, seed: int) -> Begun:
    """A model of another architecture with a start's network, or ``start`` itself if there is none.

    Pooling, dense layers and prompts of an encoder, and heads, are dropped.

    Args:
        architecture: the requested architecture.
        start: any trained model.
        seed: the seed of a new head.

    Raises:
        ConfigError: transformers has no network with such a head of the start's kind.
    """
    kinds, make = _BEGINNINGS.get(architecture, ((), None))
    if make is None or not isinstance(start.module, kinds):
        if start.architecture not in _BIDAFS:
            return Begun(start)
        arguments = with_defaults(start.architecture, start.arguments)
        return Begun(replace(start, arguments=arguments), fixed=_SHAPES_OF_BIDAF)
    torch.manual_seed(seed)
    return make(start)


def _cross_encoder(start: Model) -> Begun:
    def make(network: nn.Module, pairs: PairPipeline) -> tuple[CrossEncoder, dict[str, Any]]:
        arguments = {**arguments_of(network, pairs), "outputs": 1}
        return CrossEncoder(**arguments), arguments

    return _with_head(start, make, architecture="cross-encoder", what="a cross-encoder")


def _reader(start: Model) -> Begun:
    def make(network: nn.Module, pairs: PairPipeline) -> tuple[TransformerReader, dict[str, Any]]:
        arguments = reading_arguments(network, pairs)
        return TransformerReader(**arguments), arguments

    return _with_head(start, make, architecture="reader", what="a reader")


def _with_head(
    start: Model,
    make: Callable[[nn.Module, PairPipeline], tuple[CrossEncoder | TransformerReader, dict[str, Any]]],
    *,
    architecture: str,
    what: str,
) -> Begun:
    """The network of a start below another kind of head."""

    def refusal(reason: str) -> ConfigError:
        return ConfigError(
            f"{start.name} can't become {what}: {reason}",
            fix="start from another model",
            params=("start",),
            value=start.name,
            expected=f"a model that can become {what}",
        )

    pipeline = start.pipeline
    pairs = PairPipeline(pipeline) if isinstance(pipeline, TokenizerPipeline) else pipeline
    assert isinstance(pairs, PairPipeline)  # noqa: S101 - transformers have no other
    try:
        network = _network_of(start.module)
        module, arguments = make(network, pairs)
        wanted = module.encoder.state_dict()
    except (UsageError, ModelError) as error:
        raise refusal(error.message) from error
    except AttributeError as error:
        raise refusal("its network has no part that is an encoder") from error
    given = network.state_dict()
    fitting = {name for name in wanted if name in given and given[name].shape == wanted[name].shape}
    if unfit := [name for name in wanted if name not in fitting and not name.startswith(_POOLER)]:
        raise refusal(f"its network has no {unfit[0]}")
    module.encoder.load_state_dict({**wanted, **{name: given[name] for name in fitting}})
    if isinstance(start.module, _OF_PAIRS):
        module.token_types = arguments["token_types"] = start.module.token_types
    taken = [_prefixed(one, fitting) for one in (module, start.module)]
    return Begun(
        Model(ModelFacts(start.name), architecture, arguments, module, pairs),
        fresh=frozenset(module.state_dict()) - taken[0],
        left=tuple(name for name in start.module.state_dict() if name not in taken[1]),
    )


def _late_interaction(start: Model) -> Begun:
    backbone = _network_of(start.module)
    arguments = {"backbone": plain_config(backbone), "projection": 0, "outputs": 1}
    module = LateInteraction(backbone=backbone)
    taken = module.state_dict().keys()
    return Begun(
        Model(ModelFacts(start.name), "late-interaction", arguments, module, start.pipeline),
        left=tuple(name for name in start.module.state_dict() if name not in taken),
    )


def _bidaf_t(start: Model) -> Begun:
    """Min et al. 2017, section 3.1: all weights of the reader except its output layers."""
    given = start.module
    assert isinstance(given, BidafSpans)  # noqa: S101 - as the table below says
    known = with_defaults("bidaf", start.arguments)
    arguments = {name: known[name] for name in argument_names("bidaf-t") if name in known}
    module = build("bidaf-t", **arguments)
    assert isinstance(module, BidafT)  # noqa: S101
    module.layers.load_state_dict(given.layers.state_dict())
    return Begun(
        Model(ModelFacts(start.name), "bidaf-t", {**arguments, "outputs": 1}, module, start.pipeline),
        fresh=frozenset(name for name in module.state_dict() if not name.startswith("layers.")),
        left=tuple(name for name in given.state_dict() if not name.startswith("layers.")),
        fixed=_SHAPES_OF_BIDAF,
    )


def _network_of(module: Network) -> nn.Module:
    """The transformer of a model, without a head."""
    if isinstance(module, TransformerEncoder):
        return module.backbone
    assert isinstance(module, _OF_PAIRS)  # noqa: S101 - no others have one here
    return module.encoder


def _prefixed(module: Network, names: set[str]) -> set[str]:
    """The model's names of its transformer's weights."""
    inner = _network_of(module)
    (path,) = {name for name, part in module.named_modules() if part is inner}
    return {f"{path}.{name}" for name in names}


def _contextual_piqa(start: Model) -> Begun:
    pipeline, arguments = _framed(start)
    frozen = copy.deepcopy(_network_of(start.module))
    module = ContextualPiqa(**{**arguments, "backbone": frozen}, encoding=Encoding(), answers=PhraseAnswers())
    model = Model(ModelFacts(start.name), "piqa-contextual", arguments, module, pipeline)
    return Begun(model, fresh=_named(module, but="states."), left=_heads(start))


def _transformer_piqa(start: Model) -> Begun:
    # With weights for both networks; a recipe with one ignores the second.
    pipeline, arguments = _framed(start)
    backbone = _network_of(start.module)
    module = TransformerPiqa(**{**arguments, "backbone": backbone}, answers=PhraseAnswers(), shared=False)
    model = Model(ModelFacts(start.name), "piqa-transformer", arguments, module, pipeline)
    second = _named(module, but="backbone.") - (fresh := _named(module, but=("backbone.", "asking.")))
    return Begun(model, fresh=fresh, left=_heads(start), spare=second)


def _named(module: nn.Module, *, but: str | tuple[str, ...]) -> frozenset[str]:
    """The names of a model's weights without a prefix."""
    return frozenset(name for name in module.state_dict() if not name.startswith(but))


def _framed(start: Model) -> tuple[TokenizerPipeline, dict[str, Any]]:
    """The arguments of a network that adds special tokens itself, and the pipeline without them."""
    pipeline = start.pipeline.whole if isinstance(start.pipeline, PairPipeline) else start.pipeline
    assert isinstance(pipeline, TokenizerPipeline)  # noqa: S101 - transformers have no other
    before, after = (tokens.tolist() for tokens in pipeline.frame)
    frame = {"before": before, "after": after, "pad_id": pipeline.pad_id}
    return pipeline, {"backbone": plain_config(_network_of(start.module)), "frame": frame}


def _heads(start: Model) -> tuple[str, ...]:
    """The weights of a model of pairs or a reader outside its transformer."""
    if not isinstance(start.module, _OF_PAIRS):
        return ()
    taken = _prefixed(start.module, set(_network_of(start.module).state_dict()))
    return tuple(name for name in start.module.state_dict() if name not in taken)


_BEGINNINGS: Mapping[str, tuple[tuple[type[nn.Module], ...], Callable[[Model], Begun]]] = MappingProxyType(
    {
        "cross-encoder": ((TransformerEncoder, TransformerReader), _cross_encoder),
        "reader": ((TransformerEncoder, CrossEncoder), _reader),
        "late-interaction": ((TransformerEncoder,), _late_interaction),
        "bidaf-t": ((BidafSpans,), _bidaf_t),
        "piqa-contextual": (_TRANSFORMERS, _contextual_piqa),
        "piqa-transformer": (_TRANSFORMERS, _transformer_piqa),
    }
)
