"""The kinds of rows that recipes name, and the way from a recipe's words to an objective."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from torch import nn

from textkin.config import FOR_POSITIVES, ObjectiveConfig
from textkin.errors import ConfigError, TrainingError
from textkin.losses.table import LOSSES
from textkin.losses.table import build as build_loss
from textkin.models.matcher import Matcher
from textkin.models.table import Network
from textkin.training.candidate_rows import AllCandidatePairs, CandidatePairs, Lists
from textkin.training.data import TrainingData
from textkin.training.objective import Objective, taken_by
from textkin.training.pair_rows import LabelledPairs, Positives
from textkin.training.triplet_rows import RandomTriplets, SemiHardTriplets

KINDS: Mapping[str, type[Objective[Any]]] = MappingProxyType(
    {
        "pairs": LabelledPairs,
        "positives": Positives,
        "random-triplets": RandomTriplets,
        "semi-hard-triplets": SemiHardTriplets,
        "candidate-pairs": CandidatePairs,
        "all-candidate-pairs": AllCandidatePairs,
        "lists": Lists,
    }
)


def build_objective(
    config: ObjectiveConfig, data: TrainingData, *, model: Network, seed: int
) -> Objective[Any]:
    """The objective that a recipe describes.

    Args:
        config: loss, rows and how they are drawn.
        data: the training pairs.
        model: what is trained; a tower and a matcher can be fed with different losses.
        seed: of the draws.

    Raises:
        ConfigError: the loss does not take what the rows and the model give.
        TrainingError: there are no rows of that kind.
    """
    loss = build_loss(config.loss, **config.arguments)
    kind, matches = KINDS[config.rows], isinstance(model, Matcher)
    _check_fit(config, kind, loss, matches=matches)
    if config.rows in FOR_POSITIVES and not len(data.positive):
        raise TrainingError(
            "there is no pair of texts that mean the same to learn from",
            fix="give training data with positives",
        )
    return kind(config, data, loss=loss, matches=matches, seed=seed)


def _check_fit(
    config: ObjectiveConfig, kind: type[Objective[Any]], loss: nn.Module, *, matches: bool
) -> None:
    gives = kind.gives | (kind.matcher_gives if matches else kind.tower_gives)
    if taken_by(loss) in gives:
        return
    fitting = [name for name, one in LOSSES.items() if taken_by(one) in gives]
    what = "a model that scores pairs" if matches else "an encoder"
    raise ConfigError(
        f"the loss {config.loss!r} can't be fed with rows = {config.rows!r} of {what}",
        fix=f"rows = {config.rows!r} goes with the losses {', '.join(fitting)}"
        if fitting
        else f"rows = {config.rows!r} needs an encoder, such as the architecture 'siamese'",
    )
