"""Texts with slots for some of their words, as hashes: equal frames belong to one template.

Everything is computed on arrays. A hash is the sum of the words' random numbers, each times a power of an
odd number, so the hash of any run of words comes from sums along the texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Ints, is_new
from textkin.vectors.groups.content_words import bases_of, is_content

Hashes = NDArray[np.uint64]

NUMBER = "#"  # stands for all numbers
_SLOT, _CHARACTERS = 2, 4  # words of a slot, or characters in scripts without spaces
_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers have inverses modulo 2**64
_GAP, _SLOTTED, _AFTER = (
    np.uint64(one) for one in (0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7, 0xAEF17502108EF2D9)
)
_PIECE = 1 << 20  # words whose frames are made together


@dataclass(frozen=True, slots=True)
class Frames:
    """Hashes of texts with slots, with the hashes of what fills the slots, and the numbers of the texts."""

    keys: Hashes
    fillings: Hashes
    owners: Ints

    def where(self, kept: Bools | Ints) -> Frames:
        """Some of the frames, by a mask or by their numbers."""
        return Frames(self.keys[kept], self.fillings[kept], self.owners[kept])

    def repeated(self) -> Frames:
        """The frames of which there are several, sorted by their hashes and by those of what fills them."""
        order = np.argsort(self.keys)
        starts = is_new(self.keys[order])
        ends = np.concatenate((starts[1:], [True]))[: len(starts)]
        some = self.where(order[~(starts & ends)])
        return some.where(np.lexsort((some.fillings, some.keys)))

    @classmethod
    def joined(cls, parts: Iterable[Frames]) -> Self:
        """The frames of several parts."""
        columns = zip(*((one.keys, one.fillings, one.owners) for one in parts), strict=True)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True, eq=False)
class WordNumbers:
    """The words of texts as numbers, with what frames need to know of each word.

    Attributes:
        numbers: the words of all texts, one text after the other.
        starts: where each text starts, and the last one ends.
        words: the different words.
    """

    numbers: NDArray[np.uint32]
    starts: Ints
    words: tuple[str, ...]

    @classmethod
    def of(cls, sequences: Iterable[list[str]]) -> Self:
        """Number the words of texts."""
        known: dict[str, int] = {}
        numbers, starts = array("I"), array("q", [0])
        for words in sequences:
            numbers.extend([known.setdefault(word, len(known)) for word in words])
            starts.append(len(numbers))
        return cls(np.array(numbers, dtype=np.uint32), np.array(starts, dtype=np.int64), tuple(known))

    @cached_property
    def is_content(self) -> Bools:
        """True for words that may fill a slot."""
        return np.array([word != NUMBER and is_content(word) for word in self.words], dtype=bool)

    @cached_property
    def is_single(self) -> Bools:
        """True for single characters."""
        return np.array([len(word) == 1 for word in self.words], dtype=bool)

    @cached_property
    def hashes(self) -> Hashes:
        """A random number for each word."""
        return _random(len(self.words), seed=0)

    @cached_property
    def forms(self) -> Hashes:
        """A random number for each word, the same for words of one approximate stem."""
        known: dict[str, int] = {}
        stems = [known.setdefault(min(bases_of(word)), len(known)) for word in self.words]
        return _random(len(known), seed=1)[np.array(stems, dtype=np.int64)]

    @cached_property
    def spread(self) -> Ints:
        """The number of texts with each word."""
        found = np.zeros(len(self.words), dtype=np.int64)
        for first, last in self.pieces():
            start, end = self.starts[first], self.starts[last]
            text = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
            pairs = np.sort(text * len(self.words) + self.numbers[start:end])
            pairs = pairs[is_new(pairs)]
            found += np.bincount(pairs % len(self.words), minlength=len(self.words))
        return found

    def pieces(self) -> Iterator[tuple[int, int]]:
        """The first text of each piece of about a million words, and the first one after it."""
        first, texts = 0, len(self.starts) - 1
        while first < texts:
            last = int(np.searchsorted(self.starts, self.starts[first] + _PIECE, side="right")) - 1
            last = max(first + 1, last)
            yield first, last
            first = last

    def frames(self, common: float) -> Iterator[Frames]:
        """The frames of all texts, in pieces: a word or two left out, the two rarest, or all rare ones.

        Args:
            common: words in so many texts or more aren't rare.
        """
        for first, last in self.pieces():
            piece = _Piece(self, first, last)
            yield Frames.joined([*piece.single_slots(), piece.two_rarest(), piece.rare(common)])


class _Piece:
    """Some texts with their frames, which only texts of three words, two of them content words, have."""

    def __init__(self, words: WordNumbers, first: int, last: int) -> None:
        start, end = words.starts[first], words.starts[last]
        self.words, self.first = words, first
        self.numbers = words.numbers[start:end]
        self.bounds = words.starts[first : last + 1] - start
        lengths = np.diff(self.bounds)
        self.text = np.repeat(np.arange(last - first), lengths)
        places = np.flatnonzero(words.is_content[self.numbers])
        self.contents = np.bincount(self.text[places], minlength=last - first)
        usable = (self.contents >= 2) & (lengths >= 3)
        self.places = places[usable[self.text[places]]]
        self.powers = _powers(_BASE, max(len(self.numbers) + 1, _CHARACTERS))

    def single_slots(self) -> Iterator[Frames]:
        """Frames with one slot of adjacent content words, by its number of words."""
        inverses = _powers(pow(_BASE, -1, 1 << 64), len(self.numbers) + 1)
        sums = _sums(self.words.hashes[self.numbers] * self.powers[: len(self.numbers)])
        longest = np.where(self.words.is_single[self.numbers[self.places]], _CHARACTERS, _SLOT)
        for width in range(1, _CHARACTERS + 1):
            starts, ends = self.places[: len(self.places) - width + 1], self.places[width - 1 :]
            text = self.text[starts]
            fits = (
                (self.text[ends] == text) & (ends - starts == width - 1) & (longest[: len(starts)] >= width)
            )
            fits &= self.contents[text] >= 2 * width
            starts, ends, text = starts[fits], ends[fits] + 1, text[fits]
            first, last = self.bounds[text], self.bounds[text + 1]
            before = (sums[starts] - sums[first]) * inverses[first]
            after = (sums[last] - sums[ends]) * inverses[ends]
            filling = np.zeros(len(starts), dtype=np.uint64)
            for place in range(width):
                filling += self.words.forms[self.numbers[starts + place]] * self.powers[place]
            yield Frames(_mixed(before) + _mixed(after + _AFTER), filling, text + self.first)

    def two_rarest(self) -> Frames:
        """Frames with slots for the two rarest content words, of equally rare ones the first."""
        spread = self.words.spread[self.numbers[self.places]]
        order = self.places[np.lexsort((self.places, spread, self.text[self.places]))]
        text = self.text[order]
        is_first = is_new(text)
        is_second = np.concatenate(([False], is_first[:-1]))[: len(text)]
        return self._slotted(order[is_first | is_second])

    def rare(self, common: float) -> Frames:
        """Frames with slots for all content words in fewer texts than that."""
        return self._slotted(self.places[self.words.spread[self.numbers[self.places]] < common])

    def _slotted(self, places: Ints) -> Frames:
        """Frames with slots at these places; adjacent ones are one slot. Texts keep a content word."""
        out = np.zeros(len(self.numbers), dtype=bool)
        out[places] = True
        slots = np.bincount(self.text[places], minlength=len(self.contents))
        goes_on = np.zeros(len(out), dtype=bool)
        goes_on[1:] = out[:-1] & out[1:] & (self.text[1:] == self.text[:-1])
        numbers = np.where(out, _GAP, self.words.hashes[self.numbers])
        keys = self._polynomials(numbers, ~goes_on)
        fillings = self._polynomials(self.words.forms[self.numbers], out)
        frames = Frames(_mixed(keys ^ _SLOTTED), fillings, np.arange(len(slots)) + self.first)
        return frames.where((slots >= 2) & (slots < self.contents))

    def _polynomials(self, values: Hashes, kept: Bools) -> Hashes:
        """For each text the sum of its kept values, each times the power of its rank among them."""
        ranks: Ints = np.cumsum(kept) - kept
        ranks -= ranks[self.bounds[:-1][self.text]]
        sums = _sums(np.where(kept, values * self.powers[ranks], np.uint64(0)))
        return sums[self.bounds[1:]] - sums[self.bounds[:-1]]


def _random(count: int, *, seed: int) -> Hashes:
    return np.random.default_rng(seed).integers(1 << 64, size=count, dtype=np.uint64)


def _powers(base: int, count: int) -> Hashes:
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)


def _sums(values: Hashes) -> Hashes:
    """The sum of the values before each place, and of all."""
    return np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(values)))


def _mixed(hashes: Hashes) -> Hashes:
    """Hashes of hashes, so that their sums tell which was which (the finaliser of splitmix64)."""
    mixed = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
