"""Architectures by the names that recipes and manifests use."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from types import MappingProxyType
from typing import Any

from textkin.errors import ConfigError, UsageError, did_you_mean
from textkin.models.matcher import Matcher
from textkin.models.tower import Tower
from textkin.nn.word_vectors import Words

ARCHITECTURES: Mapping[str, str] = MappingProxyType(
    {
        "siamese": "siamese:Siamese",
        "static": "static:StaticEncoder",
        "transformer": "transformer:TransformerEncoder",
        "cross-encoder": "cross_encoder:CrossEncoder",
        "late-interaction": "late_interaction:LateInteraction",
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

DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "anmm": {"train_embedding": False},
        "bidaf-t": {"dim": 100},
        "drmm": {"train_embedding": False},
        "drmm-tks": {"train_embedding": False},
        "dssm": {"dim": 300},
    }
)
"""Where an architecture's words are by default others than those of ``Words``."""

WORDS = tuple(field.name for field in fields(Words))
"""The arguments of every matcher that is made from words, which say what tokens it will read."""

Network = Tower | Matcher
"""What can be trained."""


def build(name: str, **arguments: Any) -> Network:
    """Make an untrained model.

    Args:
        name: a key of ``ARCHITECTURES``.
        arguments: what the architecture takes; see its class. Those of a matcher that is made from words are
            those of :class:`textkin.nn.word_vectors.Words`, those of its class, and ``overlap``, which adds
            overlap features (:class:`textkin.models.overlap.WithOverlap`).

    Raises:
        ConfigError: the name, an argument or its value is not known.
    """
    found = architecture(name)
    known = _arguments(found)
    for argument in arguments:
        if argument not in known:
            raise ConfigError(
                f"the architecture {name!r} has no argument {argument!r}", fix=did_you_mean(argument, known)
            )
    try:
        if issubclass(found, Matcher) and reads_words(found):
            return _matcher(found, {**DEFAULTS.get(name, {}), **arguments})
        return found(**arguments)
    except (UsageError, TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(f"the architecture {name!r} can't be built: {error}") from error


def _arguments(kind: type[Tower] | type[Matcher]) -> list[str]:
    """The names of all that :func:`build` takes for an architecture."""
    own = list(inspect.signature(kind).parameters)
    if reads_words(kind):
        return [*WORDS, *(name for name in own if name != "words"), "overlap"]
    return own


def reads_words(kind: type[Tower] | type[Matcher]) -> bool:
    """Whether a model is made from words, with word vectors of its own."""
    return "words" in inspect.signature(kind).parameters


def _matcher(kind: type[Matcher], arguments: dict[str, Any]) -> Matcher:
    words = Words(**{name: arguments.pop(name) for name in WORDS if name in arguments})
    overlap = arguments.pop("overlap", False)
    make: Callable[..., Matcher] = kind  # the options are each class's own
    model = make(words, **arguments)
    if not overlap:
        return model
    from textkin.models.overlap import WithOverlap

    return WithOverlap(model, words)


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
