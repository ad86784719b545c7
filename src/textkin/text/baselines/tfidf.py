"""TF-IDF cosine over words or over character n-grams."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32
from textkin.base.python_inputs import one_or_several
from textkin.data.token_attributions import Addends
from textkin.text.baselines.analysers import CHARACTERS, PLAIN, Analyser, analysed, analyser_of
from textkin.text.baselines.pair_scoring import score_pairs, sparse_cosine
from textkin.text.baselines.terms import Terms


class TfIdf:
    """Cosine of ``(1 + ln tf) (1 + ln((1 + n) / (1 + df)))``, ignoring terms that were not fitted.

    Equivalent to scikit-learn's ``TfidfVectorizer(sublinear_tf=True)``, for characters with
    ``analyzer="char_wb", ngram_range=(3, 5)``. Sublinear counts give the stronger baseline on short texts.

    Args:
        terms: fitted terms.
    """

    def __init__(self, terms: Terms) -> None:
        kind = terms.analyser.name
        self.name = "tfidf-char" if kind == CHARACTERS else analysed("tfidf", kind)
        self._terms = terms
        self._idf = (np.log((1 + terms.texts) / (1 + terms.frequency)) + 1).astype(np.float32)

    compare = staticmethod(sparse_cosine)

    @classmethod
    def fit(cls, texts: Sequence[str], *, analyser: Analyser | None = None) -> Self:
        """Fit the terms and their document frequencies to ``texts``; plain words by default."""
        return cls(Terms(texts, analyser=analyser or analyser_of(PLAIN)))

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The similarity of each pair, shape [pairs]; 0 if a text has no known term."""
        return score_pairs(pairs, self.compare, first=self.queries, second=self.documents)

    def documents(self, texts: Sequence[str]) -> csr_array:
        """One row per text, of unit length or zero. Shape [texts, terms], float32."""
        counts, _ = self._terms.counts(texts)
        counts.data = (1 + np.log(counts.data)) * self._idf[counts.indices]
        rows = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
        squares = np.bincount(rows, weights=counts.data.astype(np.float64) ** 2, minlength=len(texts))
        counts.data /= np.sqrt(squares)[rows]
        return counts

    queries = documents

    @property
    def adds_up(self) -> bool:
        """True: a text's row is a sum over its words."""
        return True

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The contribution of each word to a text's row. Shape [words, terms]."""
        return self._terms.addends(text, self.documents([text]))
