"""The accuracy of an encoder that finds translations of texts, both ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats32
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
        to: proportion of sources whose nearest translation is their own.
        back: proportion of translations whose nearest source is their own.
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

    A text is found if its cosine is above that of every other text; equal texts are one.
    """
    for language in dict.fromkeys(one.language for one in pairs):
        own = [one for one in pairs if one.language == language]
        sources, translations = [one.source for one in own], [one.translation for one in own]
        vectors = [_unit(encoder.encode(texts)) for texts in (sources, translations)]
        to = _right(vectors[0], vectors[1], translations)
        back = _right(vectors[1], vectors[0], sources)
        yield FoundTranslations(language, len(own), _share(to), _share(back))


def _right(asked: Floats32, others: Floats32, texts: Sequence[str]) -> Bools:
    """True where the highest cosine is the own counterpart's alone. Shape [pairs]."""
    number = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)[1]
    found = np.empty(len(asked), dtype=np.bool_)
    for start in range(0, len(asked), _BLOCK):
        cosines = asked[start : start + _BLOCK] @ others.T
        own = number[start : start + _BLOCK]
        right = number[None, :] == own[:, None]
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
