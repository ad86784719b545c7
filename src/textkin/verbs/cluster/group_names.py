"""Names of groups: the central text of each, and its distinctive words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from textkin.base.arrays import Floats32
from textkin.text.baselines.analysers import PLAIN, analyser_of
from textkin.vectors.groups.linkage import Numbers

WORDS = 5
"""Number of words that name a group."""

_STEPS = 1e9  # cosines that differ by rounding alone count as equal


@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """The middle of each group.

    Attributes:
        central: the number of the unique text in the middle of each text's group. Shape [unique texts].
        similarity: the cosine of each text with it; 1 with itself. Shape [unique texts].
    """

    central: Numbers
    similarity: Floats32


def centres(vectors: Floats32, group: Numbers, times: Numbers) -> Centres:
    """Find the text of each group that is most similar to the group's mean; of equals the first one.

    Args:
        vectors: vectors of the unique texts, of any length. Shape [texts, dim].
        group: group of each. Shape [texts].
        times: number of occurrences of each. Shape [texts].
    """
    _, number = np.unique(group, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(number.max() + 1))
    units = vectors.astype(np.float64)  # so that rounding decides between no equals
    lengths = np.sqrt(np.vecdot(units, units))
    units /= np.where(lengths > 0, lengths, 1)[:, None]
    sums = np.add.reduceat(units[order] * times[order, None], starts, axis=0)
    near = np.rint(np.vecdot(units, sums[number]) * _STEPS)
    by_near = np.lexsort((np.arange(len(number)), -near, number))
    central = by_near[np.searchsorted(number[by_near], np.arange(number.max() + 1))][number]
    similarity = np.vecdot(units, units[central]).clip(-1, 1).astype(np.float32)
    similarity[central] = 1.0
    return Centres(central, similarity)


def telling_words(texts: Sequence[str], groups: Sequence[Numbers]) -> Iterator[tuple[str, ...]]:
    """The words that are in many texts of a group and in few of all, best first (tf-idf); of each group.

    Words of one character name nothing by themselves, and are left out.

    Args:
        texts: all of them, each once.
        groups: the numbers of some of them, several a group.
    """
    analyser = analyser_of(PLAIN)
    words = [frozenset(word for word in analyser.words(text) if len(word) > 1) for text in texts]
    holders = Counter(word for one in words for word in one)
    for group in groups:
        shared = Counter(word for text in group.tolist() for word in words[text])
        least = min(2, len(group))
        worth = {
            word: count / len(group) * log(len(texts) / holders[word])
            for word, count in shared.items()
            if count >= least and holders[word] < len(texts)
        }
        yield tuple(sorted(worth, key=lambda word: (-worth[word], word))[:WORDS])
