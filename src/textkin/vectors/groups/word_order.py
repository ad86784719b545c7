"""Detection of swapped names or numbers: a claim and its reverse, also in other words.

"Why did Apple sue Microsoft?" is not "Microsoft sued Apple". Two names that occur once in both texts are
swapped if their order differs, and if each is next to the word that the other was next to. Lists can have any
order ("Trump or Clinton"), and a passive reverses the order ("was sued by"). The same holds for numbers,
without passives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from textkin.vectors.groups.amount_reader import written
from textkin.vectors.groups.guarded_words import canonical, names, within

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_JOINING = frozenset({"and", "or", "vs", "versus", "nor", "with"})
_ARTICLES = frozenset({"the", "a", "an"})
_MOST = 40  # names compared in a pair of texts; only the first ones of longer texts
_FAR = 60  # maximum number of words between two names of a clause or list
_STEM = 4  # letters shared by two forms of a word


@dataclass(frozen=True, slots=True, eq=False)
class OrderedText:
    """The order of names and numbers in a text.

    Attributes:
        tokens: words and numbers in order, lower-cased except for single capitals.
        once: position of each token that occurs once.
        names: words that look like names, and single capitals within a sentence.
        numbers: numbers, normalised.
    """

    tokens: tuple[str, ...]
    once: Mapping[str, int]
    names: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> OrderedText:
        """Read a text.

        Args:
            text: prepared text, see ``guarded_words.prepared``.
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
        """The next word in a direction that is neither an article nor in ``among``; "" at the end."""
        place += step
        while 0 <= place < len(self.tokens) and (
            self.tokens[place] in among or self.tokens[place] in _ARTICLES
        ):
            place += step
        return self.tokens[place].lower() if 0 <= place < len(self.tokens) else ""

    def between(self, one: int, other: int) -> tuple[str, ...]:
        """The words between two positions; none if these are too far apart for one clause."""
        if abs(one - other) > _FAR:
            return ()
        return tuple(token.lower() for token in self.tokens[min(one, other) + 1 : max(one, other)])

    def lists(self, one: int, other: int, among: frozenset[str]) -> bool:
        """True if two positions are in a list such as "Rs 500 and Rs 1000", with units in between."""
        if abs(one - other) > _FAR:
            return False
        unit = self.beside(max(one, other), 1, among)
        before = self.beside(min(one, other), -1, among)
        loose = _JOINING | _ARTICLES | {unit, before}
        return all(word in loose or word in among for word in self.between(one, other))


def traded(one: OrderedText, other: OrderedText) -> bool:
    """True if two names, or two numbers, are swapped between two texts."""
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
    """True if the same word is between two names, once followed by "by" and once not."""
    return _passive(ours) != _passive(theirs) and any(
        len(word) > 2 and word not in _JOINING and _same_stem(word, another)
        for word in ours
        for another in theirs
    )


def _passive(words: tuple[str, ...]) -> bool:
    verb = [word for word in words if word not in _ARTICLES]
    return len(verb) > 1 and verb[-1] == "by"


def _akin(one: OrderedText, here: int, other: OrderedText, there: int, among: frozenset[str]) -> bool:
    """True if the same word precedes two positions, or follows them."""
    return any(
        _same_stem(one.beside(here, step, among), other.beside(there, step, among)) for step in (-1, 1)
    )


def _same_stem(one: str, other: str) -> bool:
    """True if two words are forms of one, such as "sued" and "sue". The ends of texts count as equal."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) > 2 and (long.startswith(short) or long[:_STEM] == short[:_STEM]))


def _folded(token: str) -> str:
    if token[0].isdigit():
        return written(token)
    return token if len(token) == 1 else canonical(token)
