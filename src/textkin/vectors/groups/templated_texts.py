"""Detection of templates: texts that share all but a word or two, such as log messages."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from textkin.base.spelling import spelt
from textkin.vectors.groups.content_words import bases_of, is_content, words_of
from textkin.vectors.groups.guarded_words import prepared
from textkin.vectors.groups.guards import CONTENT, STANDARD

_FAMILY = 3  # minimum number of texts that show a template; pairs count if there are many
_SHARE = 0.25
_TWOS, _TWOS_SHARE = 8, 0.5
_COMMON = 0.05  # a word in this fraction of the texts belongs to the template
_SLOT, _CHARACTERS = 2, 4  # words of a slot, or characters in scripts without spaces
_GAP = ""
_BITS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Templates:
    """The number of texts made from templates.

    Attributes:
        texts: number of texts.
        alike: number of texts that share all but a word or two with others.
    """

    texts: int
    alike: int

    @property
    def many(self) -> bool:
        """True if there are so many that the differing words carry the meaning."""
        return self.alike > 0


def templates(texts: Sequence[str]) -> Templates:
    """Detect templates in distinct texts, in time linear in their total length.

    Three or more texts belong to one template if they are equal except for one content word (or two adjacent
    ones), for their two rarest ones, or for all rare words. They count if they make up a quarter of all
    texts. Pairs of such texts count if they make up half.
    """
    threes, twos = _in_families(texts)
    if threes >= max(_FAMILY, _SHARE * len(texts)):
        return Templates(len(texts), threes)
    if twos >= max(_TWOS, _TWOS_SHARE * len(texts)):
        return Templates(len(texts), twos)
    return Templates(len(texts), 0)


def _in_families(texts: Sequence[str]) -> tuple[int, int]:
    """The number of texts in families of at least three, and of at least two."""
    known: dict[str, str] = {}
    sequences = [[known.setdefault(word, word) for word in _sequence(text)] for text in texts]
    spread = Counter(word for words in sequences for word in set(words))
    common = max(_FAMILY, _COMMON * len(texts))
    keys, fillings, owners = array("Q"), array("Q"), array("Q")
    for owner, words in enumerate(sequences):
        for frame, inside in _frames(words, spread, common):
            keys.append(frame & _BITS)
            fillings.append(inside & _BITS)
            owners.append(owner)
    if not keys:
        return 0, 0
    key, filling, owner_of = (np.frombuffer(one, dtype=np.uint64) for one in (keys, fillings, owners))
    order = np.lexsort((filling, key))
    key, filling, owner_of = key[order], filling[order], owner_of[order]
    starts = np.concatenate(([True], key[1:] != key[:-1]))
    differs = starts | np.concatenate(([True], filling[1:] != filling[:-1]))
    family = np.cumsum(starts) - 1
    sizes = np.bincount(family, differs)[family]
    return len(np.unique(owner_of[sizes >= _FAMILY])), len(np.unique(owner_of[sizes >= 2]))


def _sequence(text: str) -> list[str]:
    """The words of a text, with one placeholder for all numbers, which the guard of numbers compares."""
    return ["#" if word[0].isdecimal() else word for word in words_of(prepared(text))]


def _frames(words: Sequence[str], spread: Counter[str], common: float) -> Iterator[tuple[int, int]]:
    """Hashes of a text with slots for content words, each with the hash of the slots' content."""
    content = [place for place, word in enumerate(words) if word != "#" and is_content(word)]
    if len(content) < 2 or len(words) < 3:
        return
    yield from _single_slots(words, content)
    rare = sorted(content, key=lambda place: (spread[words[place]], place))
    few = {place for place in rare if spread[words[place]] < common}
    for left_out in (set(rare[:2]), few):
        if 2 <= len(left_out) < len(content):
            yield _slotted(words, left_out)


def _single_slots(words: Sequence[str], content: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Frames with one slot of a word or two, from hashes of prefixes and suffixes, in linear time."""
    before, after = [0], [0]
    for word in words:
        before.append(hash((before[-1], word)))
    for word in reversed(words):
        after.append(hash((after[-1], word)))
    forms = [_form(words[place]) for place in content]
    for number, start in enumerate(content):
        length = _CHARACTERS if len(words[start]) == 1 else _SLOT
        for end in range(number + 1, min(number + length, len(content)) + 1):
            last = content[end - 1]
            if last - start != end - 1 - number or len(content) - (end - number) < end - number:
                break
            yield hash((before[start], after[len(words) - last - 1])), hash(tuple(forms[number:end]))


def _slotted(words: Sequence[str], left_out: Collection[int]) -> tuple[int, int]:
    """The text with slots for some words; adjacent words share one slot."""
    kept, inside = [], []
    for place, word in enumerate(words):
        if place not in left_out:
            kept.append(word)
        else:
            inside.append(_form(word))
            if place - 1 not in left_out:
                kept.append(_GAP)
    return hash(tuple(kept)), hash(tuple(inside))


@lru_cache(maxsize=65_536)
def _form(word: str) -> str:
    """The approximate stem of a word, good enough to compare texts of one template."""
    return min(bases_of(word))


@dataclass(frozen=True, slots=True)
class ChosenGuards:
    """The guards that apply to some texts.

    Attributes:
        names: names of the guards.
        templated: number of texts made from templates, if that has added ``content``; else 0.
    """

    names: tuple[str, ...]
    templated: int = 0

    @classmethod
    def of(cls, named: Sequence[str] | None, texts: Sequence[str]) -> Self:
        """The guards named by the user, or else the defaults for these texts."""
        if named is not None:
            return cls(tuple(named))
        found = templates(texts)
        return cls((*STANDARD, CONTENT), found.alike) if found.many else cls(STANDARD)

    def sentence(self, texts: int) -> str:
        """The reason why ``content`` was added; "" if it wasn't, or if the user named it.

        Args:
            texts: number of distinct texts.
        """
        if not self.templated:
            return ""
        return (
            f"{self.templated:,} of {texts:,} different texts share all but a word or two with others, as "
            "messages made of templates do: the guard content keeps apart what differs in such words "
            + spelt(f"(`guards={','.join(STANDARD)}` turns it off)")
        )
