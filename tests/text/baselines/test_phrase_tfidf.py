import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tests.reference.phrases import tfidf_phrases
from textkin.data.protocols import PhraseEncoder
from textkin.text.baselines.phrase_tfidf import DIM, TfidfPhrases

PASSAGES = [
    "The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, in France.",
    "Normandy's name: the Normans' name! France has 1,000.5 names.",
    "",
    "...",
    "Émile",
]


def test_it_is_a_phrase_encoder():
    assert isinstance(TfidfPhrases(), PhraseEncoder)


@pytest.mark.parametrize("number", range(len(PASSAGES)))
def test_phrases_are_what_loops_give(number):
    encoder = TfidfPhrases.fit(PASSAGES)
    found = encoder.phrases(PASSAGES)[number]
    expected = list(tfidf_phrases(PASSAGES, number))
    assert [tuple(place) for place in found.offsets.tolist()] == [place for place, _ in expected]
    assert found.vectors.shape == (len(expected), DIM) and found.vectors.dtype == np.float32
    for row, (_, weights) in enumerate(expected):
        columns = {encoder._column(word): weight for word, weight in weights.items()}
        vector = found.vectors[[row]]
        assert dict(zip(vector.indices.tolist(), vector.data.tolist(), strict=True)) == pytest.approx(
            columns, rel=1e-6
        )


def test_a_phrase_is_not_known_by_its_own_words():
    encoder = TfidfPhrases.fit(["Paris is in France"])
    found = encoder.phrases(["Paris is in France"])[0]
    whole = found.offsets.tolist().index([0, 18])
    assert found.vectors[[whole]].nnz == 0
    assert encoder._column("paris") not in found.vectors[[0]].indices


def test_the_score_is_the_cosine_of_tfidf_times_what_only_the_question_decides():
    encoder = TfidfPhrases.fit(PASSAGES[:2])
    question = "Who gave their name to the the Normans?"
    scores = np.asarray(
        (encoder.phrases(PASSAGES[:1])[0].vectors @ encoder.questions([question]).T).toarray()
    )
    idf = {word: value for _, weights in tfidf_phrases(PASSAGES[:2], 0) for word, value in weights.items()}
    assert len(idf) > 10
    words = question.lower().rstrip("?").split()
    damped = {word: 1 + np.log(words.count(word)) for word in words}
    for score, (_, weights) in zip(scores[:, 0], tfidf_phrases(PASSAGES[:2], 0), strict=True):
        assert score == pytest.approx(
            sum(weights.get(word, 0) * value for word, value in damped.items()), rel=1e-5
        )


def test_the_question_side_needs_no_passages():
    ours, fitted = TfidfPhrases(), TfidfPhrases.fit(PASSAGES)
    a, b = ours.questions(["Who were they?", ""]), fitted.questions(["Who were they?", ""])
    assert isinstance(a, csr_array) and a.shape == (2, DIM) and (a != b).nnz == 0


@given(st.text(max_size=60))
def test_offsets_stand_in_the_passage(text):
    [found] = TfidfPhrases.fit([text]).phrases([text])
    places = found.offsets.tolist()
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert len(set(map(tuple, places))) == len(places)
    assert np.isfinite(found.vectors.data).all()


def test_words_of_other_scripts_are_whole_and_in_one_spelling():
    passage = "किताब वापस करनी है"
    [found] = TfidfPhrases.fit([passage]).phrases([passage])
    assert {passage[start:end] for start, end in found.offsets.tolist()} >= {"किताब", "वापस करनी"}
    one, other = TfidfPhrases().questions(["cafe\u0301 ﬁne STRASSE", "café fine straße"])[[0, 1]].toarray()
    assert one.tolist() == other.tolist()
