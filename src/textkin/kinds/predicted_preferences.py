"""Preferences that other programs, or people, gave triplets, as a system."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textkin.base.counts import count
from textkin.data.readers.pair_predictions import read_pair_predictions
from textkin.kinds.predicted_scores import PredictedScorer, in_memory
from textkin.kinds.systems.predictions import Predicted, Predictions, in_order, some

Triplet = tuple[str, str, str]


def system_of(
    triplets: Sequence[Triplet],
    told: Sequence[tuple[Triplet, float]] | None,
    given: Predictions,
    *,
    worth: Callable[[Any], Any],
) -> Predicted:
    """The scorer whose scores of both texts differ by the predicted preference.

    Args:
        triplets: anchor, first and second text of each triplet of the data.
        told: the same of each prediction, with its preference; None if it has no texts, and the order counts.
        given: the source.
        worth: a cell as a number; anything else for a wrong one.

    Raises:
        DataError: a triplet has no prediction or several that differ, or one is not a preference.
    """
    notes: tuple[str, ...] = ()
    if told is None:
        margins = _in_order(len(triplets), given, worth)
    elif [triplet for triplet, _ in told] == list(triplets):
        margins = [margin for _, margin in told]
    else:
        own: dict[Triplet, float] = {}
        for triplet, margin in told:
            if own.setdefault(triplet, margin) != margin:
                said = f"the triplet {some([triplet])} has two preferences"
                raise given.wrong(said, fix="give one prediction per triplet")
        found = {(anchor, b, a): -margin for (anchor, a, b), margin in told} | own
        margins, _ = in_order(triplets, found, given, what="triplet")
        known = {*triplets, *((anchor, b, a) for anchor, a, b in triplets)}
        if strange := sum(triplet not in known for triplet, _ in told):
            said = count(strange, "prediction")
            notes = (f"{given.name}: {said} of no triplet of the data, left out",)
    pairs = [(anchor, text) for anchor, *texts in triplets for text in texts]
    scores = np.array([[margin, 0.0] for margin in margins]).ravel()
    return Predicted(PredictedScorer(given.name, pairs, scores), notes)


def _in_order(size: int, given: Predictions, worth: Callable[[Any], Any]) -> list[float]:
    """The preferences of a column without texts, in the order of the triplets."""
    read = in_memory(given) if given.path is None else read_pair_predictions(given.path, name=given.name)
    (cells,) = read.values.values()
    fix = "give a table with anchor, first, second and preference, or a preference for each triplet"
    if len(cells) != size:
        raise given.wrong(f"{len(cells):,} predictions, expected {size:,}, one a triplet", fix=fix)
    found = [worth(cell) for cell in cells]
    for cell, line, value in zip(cells, read.lines, found, strict=True):
        if isinstance(value, str):
            raise given.wrong(f"{cell[:40]!r} is not a preference", line=line, fix=fix)
    return found
