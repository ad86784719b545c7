"""The accuracy of an encoder that finds translations of texts, both ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Bools, Floats32
from textkin.base.first_seen_numbers import enumerated
from textkin.base.results import ResultRow
from textkin.data.protocols import Encoder
from textkin.data.readers.translations import Translation
from textkin.measures.intervals.standard_errors import wilson

_QUANTILE = 1.96
_BLOCK = 1_024


@dataclass(frozen=True, slots=True)
class FoundTranslations:
    """The accuracy of finding translations, with 95 % intervals. Each text counts once.

    Attributes:
        language: the language, or "" if the file names none.
        pairs: number of different pairs of a source and its translation.
        sources: number of different sources.
        translations: number of different translations.
        to: proportion of ``sources`` whose nearest translation is one of their own.
        back: proportion of ``translations`` whose nearest source is one of their own.
    """

    language: str
    pairs: int
    sources: int
    translations: int
    to: tuple[float, float, float]
    back: tuple[float, float, float]

    def row(self, system: str) -> ResultRow:
        """A row of the table."""
        found: ResultRow = {"system": system, "language": self.language, "pairs": self.pairs}
        found |= {"sources": self.sources, "translations": self.translations}
        for name, (value, low, high) in (("to", self.to), ("back", self.back)):
            found |= {name: value, f"{name} low": low, f"{name} high": high}
        return found


def find_translations(encoder: Encoder, pairs: Sequence[Translation]) -> Iterator[FoundTranslations]:
    """Measure an encoder on each language.

    A text is found if its cosine, or that of another translation of the same text, is above those of all
    others. Equal texts are one, so that rows that repeat a text change neither figures nor intervals.
    """
    for language in dict.fromkeys(one.language for one in pairs):
        some = {one[:2]: None for one in pairs if one.language == language}
        (own, sources), (others, translations) = (enumerated(one[side] for one in some) for side in (0, 1))
        here, there = (_unit(encoder.encode(texts)) for texts in (sources, translations))
        paired = csr_array((np.ones(len(some), dtype=np.bool_), (own, others)))
        to, back = _right(here, there, paired), _right(there, here, paired.T.tocsr())
        yield FoundTranslations(
            language, len(some), len(sources), len(translations), _share(to), _share(back)
        )


def _right(asked: Floats32, others: Floats32, paired: csr_array) -> Bools:
    """True where the highest cosine is that of the text's own counterparts alone. Shape [asked].

    Args:
        asked: vectors of the different texts of one side. Shape [asked, dim].
        others: those of the other side. Shape [others, dim].
        paired: True for counterparts. Shape [asked, others].
    """
    found = np.empty(len(asked), dtype=np.bool_)
    for start in range(0, len(asked), _BLOCK):
        cosines = asked[start : start + _BLOCK] @ others.T
        right = paired[start : start + _BLOCK].toarray()
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
