"""The accuracy of an encoder that finds translations of texts, both ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.first_seen_numbers import enumerated
from textkin.base.results import ResultRow
from textkin.data.protocols import Encoder
from textkin.data.readers.translations import Translation
from textkin.measures.intervals.standard_errors import wilson

_QUANTILE = 1.96
_BLOCK = 1_024


@dataclass(frozen=True, slots=True)
class FoundTranslations:
    """The accuracy of finding translations, with 95 % intervals.

    Attributes:
        language: the language, or "" if the file names none.
        pairs: number of sources with a translation.
        to: proportion of sources whose nearest translation is one of their own.
        back: proportion of translations whose nearest source is one of their own.
    """

    language: str
    pairs: int
    to: tuple[float, float, float]
    back: tuple[float, float, float]

    def row(self, system: str) -> ResultRow:
        """A row of the table."""
        found: ResultRow = {"system": system, "language": self.language, "pairs": self.pairs}
        for name, (value, low, high) in (("to", self.to), ("back", self.back)):
            found |= {name: value, f"{name} low": low, f"{name} high": high}
        return found


def find_translations(encoder: Encoder, pairs: Sequence[Translation]) -> Iterator[FoundTranslations]:
    """Measure an encoder on each language.

    A text is found if its cosine, or that of another translation of the same text, is above those of all
    others; equal texts are one.
    """
    for language in dict.fromkeys(one.language for one in pairs):
        some = [one for one in pairs if one.language == language]
        sources, translations = [one.source for one in some], [one.translation for one in some]
        here, there = (_unit(encoder.encode(texts)) for texts in (sources, translations))
        own, others = (enumerated(texts)[0] for texts in (sources, translations))
        to = _right(here, there, own, others)
        back = _right(there, here, others, own)
        yield FoundTranslations(language, len(some), _share(to), _share(back))


def _right(asked: Floats32, others: Floats32, own: Ints, number: Ints) -> Bools:
    """True where the highest cosine is that of the text's own counterparts alone. Shape [pairs].

    Args:
        asked: vectors of one side. Shape [pairs, dim].
        others: those of their counterparts. Shape [pairs, dim].
        own: a number for each distinct text asked. Shape [pairs].
        number: the same of counterparts. Shape [pairs].
    """
    paired = csr_array((np.ones(len(own), dtype=np.bool_), (own, number)))
    found = np.empty(len(asked), dtype=np.bool_)
    for start in range(0, len(asked), _BLOCK):
        cosines = asked[start : start + _BLOCK] @ others.T
        right = paired[own[start : start + _BLOCK]].toarray()[:, number]
        best = np.where(right, cosines, -np.inf).max(axis=1)
        found[start : start + _BLOCK] = best > np.where(right, -np.inf, cosines).max(axis=1)
    return found


def _share(right: Bools) -> tuple[float, float, float]:
    shares = np.array([right.mean()])
    low, high = wilson(shares, np.array([float(len(right))]), _QUANTILE)
    return float(shares[0]), float(low[0]), float(high[0])


def _unit(vectors: Floats32) -> Floats32:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
