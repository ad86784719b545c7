"""Guards: rules that block a pair of texts, however similar their vectors are.

Vectors hardly reflect differences of a single token: "Windows 10" and "Windows 11", "can" and "can't",
"Python" and "Java". An encoder that averages token vectors can't tell "cats afraid of tigers" from "tigers
afraid of cats". A guard compares exactly that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from types import MappingProxyType
from typing import Any

import numpy as np

from textkin.base.arrays import Bools
from textkin.base.errors import invalid, unknown_choice
from textkin.base.python_inputs import several
from textkin.vectors.groups.amount_reader import Amount, AmountReader
from textkin.vectors.groups.amount_words import COUNTING, HAN_DIGITS
from textkin.vectors.groups.content_words import Content
from textkin.vectors.groups.guarded_words import Named, negation, prepared, units
from textkin.vectors.groups.linkage import Numbers
from textkin.vectors.groups.word_order import OrderedText, traded

_HINT = re.compile(rf"[\d{HAN_DIGITS}]|\b[IVX]+\b")
_LETTERS = re.compile("[a-z]+")
_TO = {*"-\u2010\u2011\u2012\u2013\u2014\u2212\u2192", "to", "till", "until", "through", "->", "=>"}
_KEPT = 1 << 16  # texts whose features each guard keeps, some kilobytes a text
_LISTING = frozenset({"and", "or", ",", "&", "/", "vs"})


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts of a text.

    Attributes:
        surely: certain amounts, normalised and sorted.
        perhaps: words such as "one" and "first", which count only if the other text has the amount.
    """

    surely: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()

    def same(self, other: Amounts) -> bool:
        """True if both texts have the same amounts."""
        if self.surely == other.surely:
            return True
        ours, theirs = Counter(self.surely), Counter(other.surely)
        return ours - theirs <= Counter(other.perhaps) and theirs - ours <= Counter(self.perhaps)


_NONE = Amounts()


def amounts(text: str) -> Amounts:
    """Find the amounts of a prepared text (``guarded_words.prepared``)."""
    if not _HINT.search(text) and COUNTING.isdisjoint(_LETTERS.findall(text.lower())):
        return _NONE
    reader = AmountReader(text)
    found: list[Amount] = []
    place = floor = 0
    while place < len(reader):
        one = reader.amount(place, floor)
        if one is None:
            place += 1
        else:
            found.append(one)
            place = floor = one.end
    joined = _ranges(reader, _listed(reader, found))
    return Amounts(
        tuple(sorted(one.words() for one in joined if one.sure)),
        tuple(sorted(one.words() for one in joined if not one.sure)),
    )


def _listed(reader: AmountReader, found: Sequence[Amount]) -> list[Amount]:
    """Give the amounts of a list their common unit: "500 and 1000 rupees"."""
    listed = list(found)
    for step, places in ((-1, range(len(listed) - 1, 0, -1)), (1, range(len(listed) - 1))):
        for place in places:
            one, other = listed[place], listed[place + step]
            between = reader.words(min(one.end, other.end), max(one.start, other.start))
            same_list = len(between) <= 2 and _LISTING.issuperset(between)
            if one.unit and not other.unit and other.sure and same_list:
                listed[place + step] = replace(other, unit=one.unit)
    return listed


def _ranges(reader: AmountReader, found: Sequence[Amount]) -> list[Amount]:
    """Merge two amounts joined by "to" or a dash: "5 to 10 mg" is "5-10 mg"."""
    chains: list[list[Amount]] = []
    for one in found:
        before = chains[-1][-1] if chains else None
        if before is not None and one.sure and before.sure and _is_range(reader, before, one):
            chains[-1].append(one)
        else:
            chains.append([one])
    return [chain[0] if len(chain) == 1 else _range(chain) for chain in chains]


def _range(chain: Sequence[Amount]) -> Amount:
    sides = [f"{one.value} {one.half}" if one.half else one.value for one in chain]
    unit = next((one.unit for one in chain if one.unit), "")
    return replace(chain[0], end=chain[-1].end, value="-".join(sides), unit=unit, half="")


def _is_range(reader: AmountReader, one: Amount, other: Amount) -> bool:
    between = reader.words(one.end, other.start)
    if len(between) != 1 or (one.unit and other.unit and one.unit != other.unit):
        return False
    return between[0] in _TO or (between[0] == "and" and reader.word(one.start - 1) == "between")


ORDER = "order"
"""The guard against texts with the same words, names or numbers in another order."""
CONTENT = "content"
"""The guard against texts that each have a content word the other lacks."""
STANDARD = ("numbers", "negation", "names", ORDER)
"""The default guards."""

Check = Callable[[Numbers, Numbers], Bools]
"""True for allowed pairs of texts, given by number. Shapes [pairs]."""


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """The names of guards, validated.

    Raises:
        UsageError: a guard is unknown.
    """
    for name in names:
        if name not in GUARDS:
            raise unknown_choice("guards", name, GUARDS)
    return tuple(names)


