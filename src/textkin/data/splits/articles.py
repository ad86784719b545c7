"""Splits by article, at random or like another split.

Questions about one article are dependent, so a side of single questions or paragraphs wouldn't show the
performance on new articles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.errors import DataError, invalid

SIDES = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """The number of articles for dev and for test; all others are for train."""

    dev: int
    test: int

    def __post_init__(self) -> None:
        if self.dev < 0 or self.test < 0:
            name = "dev" if self.dev < 0 else "test"
            raise invalid(name, getattr(self, name), expected="at least 0")


def sides_of_titles(titles: Sequence[str], counts: ArticleCounts, *, seed: int) -> dict[str, list[int]]:
    """The positions of the articles of each side, in data order.

    The split depends on the distinct titles and the seed, not on their order. Articles with the same title
    stay together and count as one. Articles without a title are identified by their position, and depend on
    it.

    Args:
        titles: titles of all articles.
        counts: number of distinct titles for dev and test.
        seed: seed of the split.

    Raises:
        DataError: there are too few articles to leave one for train.
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
    """The positions of the articles of each side as in another split, by title.

    Args:
        titles: titles of all articles.
        given: titles of the other split by side.

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
    """The identity of each article: its title, or its position if it has none."""
    return [(title, -1) if title else ("", place) for place, title in enumerate(titles)]
