"""Losses by the names that recipes use, with their options checked."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from torch import Tensor

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.import_path import import_path
from textkin.networks.losses.angle import angle
from textkin.networks.losses.categorical_hinge import categorical_hinge
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.contrastive import contrastive
from textkin.networks.losses.cosent import cosent
from textkin.networks.losses.cosine_ranking import cosine_ranking
from textkin.networks.losses.cross_entropy import cross_entropy
from textkin.networks.losses.distances import DistanceName
from textkin.networks.losses.distillation import distillation
from textkin.networks.losses.grouped_triplet import batch_all_triplet, batch_hard_triplet
from textkin.networks.losses.hinge import hinge
from textkin.networks.losses.listwise_softmax import listwise_softmax
from textkin.networks.losses.logistic import logistic
from textkin.networks.losses.loss import Loss
from textkin.networks.losses.margin_mean_square import margin_mean_square
from textkin.networks.losses.mean_square import mean_square
from textkin.networks.losses.multiple_negatives import multiple_negatives
from textkin.networks.losses.online_contrastive import online_contrastive
from textkin.networks.losses.own import CheckedLoss, inputs_of, own_loss, with_options
from textkin.networks.losses.own import options_of as own_options_of
from textkin.networks.losses.rank_hinge import rank_hinge
from textkin.networks.losses.span_likelihood import span_likelihood
from textkin.networks.losses.triplet import triplet
from textkin.networks.losses.triplet_in_batch import triplet_in_batch

_TAKERS: Mapping[LossInput, tuple[Callable[..., Tensor], ...]] = {
    LossInput.ROWS: (multiple_negatives, triplet_in_batch),
    LossInput.PAIR_DISTANCES: (contrastive, online_contrastive),
    LossInput.PAIR_SCORES: (cosent, hinge, logistic),
    LossInput.PAIR_SIMILARITIES: (mean_square,),
    LossInput.PAIR_VECTORS: (angle,),
    LossInput.CLASS_SCORES: (categorical_hinge, cross_entropy),
    LossInput.TRIPLET_VECTORS: (cosine_ranking, triplet),
    LossInput.TRIPLET_SCORES: (rank_hinge,),
    LossInput.TRIPLET_MARGINS: (margin_mean_square,),
    LossInput.LISTS: (listwise_softmax,),
    LossInput.TEACHER_VECTORS: (distillation,),
    LossInput.GROUPED_VECTORS: (batch_all_triplet, batch_hard_triplet),
    LossInput.SPANS: (span_likelihood,),
}

LOSSES: Mapping[str, Loss] = MappingProxyType(
    {
        name: loss
        for name, loss in sorted(
            (function.__name__.replace("_", "-"), Loss(function, takes, {}))
            for takes, functions in _TAKERS.items()
            for function in functions
        )
    }
)
"""Each loss with its defaults. The options of a recipe are the keyword arguments of its function."""

_INPUTS: Mapping[tuple[str, ...], LossInput] = {
    names: takes
    for takes, functions in reversed(list(_TAKERS.items()))
    for names in map(inputs_of, functions)
    if takes not in (LossInput.CLASS_SCORES, LossInput.PAIR_SIMILARITIES)
}
"""What a loss takes by the names of its inputs; (scores, labels) are a pair's score and its label."""


def find(name: str) -> Loss:
    """A bundled loss, or one's own by import path, with its defaults.

    Raises:
        ConfigError: there is none of that name.
        UsageError: there is none at that path, or it takes unknown inputs.
    """
    if name in LOSSES:
        return LOSSES[name]
    path = import_path(name, kind="loss")
    if path is None:
        raise ConfigError(
            f"unknown loss: {name!r}",
            fix=f"{did_you_mean(name, LOSSES)} (an import path such as my_losses:focal does, too)",
            params=("loss",),
            value=name,
        )
    return own_loss(path, _INPUTS)


def build(name: str, **options: Any) -> Loss:
    """Build a loss.

    Args:
        name: a key of ``LOSSES``, or an import path.
        options: the options of the loss; see its function. A loss on distances also has ``distance``:
            "cosine" (the default), "euclidean" or "manhattan".

    Raises:
        ConfigError: there is no such name, option or value.
    """
    found = find(name)
    known = _options(found)
    for option, value in options.items():
        if option not in known:
            raise ConfigError(
                f"unknown option of the loss {name!r}: {option!r}",
                fix=did_you_mean(option, known),
                params=(option,),
            )
        if name in LOSSES or option == "distance":
            _check(option, value, known[option])
    distance = options.pop("distance", found.distance)
    if isinstance(found.function, CheckedLoss):
        return replace(with_options(found, found.function, options), distance=distance)
    return Loss(found.function, found.takes, options, distance)


def _options(loss: Loss) -> dict[str, Any]:
    """The options of a loss with their types."""
    if isinstance(loss.function, CheckedLoss):
        known = own_options_of(loss.function.function)
    else:
        types = get_type_hints(loss.function)
        parameters = inspect.signature(loss.function).parameters.values()
        known = {one.name: types[one.name] for one in parameters if one.kind is one.KEYWORD_ONLY}
    # The function never receives it; the computation of distances uses it.
    return {**known, "distance": DistanceName} if loss.takes is LossInput.PAIR_DISTANCES else known


def _check(option: str, value: Any, kind: Any) -> None:
    """Reject a value that isn't in a word list, a truth value, or a number in the option's range."""
    if get_origin(kind) is Literal:
        expected, fits = f"one of: {', '.join(get_args(kind))}", value in get_args(kind)
    elif kind is bool:
        expected, fits = "true or false", isinstance(value, bool)
    else:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if option == "smoothing":
            expected, fits = "a number from 0 to below 1", is_number and 0 <= value < 1
        else:
            expected, fits = "a finite number above 0", is_number and 0 < value < math.inf
    if not fits:
        raise ConfigError(
            f"{option} is {value!r}, expected {expected}", params=(option,), value=value, expected=expected
        )
