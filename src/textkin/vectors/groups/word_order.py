"""Whether names or numbers of two texts have traded places: a claim and its reverse, in other words too.

"Why did Apple sue Microsoft?" is not "Microsoft sued Apple". Two names that both texts have once trade places
if one text has them in the other order, and each of them stands beside the word that the other one stood
beside. A list may come in any order ("Trump or Clinton"), and a passive turns the order around ("was sued
by"). Numbers likewise, without passives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import final

from textkin.vectors.groups.amount_reader import written
from textkin.vectors.groups.guarded_words import canonical, names, within

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_JOINING = frozenset({"and", "or", "vs", "versus", "nor", "with"})
_ARTICLES = frozenset({"the", "a", "an"})
_MOST = 40  # names of a pair of texts; of longer ones the first so many are compared
_FAR = 60  # words between two names that a clause or a list holds at most
_STEM = 4  # letters that two forms of a word share


@final
@dataclass(frozen=True, slots=True, eq=False)
class OrderedText:
    """What tells in which order a text has its names and numbers.

    Attributes:
        tokens: words and numbers in their order, without case; a single capital keeps it.
        once: the place of each that comes once.
        names: words that look like names, and single capitals within a sentence.
        numbers: numbers, in one spelling each.
    """

    tokens: tuple[str, ...]
    once: Mapping[str, int]
    names: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> OrderedText:
        """Read a text.

        Args:
            text: prepared, see ``guarded_words.prepared``.
        """
        found = list(_TOKEN.finditer(text))
        tokens = tuple(_folded(one.group()) for one in found)
        last = {token: place for place, token in enumerate(tokens)}
        first = {token: place for place, token in reversed(list(enumerate(tokens)))}
        letters = {
            one.group()
            for one in found
            if len(one.group()) == 1 and one.group().isupper() and within(text, one.start())
        }
        return cls(
            tokens,
            {token: place for token, place in last.items() if first[token] == place},
            names(text) | letters - {"I"},
            frozenset(token for token in tokens if token[0].isdigit()),
        )

    def beside(self, place: int, step: int, among: frozenset[str]) -> str:
        """The next word in a direction that is no article and none of ``among``; "" at the end."""
        place += step
        while 0 <= place < len(self.tokens) and (
            self.tokens[place] in among or self.tokens[place] in _ARTICLES
        ):
            place += step
        return self.tokens[place].lower() if 0 <= place < len(self.tokens) else ""

    def between(self, one: int, other: int) -> tuple[str, ...]:
        """The words between two places; none where these are too far apart to be of one clause."""
        if abs(one - other) > _FAR:
            return ()
        return tuple(token.lower() for token in self.tokens[min(one, other) + 1 : max(one, other)])

    def lists(self, one: int, other: int, among: frozenset[str]) -> bool:
        """Whether two places are in a list, such as "Rs 500 and Rs 1000": units may stand between."""
        if abs(one - other) > _FAR:
            return False
        unit = self.beside(max(one, other), 1, among)
        before = self.beside(min(one, other), -1, among)
        loose = _JOINING | _ARTICLES | {unit, before}
        return all(word in loose or word in among for word in self.between(one, other))


def traded(one: OrderedText, other: OrderedText) -> bool:
    """Whether two names, or two numbers, of two texts have traded places."""
    return _any_traded(one, other, one.names | other.names, passives=True) or _any_traded(
        one, other, one.numbers & other.numbers, passives=False
    )


def _any_traded(one: OrderedText, other: OrderedText, among: frozenset[str], *, passives: bool) -> bool:
    shared = [name for name in among if name in one.once and name in other.once]
    if len(shared) < 2:
        return False
    shared.sort(key=one.once.__getitem__)
    for first, second in combinations(shared[:_MOST], 2):
        ours = (one.once[first], one.once[second])
        theirs = (other.once[first], other.once[second])
        if one.lists(*ours, among) and other.lists(*theirs, among):
            continue
        turned = theirs[0] > theirs[1]
        if passives and _one_is_passive(one.between(*ours), other.between(*theirs)):
            if not turned:
                return True
        elif turned and all(
            _akin(one, here, other, there, among)
            for here, there in ((ours[0], theirs[1]), (ours[1], theirs[0]))
        ):
            return True
    return False


def _one_is_passive(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether the same word stands between two names, once with "by" after it and once without."""
    return _passive(ours) != _passive(theirs) and any(
        len(word) > 2 and word not in _JOINING and _same_stem(word, another)
        for word in ours
        for another in theirs
    )


def _passive(words: tuple[str, ...]) -> bool:
    verb = [word for word in words if word not in _ARTICLES]
    return len(verb) > 1 and verb[-1] == "by"


def _akin(one: OrderedText, here: int, other: OrderedText, there: int, among: frozenset[str]) -> bool:
    """Whether the same word stands before two places, or after them."""
    return any(
        _same_stem(one.beside(here, step, among), other.beside(there, step, among)) for step in (-1, 1)
    )


def _same_stem(one: str, other: str) -> bool:
    """Whether two words are forms of one: "sued" and "sue". The ends of texts are alike, too."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) > 2 and (long.startswith(short) or long[:_STEM] == short[:_STEM]))


def _folded(token: str) -> str:
    if token[0].isdigit():
        return written(token)
    return token if len(token) == 1 else canonical(token)
