"""BM25 for pairs of texts: the first is the query, the second the document."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32
from textkin.base.python_inputs import one_or_several
from textkin.data.token_attributions import Addends
from textkin.text.baselines.analysers import PLAIN, Analyser, analysed, analyser_of
from textkin.text.baselines.bm25_parameters import Bm25Parameters
from textkin.text.baselines.pair_scoring import score_pairs, sparse_dot
from textkin.text.baselines.terms import Terms


class Bm25:
    """Sum over the query's words of ``idf tf / (tf + k1 (1 - b + b length / mean length))``.

    With ``idf = ln(1 + (n - df + .5) / (df + .5))`` and exact lengths, this is Lucene's variant, the default.
    A repeated query word counts each time. Words that were not fitted count only for the document's length.

    Args:
        terms: fitted words.
        parameters: k1, b and the variant.
    """

    def __init__(self, terms: Terms, parameters: Bm25Parameters | None = None) -> None:
        self.parameters = parameters or Bm25Parameters()
        self.analyser = terms.analyser.name
        self.name = analysed("bm25", self.analyser) + self.parameters.suffix
        self._terms = terms
        self._weights = self.parameters.weights(terms.texts, terms.frequency)
        self._saturation = self.parameters.saturation(terms.mean_length)

    compare = staticmethod(sparse_dot)

    @classmethod
    def fit(
        cls,
        texts: Sequence[str],
        parameters: Bm25Parameters | None = None,
        *,
        analyser: Analyser | None = None,
    ) -> Self:
        """Fit document frequencies and the mean length to ``texts``; plain words by default."""
        return cls(Terms(texts, analyser=analyser or analyser_of(PLAIN)), parameters)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, 0 or more and without an upper bound, shape [pairs]."""
        return score_pairs(pairs, self.compare, first=self.queries, second=self.documents)

    def queries(self, texts: Sequence[str]) -> csr_array:
        """The number of occurrences of each word in each text, shape [texts, terms]."""
        return self._terms.counts(texts)[0]

    def documents(self, texts: Sequence[str]) -> csr_array:
        """The contribution of each word of each text to a query that contains it, shape [texts, terms]."""
        counts, lengths = self._terms.counts(texts)
        saturated = self._saturation.of(counts.data, np.repeat(lengths, np.diff(counts.indptr)))
        counts.data = (self._weights[counts.indices] * saturated).astype(np.float32)
        return counts

    @property
    def adds_up(self) -> bool:
        """True: a text's row is a sum over its words."""
        return True

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The contribution of each word to a text's row as query or as document. Shape [words, terms]."""
        return self._terms.addends(text, (self.documents if second else self.queries)([text]))
