"""Phrase scores from dense and sparse vectors combined.

Source: Seo et al. 2019, "Real-Time Open-Domain Question Answering with Dense-Sparse Phrase Index". The dense
part of its phrases represents the meaning, the sparse part the surrounding words.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, invalid
from textkin.data.protocols import Features, PhraseEncoder, PhraseVectors, nothing_of
from textkin.text.baselines.phrase_tfidf import TfidfPhrases


class PhrasesWithTfidf:
    """The phrases of another encoder, with a weighted TF-IDF product added to the scores.

    score = product + weight * the product of :class:`TfidfPhrases` for a question's unit row. A question's
    row has no frequencies, so that side needs no passages. Both parts are concatenated into sparse rows, so
    everything that accepts sparse rows accepts these.

    Args:
        inner: the other encoder.
        words: the TF-IDF phrases.
        weight: weight of their product, above 0. The best value depends on the scale of the encoder's
            products; choose it on dev questions.

    Raises:
        UsageError: the weight is not above 0, or the encoder uses TF-IDF already; later, if it returns sparse
            vectors.
    """

    def __init__(self, inner: PhraseEncoder, words: TfidfPhrases, *, weight: float) -> None:
        if not 0 < weight < float("inf"):
            raise invalid("weight", weight, expected="a finite number above 0")
        if isinstance(inner, TfidfPhrases | PhrasesWithTfidf):
            raise UsageError("tfidf can't be added to itself", fix="give the folder of a trained model")
        self._inner, self._words, self._weight = inner, words, weight

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self._inner.name} + {self._weight:g} tfidf"

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return self._inner.dim + self._words.dim

    @property
    def nothing(self) -> Floats32 | None:
        """The "no answer" vector of the other encoder, without context words."""
        inner = nothing_of(self._inner)
        return None if inner is None else np.pad(inner, (0, self._words.dim))

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """The phrases of the other encoder, with its priors."""
        return [
            PhraseVectors(
                one.offsets,
                self._joined(one.vectors, self._words.around(passage, one.offsets), self._weight),
                one.priors,
            )
            for passage, one in zip(passages, self._inner.phrases(passages), strict=True)
        ]

    def questions(self, questions: Sequence[str]) -> csr_array:
        """One vector per question, shape [questions, dim]."""
        words = self._words.questions(questions)
        lengths = np.sqrt(np.asarray(words.multiply(words).sum(axis=1)))
        shortened = diags_array(1 / np.maximum(lengths, 1)) @ words  # any word contributes at least length 1
        return self._joined(self._inner.questions(questions), shortened, 1.0)

    def _joined(self, dense: Features, words: csr_array, weight: float) -> csr_array:
        if not isinstance(dense, np.ndarray):
            raise UsageError(f"{self._inner.name} gives sparse vectors, to which none are added")
        return csr_array(hstack([csr_array(dense), weight * words], format="csr", dtype=np.float32))
