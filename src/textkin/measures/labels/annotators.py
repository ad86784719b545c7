"""Labels of several annotators for the same pairs: final labels, disagreements, agreement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.proportions import clustered_share
from textkin.measures.labels.answer_file import LabelAnswer, Labelled, LineReason
from textkin.measures.metrics.agreement import alpha_by_weight, kappa_by_weight

_LEVELS = tuple(LabelAnswer)
_BOTH_SIDES = (-1.0, 1.0)


class Judgements:
    """Answers by pair and by annotator.

    Args:
        answers: the valid answers, in order.
    """

    def __init__(self, answers: Iterable[Labelled]) -> None:
        self._said: dict[int, dict[str, Labelled]] = {}
        self._settled: dict[int, Labelled] = {}
        for one in answers:
            if one.turn is LineReason.SETTLED:
                self._settled[one.row] = one
            else:
                self._said.setdefault(one.row, {})[one.by] = one
                self._settled.pop(one.row, None)  # it settled the answers before this one

    @property
    def rows(self) -> tuple[int, ...]:
        """The pairs with an answer, in the order of their first answers."""
        return tuple(self._said)

    def said(self, row: int) -> tuple[Labelled, ...]:
        """The annotators' own answers to a pair."""
        return tuple(self._said.get(row, {}).values())

    def settlement(self, row: int) -> Labelled | None:
        """The answer that settled a disagreement; None if there is none."""
        return self._settled.get(row)

    def label(self, row: int) -> LabelAnswer | None:
        """The final label of a pair; None without answers.

        It is the settlement, or the unanimous answer, or "unsure" until one of them exists. The last answer
        never wins by being the last.
        """
        if row in self._settled:
            return self._settled[row].answer
        answers = {one.answer for one in self.said(row)}
        if len(answers) > 1:
            return LabelAnswer.UNSURE
        return next(iter(answers), None)

    def labels(self) -> dict[int, LabelAnswer]:
        """The final label of each pair with an answer."""
        found = ((row, self.label(row)) for row in self._said)
        return {row: label for row, label in found if label is not None}

    def disputed(self) -> tuple[int, ...]:
        """The pairs with an open disagreement."""
        return tuple(
            row
            for row in self._said
            if row not in self._settled and len({one.answer for one in self.said(row)}) > 1
        )


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement of annotators on the pairs that several have labelled, before any settlement.

    Attributes:
        people: names of the annotators.
        pairs: number of pairs labelled by several annotators.
        same: proportion of these with a unanimous answer, with a 95 % interval.
        beyond_chance: chance-corrected agreement, with a 95 % interval: Cohen's kappa for two annotators. For
            more, Krippendorff's alpha, which doesn't require that all have labelled the same pairs. None if
            all answers are equal.
        disputed: number of open disagreements.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import LabelAnswer
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), top=50, out="several.tsv")
        >>> session = tk.label("several.tsv", threshold=0.8, overlap=1)
        >>> for name in ("ann", "bob"):
        ...     _ = session.answer(session.next(name), "same", by=name)
        >>> session.agreement().same.value
        1.0
    """

    people: tuple[str, ...]
    pairs: int
    same: Interval
    beyond_chance: Interval | None
    disputed: int

    @property
    def measure(self) -> str:
        """The name of the coefficient in ``beyond_chance``."""
        return "Cohen's kappa" if len(self.people) == 2 else "Krippendorff's alpha"

    @property
    def sentence(self) -> str:
        """The agreement in words."""
        beyond = f"{self.measure} {_in_words(self.beyond_chance)}"
        if self.beyond_chance is None:
            beyond = f"no {self.measure}, as all answers are one"
        pairs = f"{self.pairs:,} pair" + ("s" if self.pairs != 1 else "")
        return (
            f"{pairs} judged by several of {', '.join(self.people)}: they agree on {_in_words(self.same)}; "
            f"{beyond}; {self.disputed:,} to settle"
        )

    def fields(self) -> dict[str, Any]:
        """The agreement as JSON-compatible values."""
        return {**asdict(self), "measure": self.measure, "said": self.sentence}


def agreement_of(judged: Judgements) -> LabelAgreement | None:
    """The agreement of annotators; None if no pair has answers of several."""
    shared = [said for row in judged.rows if len(said := judged.said(row)) > 1]
    if not shared:
        return None
    people = sorted({one.by for said in shared for one in said})
    numbers = np.array(
        [[sum(one.answer is level for one in said) for level in _LEVELS] for said in shared], dtype=np.int64
    )
    clusters = np.arange(len(shared), dtype=np.int64)
    same = clustered_share(numbers.max(axis=1) == numbers.sum(axis=1), clusters)
    assert same is not None  # noqa: S101  # there are pairs
    if len(people) == 2:
        places = [
            {one.by: _LEVELS.index(one.answer) for one in said if one.answer is not None} for said in shared
        ]
        sides = (np.array([one[name] for one in places], dtype=np.int64) for name in people)
        figure = kappa_by_weight(*sides)
    else:
        figure = alpha_by_weight(numbers)
    beyond = None
    if not np.isnan(figure(np.ones((len(shared), 1)))[0]):
        beyond = bootstrap(figure, clusters, ends=_BOTH_SIDES)
    return LabelAgreement(tuple(people), len(shared), same, beyond, len(judged.disputed()))


def _in_words(found: Interval | None) -> str:
    return "" if found is None else f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
