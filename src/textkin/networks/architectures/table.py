"""Architectures by the names that recipes and manifests use."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, get_type_hints

from textkin.base.errors import ConfigError, TextkinError, UsageError, did_you_mean, said
from textkin.base.import_path import failed, import_path
from textkin.networks.architectures.argument_checks import check_arguments
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.own import checked, own_architecture
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.tower import Tower

ARCHITECTURES: Mapping[str, str] = MappingProxyType(
    {
        "siamese": "siamese:Siamese",
        "static": "static:StaticTower",
        "transformer": "transformer:TransformerEncoder",
        "cross-encoder": "cross_encoder:CrossEncoder",
        "late-interaction": "late_interaction:LateInteraction",
        "reader": "transformer_reader:TransformerReader",
        "anmm": "anmm:ANMM",
        "arc-i": "arc_i:ArcI",
        "arc-ii": "arc_ii:ArcII",
        "bidaf": "bidaf:BidafSpans",
        "bidaf-t": "bidaf_t:BidafT",
        "bimpm": "bimpm:BiMPM",
        "cdssm": "cdssm:CDSSM",
        "compare-aggregate": "compare_aggregate:CompareAggregate",
        "conv-knrm": "conv_knrm:ConvKNRM",
        "decomposable-attention": "decomposable_attention:DecomposableAttention",
        "drmm": "drmm:DRMM",
        "drmm-tks": "drmm_tks:DRMMTKS",
        "dssm": "dssm:DSSM",
        "duet": "duet:DUET",
        "esim": "esim:ESIM",
        "knrm": "knrm:KNRM",
        "match-lstm": "match_lstm:MatchLSTM",
        "match-pyramid": "match_pyramid:MatchPyramid",
        "mv-lstm": "mv_lstm:MVLSTM",
        "piqa": "piqa:Piqa",
        "piqa-contextual": "contextual_piqa:ContextualPiqa",
        "piqa-transformer": "transformer_piqa:TransformerPiqa",
        "word-means": "word_means:WordMeans",
    }
)
"""Each name with its module in this package and its class, imported on request."""

DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "anmm": {"train_embedding": False},
        "bidaf": {"dim": 100, "train_embedding": False},
        "bidaf-t": {"dim": 100},
        "drmm": {"train_embedding": False},
        "drmm-tks": {"train_embedding": False},
        "dssm": {"dim": 300},
        "piqa": {"dim": 200, "train_embedding": False},
    }
)
"""Architectures whose token settings have other defaults than ``Words``."""

_OPEN = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

Network = Tower | Matcher | SpanNetwork
"""A trainable model."""


def build(name: str, **arguments: Any) -> Network:
    """Build an untrained model.

    Args:
        name: a key of ``ARCHITECTURES``, or the import path of one's own.
        arguments: the architecture's arguments; see its class. A dataclass argument, such as
            :class:`textkin.networks.nn.word_vectors.Words`, is written as its fields. Matchers with words
            also take ``overlap``, which adds overlap features
            (:class:`textkin.networks.architectures.overlap.WithOverlap`).

    Raises:
        ConfigError: there is no such name, argument or value.
    """
    found = architecture(name)
    groups = _groups(found)
    known = _arguments(found, groups)
    for argument in arguments:
        if argument not in known:
            raise ConfigError(
                f"the architecture {name!r} has no argument {argument!r}",
                fix=did_you_mean(argument, known),
                params=(argument,),
            )
    check_arguments(name, known, arguments)
    values = {**DEFAULTS.get(name, {}), **arguments}
    overlap = values.pop("overlap", False)
    make: Callable[..., Network] = found  # each class has its own options
    try:
        made = {
            group: kind(
                **{field.name: values.pop(field.name) for field in fields(kind) if field.name in values}
            )
            for group, kind in groups.items()
        }
        model = make(**made, **values)
    except Exception as error:  # one's own code may raise any
        if name not in ARCHITECTURES and not isinstance(error, TextkinError):
            raise failed(name, error, kind="architecture") from error
        if not isinstance(error, UsageError | TypeError | ValueError | RuntimeError):
            raise
        told = error if isinstance(error, UsageError) else UsageError(said(error))
        raise ConfigError(
            f"the architecture {name!r} can't be built: {said(error)}",
            params=told.params,
            value=told.value,
            expected=told.expected,
        ) from error
    if name not in ARCHITECTURES:
        model = checked(model, name)
    if not (overlap and isinstance(model, Matcher)):
        return model
    from textkin.networks.architectures.overlap import WithOverlap

    return WithOverlap(model, made["words"])


def _groups(kind: type[Network]) -> dict[str, Any]:
    """The dataclass parameters of an architecture."""
    return {name: hint for name, hint in get_type_hints(kind.__init__).items() if is_dataclass(hint)}


def _arguments(kind: type[Network], groups: Mapping[str, Any]) -> dict[str, Any]:
    """The names and types of all arguments of :func:`build` for an architecture."""
    hints = get_type_hints(kind.__init__)
    of_groups = {name: hint for group in groups.values() for name, hint in get_type_hints(group).items()}
    named = (one.name for one in inspect.signature(kind).parameters.values() if one.kind not in _OPEN)
    own = {name: hints.get(name) for name in named if name not in groups}
    return {**of_groups, **own, **({"overlap": bool} if "words" in groups else {})}


def argument_names(name: str) -> frozenset[str]:
    """The names of the arguments of :func:`build` for an architecture.

    Raises:
        ConfigError: there is no such architecture.
    """
    found = architecture(name)
    return frozenset(_arguments(found, _groups(found)))


def with_defaults(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of an architecture, completed with its defaults.

    Raises:
        ConfigError: there is no such architecture.
    """
    found = architecture(name)
    parameters = (
        parameter
        for kind in (*_groups(found).values(), found)
        for parameter in inspect.signature(kind).parameters.values()
    )
    defaults = {one.name: one.default for one in parameters if one.default is not one.empty}
    return {**defaults, **DEFAULTS.get(name, {}), **arguments}


def architecture(name: str) -> type[Network]:
    """The class of an architecture, bundled or by import path.

    Raises:
        ConfigError: there is no such architecture.
    """
    if name not in ARCHITECTURES:
        path = import_path(name, kind="architecture")
        if path is None:
            raise ConfigError(
                f"unknown architecture {name!r}",
                fix=f"{did_you_mean(name, ARCHITECTURES)} (an import path such as my_model:Net does, too)",
                params=("architecture",),
                value=name,
            )
        return own_architecture(path)
    module, _, kind = ARCHITECTURES[name].partition(":")
    return getattr(import_module(f"textkin.networks.architectures.{module}"), kind)
