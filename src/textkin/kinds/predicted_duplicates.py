"""Duplicates that other programs found, as a system."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from textkin.base.errors import DataError
from textkin.base.frames import column_names
from textkin.base.python_values import plain
from textkin.data.readers.labels import number
from textkin.data.readers.pair_predictions import PairPredictions, read_pair_predictions
from textkin.data.records import DuplicateSet
from textkin.kinds.predicted_scores import in_memory
from textkin.kinds.systems.predictions import KnownByPredictions, Predicted, Predictions, some
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.join.pair_list import either_way, made

_FIX = "give a table with the columns id_a, id_b and score, with a row for each pair found"


class PredictedDuplicates(KnownByPredictions):
    """The pairs that another system found among the measured texts.

    Args:
        name: its name in tables.
        texts: the measured texts.
        edges: the pairs, best first.
    """

    def __init__(self, name: str, texts: Sequence[str], edges: Edges) -> None:
        self.name, self._texts, self._edges = name, list(texts), edges

    def mined(self, texts: Sequence[str]) -> Edges:
        """The pairs found among these texts, best first.

        Raises:
            DataError: these are other texts than the measured ones.
        """
        if list(texts) != self._texts:
            raise DataError(
                f"{self.name} has predictions of the measured texts alone", fix="leave it out here"
            )
        return self._edges


def miner_from(data: DuplicateSet, given: Predictions) -> Predicted:
    """The system that found these duplicates.

    A pair may come in both orders, and the higher score counts.

    Raises:
        DataError: a column is missing, an id is unknown, a pair comes twice, is of one text, or has no score.
    """
    read = _in_memory(given) if given.path is None else read_pair_predictions(given.path, name=given.name)
    keys = read.texts if read.ids is None else read.ids
    if keys is None:
        raise given.wrong("has no two columns of ids or texts", fix=_FIX)
    places = _places(data.texts.values() if read.ids is None else data.texts, given)
    pairs: dict[tuple[int, int], float] = {}
    (cells,) = read.values.values()
    for line, key, cell in zip(read.lines, keys, cells, strict=True):
        pair, score = (places.get(key[0], -1), places.get(key[1], -1)), number(cell)
        if min(pair) < 0:
            strange = key[pair.index(-1)]
            what = "text" if read.ids is None else "id"
            raise given.wrong(f"the {what} {some([strange])!r} is not in the data", line=line, fix=_FIX)
        if pair[0] == pair[1]:
            raise given.wrong(f"the pair {some([key])} is of one text", line=line, fix="leave it out")
        if pair in pairs:
            raise given.wrong(f"the pair {some([key])} comes twice", line=line, fix="give each pair once")
        if score is None:
            raise given.wrong(f"{cell[:40]!r} is not a score", line=line, fix="give finite numbers")
        pairs[pair] = score
    return Predicted(PredictedDuplicates(given.name, list(data.texts.values()), _edges(pairs)))


def _edges(scores: Mapping[tuple[int, int], float]) -> Edges:
    pairs = np.array(list(scores), dtype=np.int64).reshape(-1, 2)
    best = either_way(made(pairs[:, 0], pairs[:, 1], np.array(list(scores.values()), dtype=np.float32)))
    return Edges(best["row"].astype(np.int64), best["column"].astype(np.int64), np.array(best["score"]))


def _places(names: Collection[str], given: Predictions) -> dict[str, int]:
    """The number of each text by its id, or by the text itself where rows have no ids."""
    found = {name.strip(): place for place, name in enumerate(names)}
    if len(found) < len(names):
        raise given.wrong("has texts, of which some are equal in the data", fix=_FIX)
    return found


def _in_memory(given: Predictions) -> PairPredictions:
    """Pairs from a frame, or from ``{(id, id): score}``."""
    values: Any = given.given
    if column_names(values) is not None:
        return in_memory(given)
    if not isinstance(values, Mapping) or not all(isinstance(key, tuple) and len(key) == 2 for key in values):
        raise given.wrong(
            f"is of type {type(values).__name__}", fix="give a frame, {(id, id): score}, or a file"
        )
    keys = [(str(plain(a)), str(plain(b))) for a, b in values]
    cells = [str(plain(score)) for score in values.values()]
    return PairPredictions({given.name: cells}, keys, None, range(1, len(cells) + 1))
