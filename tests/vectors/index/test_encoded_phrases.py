import numpy as np
import pytest

from tests.collection.phrase_files.tiny import Tiny
from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import PhraseVectors
from textkin.vectors.index.encoded_phrases import encoded_phrases, encoded_questions, in_portions


@pytest.mark.parametrize("sparse", [False, True])
def test_the_likeliest_phrases_stay_in_their_order(sparse):
    encoder = Tiny(sparse=sparse)
    text = "aa bbb c dd eee f"
    whole = encoder.phrases([text])[0]
    [found] = encoded_phrases(encoder, [text], per_passage=3)
    assert [text[start:end] for start, end in found.offsets] == ["aa", "bbb", "eee"]
    rows = [0, 1, 4]
    expected, kept = whole.vectors[rows], found.vectors
    assert (kept != expected).nnz == 0 if sparse else (kept == expected).all()
    assert found.priors.tolist() == [2, 3, 3]
    assert len(encoded_phrases(encoder, [text], per_passage=99)[0]) == 6
    assert len(encoded_phrases(encoder, [""], per_passage=2)[0]) == 0


def test_there_must_be_something_to_keep_by():
    with pytest.raises(UsageError) as error:
        encoded_phrases(Tiny(priors=False), ["a b"], per_passage=1)
    assert error.value.params == ("per_passage",)
    with pytest.raises(UsageError) as error:
        encoded_phrases(Tiny(), ["a b"], per_passage=0)
    assert (error.value.params, error.value.value) == (("per_passage",), 0)


GOOD = PhraseVectors(np.array([[0, 1]]), np.zeros((1, 4), np.float32), np.zeros(1, np.float32))


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        (PhraseVectors(np.array([[1, 1]]), GOOD.vectors), (1, 1)),
        (PhraseVectors(np.array([[-1, 1]]), GOOD.vectors), (-1, 1)),
        (PhraseVectors(np.array([[0, 4]]), GOOD.vectors), (0, 4)),
        (PhraseVectors(np.array([0, 1]), GOOD.vectors), ((2,), np.int64)),
        (PhraseVectors(np.array([[0.0, 1.0]]), GOOD.vectors), ((1, 2), np.float64)),
        (PhraseVectors(GOOD.offsets, np.zeros((2, 4), np.float32)), (2, 4)),
        (PhraseVectors(GOOD.offsets, np.zeros((1, 5), np.float32)), (1, 5)),
        (PhraseVectors(GOOD.offsets, np.zeros((1, 4))), np.float64),
        (PhraseVectors(GOOD.offsets, np.full((1, 4), np.inf, np.float32)), np.float32),
        (PhraseVectors(GOOD.offsets, GOOD.vectors, np.zeros(2, np.float32)), (2,)),
        (PhraseVectors(GOOD.offsets, GOOD.vectors, np.full(1, np.nan, np.float32)), (1,)),
    ],
)
def test_what_an_encoder_gives_is_checked(wrong, value, monkeypatch):
    encoder = Tiny()
    monkeypatch.setattr(encoder, "phrases", lambda passages: [GOOD])
    assert encoded_phrases(encoder, ["abc"]) == [GOOD]
    monkeypatch.setattr(encoder, "phrases", lambda passages: [wrong])
    with pytest.raises(DataError) as error:
        encoded_phrases(encoder, ["abc"])
    assert (error.value.params, error.value.value) == (("tiny",), value)
    with pytest.raises(DataError) as error:
        encoded_phrases(encoder, ["abc", "d"])
    assert (error.value.params, error.value.value) == (("tiny",), 1)


def test_questions_are_checked(monkeypatch):
    encoder = Tiny()
    assert encoded_questions(encoder, ["a", "b"]).shape == (2, 4)
    monkeypatch.setattr(encoder, "questions", lambda questions: np.zeros((1, 4), np.float32))
    with pytest.raises(DataError) as error:
        encoded_questions(encoder, ["a", "b"])
    assert (error.value.params, error.value.value) == (("tiny",), (1, 4))


def test_long_passages_are_encoded_few_at_a_time():
    texts = ["a" * length for length in (3, 3, 50, 1, 1, 1, 1, 9, 2)]
    found = list(in_portions(texts, 3, characters=10))
    assert [[len(text) for text in portion] for portion in found] == [[3, 3], [50], [1, 1, 1], [1, 9], [2]]
    assert next(in_portions(zip(texts, texts, strict=True), 9))[2] == (texts[2], texts[2])
    assert not list(in_portions([], 3))
