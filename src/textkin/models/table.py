"""Architectures by the names that recipes and manifests use."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from textkin.errors import ConfigError, UsageError, did_you_mean
from textkin.models.matcher import Matcher
from textkin.models.tower import Tower

ARCHITECTURES: Mapping[str, str] = MappingProxyType(
    {
        "siamese": "siamese:Siamese",
        "anmm": "anmm:ANMM",
        "arc-i": "arc_i:ArcI",
        "arc-ii": "arc_ii:ArcII",
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
        "word-means": "word_means:WordMeans",
    }
)
"""Each name with its module in this package and its class, which is imported when it is asked for."""


Network = Tower | Matcher
"""What can be trained."""


def build(name: str, **arguments: Any) -> Network:
    """Make an untrained model.

    Args:
        name: a key of ``ARCHITECTURES``.
        arguments: what the architecture takes; see its class. For a matcher, ``overlap`` adds overlap
            features (:class:`textkin.models.overlap.WithOverlap`).

    Raises:
        ConfigError: the name, an argument or its value is not known.
    """
    found = architecture(name)
    known = list(inspect.signature(found).parameters)
    overlap = issubclass(found, Matcher) and arguments.pop("overlap", False)
    for argument in arguments:
        if argument not in known:
            raise ConfigError(
                f"the architecture {name!r} has no argument {argument!r}", fix=did_you_mean(argument, known)
            )
    try:
        model: Network = found(**arguments)
        if overlap and isinstance(model, Matcher):
            from textkin.models.overlap import WithOverlap

            return WithOverlap(model, size=arguments["size"], pad_id=arguments["pad_id"])
        return model
    except (UsageError, TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(f"the architecture {name!r} can't be built: {error}") from error


def architecture(name: str) -> type[Tower] | type[Matcher]:
    """The class of an architecture.

    Raises:
        ConfigError: the name is not known.
    """
    if name not in ARCHITECTURES:
        raise ConfigError(f"unknown architecture {name!r}", fix=did_you_mean(name, ARCHITECTURES))
    module, _, kind = ARCHITECTURES[name].partition(":")
    found: type[Tower] | type[Matcher] = getattr(import_module(f"textkin.models.{module}"), kind)
    return found
