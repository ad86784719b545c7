"""Ranks within a question, and reciprocal rank fusion."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from textkin.base.arrays import Floats, Ints, is_new
from textkin.base.errors import UsageError

RRF_K = 60
"""Constant added to every rank, as in the source."""


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """The sum over members of 1 / (k + rank), where a question's first row has rank 1.

    A row that a member didn't retrieve (NaN) gets nothing from it. Ties share their mean rank.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods" (2009).

    Attributes:
        members: number of members.
        k: higher values reduce the weight of the first ranks.
    """

    members: int
    k: float = RRF_K
    by: Literal["reciprocal ranks"] = "reciprocal ranks"

    is_probability = False
    needs_questions = True

    def __post_init__(self) -> None:
        if not self.k >= 0:
            raise ValueError(f"k is {self.k}, expected 0 or more")

    def combine(self, values: Floats, questions: Ints | None = None) -> Floats:
        """Combine ``values`` [rows, members] with ``questions`` [rows] into one score per row.

        Raises:
            UsageError: ``questions`` is None.
        """
        asked, found = known(questions), np.zeros(len(values))
        for column in range(self.members):
            own = values[:, column]
            listed = np.flatnonzero(~np.isnan(own))
            places, _ = places_within(own[listed], asked[listed])
            found[listed] += 1 / (self.k + places)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-compatible values."""
        return asdict(self)


def places_within(numbers: Floats, questions: Ints) -> tuple[Floats, Ints]:
    """The position of each row in its question, from 1 for the highest, and the question's size.

    Ties share their mean position. All of shape [rows].
    """
    single = numbers.astype(np.float32)
    order = np.lexsort((-single, questions))
    new_question = is_new(questions[order])
    new_run = new_question | is_new(single[order])
    starts, runs = np.flatnonzero(new_question), np.flatnonzero(new_run)
    sizes = np.diff(np.append(starts, len(order)))
    lengths = np.diff(np.append(runs, len(order)))
    above = np.repeat(runs, lengths) - np.repeat(starts, sizes)
    places, beside = np.empty(len(order)), np.empty(len(order), dtype=np.int64)
    places[order] = above + (np.repeat(lengths, lengths) + 1) / 2
    beside[order] = np.repeat(sizes, sizes)
    return places, beside


def ranks_within(numbers: Floats, questions: Ints) -> Floats:
    """The rank of each row in its question, from 0 (lowest) to 1 (highest); 0.5 for a single row.

    Ties share their mean rank. Both of shape [rows].
    """
    places, sizes = places_within(numbers, questions)
    return np.where(sizes > 1, (sizes - places) / np.maximum(sizes - 1, 1), 0.5)


def with_lowest(values: Floats, questions: Ints | None) -> Floats:
    """Replace NaN (not retrieved) by the member's lowest score within the question.

    If a member retrieved nothing for a question, all of the question's rows get 0.

    Args:
        values: scores, NaN if not retrieved. Shape [rows, members].
        questions: shape [rows].

    Raises:
        UsageError: values are missing and ``questions`` is None.
    """
    lacking = np.isnan(values)
    if not lacking.any():
        return values
    number = np.unique(known(questions), return_inverse=True)[1]
    lowest = np.full((int(number.max()) + 1, values.shape[1]), np.inf)
    np.minimum.at(lowest, number, np.where(lacking, np.inf, values))
    return np.where(lacking, np.where(np.isinf(lowest), 0.0, lowest)[number], values)


def known(questions: Ints | None) -> Ints:
    """The question of each row, required by the caller.

    Raises:
        UsageError: ``questions`` is None.
    """
    if questions is None:
        raise UsageError("rows are ranked within their questions, and none are given", fix="say which")
    return questions
