import numpy as np
import pytest

from tests.collection.phrase_files.tiny import Tiny
from textkin.base.errors import UsageError
from textkin.data.protocols import PhraseEncoder
from textkin.text.baselines.phrase_tfidf import TfidfPhrases
from textkin.text.baselines.phrases_with_tfidf import PhrasesWithTfidf

PASSAGES = ["The Normans gave their name to Normandy, a region in France.", "", "Emma married King Æthelred."]
QUESTIONS = ["Who gave gave Normandy its name?", "Unheard?", ""]


def test_scores_are_sums_of_both_parts():
    words, inner = TfidfPhrases.fit(PASSAGES), Tiny()
    both = PhrasesWithTfidf(inner, words, weight=0.7)
    assert isinstance(both, PhraseEncoder) and both.name == "tiny + 0.7 tfidf"
    asked = words.questions(QUESTIONS).toarray()
    asked /= np.maximum(np.linalg.norm(asked, axis=1, keepdims=True), 1)
    for passage, found in zip(PASSAGES, both.phrases(PASSAGES), strict=True):
        [plain] = inner.phrases([passage])
        np.testing.assert_array_equal(found.offsets, plain.offsets)
        assert found.vectors.shape == (len(plain.offsets), both.dim) and found.vectors.dtype == np.float32
        around = words.around(passage, plain.offsets).toarray()
        expected = plain.vectors @ inner.questions(QUESTIONS).T + 0.7 * around @ asked.T
        scores = (found.vectors @ both.questions(QUESTIONS).T).toarray()
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_phrases_at_any_places_are_known_by_the_words_beside_them():
    words = TfidfPhrases.fit(PASSAGES)
    [own] = words.phrases(PASSAGES[:1])
    np.testing.assert_array_equal(words.around(PASSAGES[0], own.offsets).toarray(), own.vectors.toarray())
    inside = np.array([[5, 8], [4, 11], [3, 4], [0, 0], [len(PASSAGES[0])] * 2])  # parts of words, and none
    rows = words.around(PASSAGES[0], inside)
    np.testing.assert_array_equal(rows[[0]].toarray(), rows[[1]].toarray())
    assert words._column("normans") in rows[[2]].indices and words._column("the") in rows[[2]].indices
    assert rows.shape[0] == 5
    assert words.around("", np.empty((0, 2), dtype=np.int64)).shape[0] == 0


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_weights_are_above_zero(weight):
    with pytest.raises(UsageError) as error:
        PhrasesWithTfidf(Tiny(), TfidfPhrases(), weight=weight)
    assert error.value.params == ("weight",)


def test_sparse_vectors_get_no_more():
    with pytest.raises(UsageError, match="added to itself"):
        PhrasesWithTfidf(TfidfPhrases(), TfidfPhrases(), weight=1)
