"""Amounts of a text: counts, measures and ordinals, as written.

Two amounts are equal if they are written alike (apart from well-formed thousands separators) with the same
sign, unit, scale, comparison and half of the day. "5 mg" equals "5mg" and "five milligrams", but not "5 g",
"5.0 mg" or "5".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from textkin.vectors.groups.amount_reader import Amount, AmountReader
from textkin.vectors.groups.amount_words import COUNTING, HAN_DIGITS

_HINT = re.compile(rf"[\d{HAN_DIGITS}]|\b[IVX]+\b")
_LETTERS = re.compile("[a-z]+")
_TO = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212\u2192") | {
    "to",
    "till",
    "until",
    "through",
    "->",
    "=>",
}
_LISTING = frozenset({"and", "or", ",", "&", "/", "vs"})


@final
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
