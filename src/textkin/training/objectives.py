"""The kinds of rows named in recipes, and the construction of an objective."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from textkin.base.errors import ConfigError, TrainingError
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.phrase_network import PhraseNetwork
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.loss import Loss
from textkin.networks.losses.table import LOSSES
from textkin.networks.losses.table import build as build_loss
from textkin.networks.recipes.recipe import FOR_POSITIVES, ObjectiveConfig
from textkin.training.candidate_rows import AllCandidatePairs, CandidatePairs, Lists
from textkin.training.in_batch_rows import HardNegatives, Positives
from textkin.training.objective import Objective
from textkin.training.pair_data import TrainingData
from textkin.training.pair_rows import LabelledPairs
from textkin.training.span_rows import Spans
from textkin.training.text_rows import Groups, TextRows
from textkin.training.triplet_rows import RandomTriplets, SemiHardTriplets

KINDS: Mapping[str, type[Objective[Any]]] = MappingProxyType(
    {
        "pairs": LabelledPairs,
        "positives": Positives,
        "hard-negatives": HardNegatives,
        "groups": Groups,
        "texts": TextRows,
        "random-triplets": RandomTriplets,
        "semi-hard-triplets": SemiHardTriplets,
        "candidate-pairs": CandidatePairs,
        "all-candidate-pairs": AllCandidatePairs,
        "lists": Lists,
        "spans": Spans,
    }
)


def build_objective(
    config: ObjectiveConfig, data: TrainingData, *, model: Network, seed: int
) -> Objective[Any]:
    """Build the objective of a recipe.

    Args:
        config: loss, rows and their drawing.
        data: the training pairs.
        model: the model to train; a tower and a matcher suit different losses.
        seed: the seed of the draws.

    Raises:
        ConfigError: the rows and the model don't provide the loss's inputs, or a width isn't below that of
            the model's vectors.
        TrainingError: there are no rows of that kind.
    """
    loss = build_loss(config.loss, **config.arguments)
    kind, matches = KINDS[config.rows], not isinstance(model, Tower)
    _check_fit(config, kind, loss, model)
    if config.in_batch and not isinstance(model, PhraseNetwork):
        raise ConfigError(
            "in_batch needs a model that encodes passages without their questions",
            fix="leave out in_batch, or take a recipe for phrases, such as spans-piqa",
            params=("in_batch",),
            value=True,
        )
    _check_widths(config, data, model, loss)
    if config.rows in FOR_POSITIVES and not len(data.positive):
        raise TrainingError(
            "there is no pair of texts that mean the same to learn from",
            fix="give training data with positives",
        )
    return kind(config, data, loss=loss, matches=matches, seed=seed)


def _check_fit(config: ObjectiveConfig, kind: type[Objective[Any]], loss: Loss, model: Network) -> None:
    gives, what = _gives(kind, model)
    if loss.takes in gives:
        return
    fitting = [name for name, one in LOSSES.items() if one.takes in gives]
    raise ConfigError(
        f"the loss {config.loss!r} can't be fed with rows = {config.rows!r} of {what}",
        params=("loss", "rows"),
        value=(config.loss, config.rows),
        fix=f"rows = {config.rows!r} goes with the losses {', '.join(fitting)}"
        if fitting
        else f"{what} goes with rows = {', '.join(map(repr, _rows_for(model)))}",
    )


def _gives(kind: type[Objective[Any]], model: Network) -> tuple[frozenset[LossInput], str]:
    """The loss inputs that rows provide with a model, also in words."""
    if isinstance(model, SpanNetwork):
        return kind.reader_gives, "a model that points at spans"
    if isinstance(model, Matcher):
        return kind.gives | kind.matcher_gives, "a model that scores pairs"
    return kind.gives | kind.tower_gives, "an encoder"


def _rows_for(model: Network) -> list[str]:
    return [name for name, kind in KINDS.items() if _gives(kind, model)[0]]


def _check_widths(config: ObjectiveConfig, data: TrainingData, model: Network, loss: Loss) -> None:
    if not isinstance(model, Tower):
        for option in ("mini_batch", "widths"):
            if getattr(config, option):
                raise ConfigError(
                    f"{option} is about vectors, and the model gives none",
                    fix=f"leave out {option}",
                    params=(option,),
                )
        return
    if wide := [width for width in config.widths if width >= model.dim]:
        raise ConfigError(
            f"the vectors have {model.dim} numbers and can't be cut to {wide[0]}",
            fix="give narrower widths; the whole vectors are always trained",
            params=("widths",),
            value=wide[0],
        )
    takes_teacher = loss.takes is LossInput.TEACHER_VECTORS
    if takes_teacher and data.teacher is not None and data.teacher.shape[1] != model.dim:
        raise ConfigError(
            f"the teacher's vectors have {data.teacher.shape[1]} numbers, the model's {model.dim}",
            fix="give the model the width of its teacher, for instance with dense = "
            f"{data.teacher.shape[1]} in [model.arguments]",
            params=("model.arguments",),
            value=model.dim,
        )
