"""Sides that share no article, by shuffled titles or as another split has them.

Questions about one article know too much of each other, so that a side of single questions or paragraphs
would not tell how a system does on new articles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from textkin.base.errors import DataError, invalid

SIDES = ("train", "dev", "test")


@final
@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """How many articles go to dev and to test; all others go to train."""

    dev: int
    test: int

    def __post_init__(self) -> None:
        if self.dev < 0 or self.test < 0:
            name = "dev" if self.dev < 0 else "test"
            raise invalid(name, getattr(self, name), expected="at least 0")


def sides_of_titles(titles: Sequence[str], counts: ArticleCounts, *, seed: int) -> dict[str, list[int]]:
    """The places of the articles of each side, in the order of the data.

    The split depends on the distinct titles and the seed, not on their order. Articles of one title go
    together and count as one; articles without a title are told apart by their place, and so depend on it.

    Args:
        titles: of all articles.
        counts: how many distinct titles dev and test get.
        seed: another one gives another split.

    Raises:
        DataError: there are not enough articles to leave one for train.
    """
    names = _names(titles)
    distinct = sorted(set(names))
    if counts.dev + counts.test >= len(distinct):
        raise DataError(
            f"{len(distinct)} articles can't give {counts.dev} to dev and {counts.test} to test: "
            "none is left to train",
            fix="ask for fewer",
        )
    shuffled = [distinct[place] for place in np.random.default_rng(seed).permutation(len(distinct)).tolist()]
    test, dev = shuffled[: counts.test], shuffled[counts.test : counts.test + counts.dev]
    side = dict.fromkeys(distinct, "train") | dict.fromkeys(test, "test") | dict.fromkeys(dev, "dev")
    return {name: [place for place, one in enumerate(names) if side[one] == name] for name in SIDES}


def sides_like(titles: Sequence[str], given: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """The places of the articles of each side as another split has them, by title.

    Args:
        titles: of all articles.
        given: side to the titles of the other split.

    Raises:
        DataError: the other split has a title on two sides, or lacks one of the articles.
    """
    side: dict[str, str] = {}
    for name, theirs in given.items():
        for title in theirs:
            if side.setdefault(title, name) != name:
                raise DataError(f"the article {title!r} is on the sides {side[title]} and {name}")
    unknown = [title for title in titles if title not in side]
    if unknown:
        raise DataError(
            f"{len(unknown)} articles are on no side of the other split, the first is {unknown[0]!r}",
            fix="give a split that has all of them",
        )
    return {name: [place for place, one in enumerate(titles) if side[one] == name] for name in given}


def _names(titles: Sequence[str]) -> list[tuple[str, int]]:
    """What tells articles apart: the title, or the place where there is none."""
    return [(title, -1) if title else ("", place) for place, title in enumerate(titles)]