def guards_of(given: Any) -> tuple[str, ...] | None:
    """The guards that a user names: in a list, or in one string with commas between them.

    Returns:
        The names; () for no guard, which None and "none" ask for; None for "auto", the defaults.

    Raises:
        UsageError: a guard is unknown, or it is not a list of names.
    """
    if given is None or given == "none":
        return ()
    if isinstance(given, str):
        return None if given == "auto" else checked([name.strip() for name in given.split(",")])
    if not isinstance(given, Iterable):
        raise invalid("guards", given, expected="names of guards in a list, or None for none")
    return checked(several(given, "guards"))


@dataclass(frozen=True, slots=True, eq=False)
class TextGuards:
    """The guards of some texts. The features of a text are computed once and cached.

    Attributes:
        texts: the texts; pairs refer to them by number.
    """

    texts: Sequence[str] = field(repr=False)
    _ready: dict[str, Check] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[type[TextGuards], tuple[Sequence[str]]]:
        return TextGuards, (self.texts,)  # functions can't be pickled, and are made again

    def check(self, names: Sequence[str]) -> Check:
        """A function that returns the pairs allowed by all guards; reusable and thread-safe.

        Raises:
            UsageError: a guard is unknown.
        """
        ready = [self._ready.setdefault(name, GUARDS[name](self.texts)) for name in checked(names)]

        def none_forbids(a: Numbers, b: Numbers) -> Bools:
            kept = np.ones(len(a), dtype=bool)
            order = np.lexsort((b, a))  # one after another, pairs of a text find its features in the cache
            for check in ready:
                left = order[kept[order]]  # pairs blocked by one guard needn't be checked again
                kept[left] = check(a[left], b[left])
            return kept

        return none_forbids


def checks(texts: Sequence[str], guards: Sequence[str]) -> Check:
    """A function that returns the pairs of these texts allowed by all guards.

    Raises:
        UsageError: a guard is unknown.
    """
    return TextGuards(texts).check(guards)


def _equal(feature: Callable[[str], str]) -> Callable[[Sequence[str]], Check]:
    """A guard that requires a feature of both texts to be equal."""

    def ready(texts: Sequence[str]) -> Check:
        # 16 bytes a text, however long its feature is; zeros are unknown, and most pages are never touched.
        digests = np.zeros((len(texts), 2), dtype=np.uint64)
        lock = Lock()

        def equal(a: Numbers, b: Numbers) -> Bools:
            both = np.unique(np.concatenate((a, b)))
            with lock:
                for text in both[~digests[both].any(axis=1)].tolist():
                    found = feature(prepared(texts[text])).encode("utf-8", "surrogatepass")
                    digests[text] = np.frombuffer(blake2b(found, digest_size=16).digest(), dtype=np.uint64)
            return np.asarray((digests[a] == digests[b]).all(axis=1))

        return equal

    return ready


def _in_order(texts: Sequence[str]) -> Check:
    """True if two texts differ by more than word order, and nothing in them changes places."""
    same_words, same_text = _equal(_bag)(texts), _equal(_letters)(texts)

    @lru_cache(maxsize=_KEPT)
    def ordered(text: int) -> OrderedText:
        return OrderedText.of(prepared(texts[text]))

    def differ_by_more(a: Numbers, b: Numbers) -> Bools:
        found = ~same_words(a, b)
        alike = np.flatnonzero(~found)
        found[alike] = same_text(a[alike], b[alike])
        for place in np.flatnonzero(found).tolist():
            found[place] = not traded(ordered(int(a[place])), ordered(int(b[place])))
        return found

    return differ_by_more


def _letters(text: str) -> str:
    return "".join(units(text))


def _bag(text: str) -> str:
    """The words of a text, sorted."""
    return " ".join(sorted(units(text)))


def _negated(text: str) -> str:
    return "negated" if negation(text) else ""


def _same_amounts(texts: Sequence[str]) -> Check:
    """True if two texts have the same amounts."""

    @lru_cache(maxsize=_KEPT)
    def of(text: int) -> Amounts:
        return amounts(prepared(texts[text]))

    return _each(lambda one, other: of(one).same(of(other)))


def _names_shared(texts: Sequence[str]) -> Check:
    """True if each name of one text is a word of the other."""

    @lru_cache(maxsize=_KEPT)
    def of(text: int) -> Named:
        return Named.of(prepared(texts[text]))

    return _each(lambda one, other: of(one).shared(of(other)))


def _content_shared(texts: Sequence[str]) -> Check:
    """True if one of two texts has all content words of the other."""

    @lru_cache(maxsize=_KEPT)
    def of(text: int) -> Content:
        return Content.of(prepared(texts[text]))

    return _each(lambda one, other: not of(one).differs(of(other)))


def _each(fine: Callable[[int, int], bool]) -> Check:
    """A guard that checks pairs one by one."""

    def check(a: Numbers, b: Numbers) -> Bools:
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return np.fromiter((fine(one, other) for one, other in pairs), dtype=bool, count=len(a))

    return check


GUARDS: Mapping[str, Callable[[Sequence[str]], Check]] = MappingProxyType(
    {
        "numbers": _same_amounts,
        "negation": _equal(_negated),
        "names": _names_shared,
        ORDER: _in_order,
        CONTENT: _content_shared,
    }
)
"""Guards by name. Each takes texts and returns the check of their pairs."""
