"""Losses by the names that recipes use."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from torch import nn

from textkin.errors import ConfigError
from textkin.losses.categorical_hinge import CategoricalHinge
from textkin.losses.contrastive import Contrastive
from textkin.losses.cosine_ranking import CosineRanking
from textkin.losses.cross_entropy import CrossEntropy
from textkin.losses.hinge import Hinge
from textkin.losses.listwise_softmax import ListwiseSoftmax
from textkin.losses.logistic import Logistic
from textkin.losses.mean_square import MeanSquare
from textkin.losses.multiple_negatives import MultipleNegatives
from textkin.losses.online_contrastive import OnlineContrastive
from textkin.losses.rank_hinge import RankHinge
from textkin.losses.triplet import Triplet
from textkin.losses.triplet_in_batch import TripletInBatch

LOSSES: Mapping[str, type[nn.Module]] = MappingProxyType(
    {
        "categorical-hinge": CategoricalHinge,
        "contrastive": Contrastive,
        "cosine-ranking": CosineRanking,
        "cross-entropy": CrossEntropy,
        "hinge": Hinge,
        "listwise-softmax": ListwiseSoftmax,
        "logistic": Logistic,
        "mean-square": MeanSquare,
        "multiple-negatives": MultipleNegatives,
        "online-contrastive": OnlineContrastive,
        "rank-hinge": RankHinge,
        "triplet": Triplet,
        "triplet-in-batch": TripletInBatch,
    }
)


def build(name: str, **options: Any) -> nn.Module:
    """Make a loss.

    Args:
        name: a key of ``LOSSES``.
        options: what the loss takes; see its class.

    Raises:
        ConfigError: the name, an option or its value is not known.
    """
    if name not in LOSSES:
        raise _unknown("loss", name, list(LOSSES))
    known = list(inspect.signature(LOSSES[name]).parameters)
    for option in options:
        if option not in known:
            raise _unknown(f"option of the loss {name!r}", option, known)
    return LOSSES[name](**options)


def _unknown(what: str, name: str, known: list[str]) -> ConfigError:
    close = get_close_matches(name, known, n=1)
    return ConfigError(
        f"unknown {what}: {name!r}, expected one of: {', '.join(known)}",
        fix=f"did you mean {close[0]!r}?" if close else None,
    )
