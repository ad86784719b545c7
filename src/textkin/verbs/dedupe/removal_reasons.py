"""Reasons for removals: equality, the model's score, shared spelling, or a chain of such pairs."""

from enum import StrEnum

import numpy as np

from textkin.base.arrays import Floats32
from textkin.vectors.groups.linkage import Numbers
from textkin.vectors.similar_texts import Distinct, Similar, pair_keys


class Way(StrEnum):
    """Reason why a text and the one kept for it count as duplicates."""

    EQUAL = "equal"  # the rule of equality; no model was asked, and the score is 1
    MODEL = "model"  # their score
    SPELLING = "spelling"  # the shingles they share, whatever their score
    CHAIN = "chain"  # others between them; their own score is lower


_IN_ORDER = (Way.EQUAL, Way.MODEL, Way.SPELLING, Way.CHAIN)


def ways(
    texts: Distinct,
    similar: Similar,
    threshold: float,
    pairs: tuple[Numbers, Numbers],
    scores: Floats32,
) -> list[Way]:
    """The way of each pair.

    Args:
        texts: the different texts.
        similar: their similar pairs.
        threshold: minimum score of duplicates.
        pairs: the numbers of the two texts of each pair. Shape [pairs] each.
        scores: scores of the pairs. Shape [pairs].
    """
    ours, theirs = pairs
    spelt = similar.edges.where(similar.alike)
    sharing = np.isin(pair_keys(ours, theirs, len(texts)), pair_keys(spelt.a, spelt.b, len(texts)))
    codes = np.select([ours == theirs, scores >= np.float32(threshold), sharing], [0, 1, 2], 3)
    return [_IN_ORDER[code] for code in codes.tolist()]
