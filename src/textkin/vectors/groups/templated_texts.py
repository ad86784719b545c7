"""Detection of templates: texts that share all but a word or two, such as log messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from textkin.base.arrays import is_new
from textkin.base.spelling import spelt
from textkin.vectors.groups.content_words import words_of
from textkin.vectors.groups.guarded_words import prepared
from textkin.vectors.groups.guards import CONTENT, STANDARD
from textkin.vectors.groups.text_frames import NUMBER, Frames, WordNumbers

_FAMILY = 3  # minimum number of texts that show a template; pairs count if there are many
_SHARE = 0.25
_TWOS, _TWOS_SHARE = 8, 0.5
_COMMON = 0.05  # a word in this fraction of the texts belongs to the template
_TOGETHER = 1 << 25  # words whose frames are compared in memory, about one each


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
    """The number of texts in families of at least three, and of at least two.

    Frames are taken in parts by their hashes, so that memory is bounded; texts of a family have equal ones.
    """
    words = WordNumbers.of(_sequence(text) for text in texts)
    if not len(words.numbers):
        return 0, 0
    common = max(_FAMILY, _COMMON * len(texts))
    parts = 1 + len(words.numbers) // _TOGETHER
    sizes = np.zeros(len(texts), dtype=np.int64)  # of the largest family of each text
    for part in range(parts):
        found = [one.where(one.keys % np.uint64(parts) == part) for one in words.frames(common)]
        frames = Frames.joined(found).repeated()
        starts = is_new(frames.keys)
        family = np.cumsum(starts) - 1
        fillings = np.bincount(family, starts | is_new(frames.fillings)).astype(np.int64)
        np.maximum.at(sizes, frames.owners, fillings[family])
    return int((sizes >= _FAMILY).sum()), int((sizes >= 2).sum())


def _sequence(text: str) -> list[str]:
    """The words of a text, with one placeholder for all numbers, which the guard of numbers compares."""
    return [NUMBER if word[0].isdecimal() else word for word in words_of(prepared(text))]


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
