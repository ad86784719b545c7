"""Options of negative mining."""

from dataclasses import dataclass
from typing import Any, Literal

from textkin.base.argument_checks import check_fields
from textkin.base.errors import invalid
from textkin.text.baselines.analysers import PLAIN

Known = Literal["ranked", "first", "out"]
Pick = Literal["top", "random"]


@dataclass(frozen=True, slots=True)
class NegativeOptions:
    """Options of negative mining. Margins are relative to the anchor's least similar positive.

    Attributes:
        ranks: first and last rank, from 1, that negatives are taken from.
        each: negatives for an anchor.
        margin: a negative must score at least this much less than the positive.
        relative_margin: the same as a fraction of the positive's score.
        max_score: a negative must score no more.
        filter_max: it must score no more by the filter model.
        filter_margin: by the filter model it must score at least this much less than the positive.
        pick: the first-ranked ones that pass, or any of them.
        known: texts that the data say are not the same as the anchor: "ranked" like all others; taken
            "first", whatever their ranks and scores; or "out".
        wide: one row for all negatives of a pair, rather than one for each.
        seed: seed of ``pick="random"``.
        analyser: analyser of tfidf and bm25: plain, or a language whose words they stem.

    Example:
        >>> NegativeOptions(ranks=(5, 20), each=3).pick
        'top'
    """

    ranks: tuple[int, int] = (10, 50)
    each: int = 5
    margin: float | None = None
    relative_margin: float | None = None
    max_score: float | None = None
    filter_max: float | None = None
    filter_margin: float | None = None
    pick: Pick = "top"
    known: Known = "ranked"
    wide: bool = False
    seed: int = 0
    analyser: str = PLAIN

    def __post_init__(self) -> None:
        check_fields(self)
        first, last = self.ranks
        if not 1 <= first <= last:
            raise invalid("ranks", self.ranks, expected="1 <= first <= last, such as 10-50")


def ranks_of(given: Any) -> tuple[int, int]:
    """The first and the last rank, of a pair or of words such as 10-50.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(given, str):
        first, dash, last = given.partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            return int(first), int(last)
    elif isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(one, int) for one in given):
        return given[0], given[1]
    raise invalid("ranks", given, expected="the first and the last rank, such as 10-50")
