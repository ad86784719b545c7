import numpy as np
import pytest

from textkin import load_encoder
from textkin.base.errors import UsageError
from textkin.data.protocols import Classifier, Encoder, Scorer, Side
from textkin.text.baselines import build
from textkin.text.baselines.user_objects import given
from textkin.text.truncation_account import truncation_of

PAIRS = [("one text", "one more"), ("one text", "two"), ("a", "b")]


class Overlap:
    name = "overlap"

    def score(self, pairs):
        return [len(set(a.split()) & set(b.split())) for a, b in pairs]


class Letters:
    name = "letters"

    def encode(self, texts):
        return [[text.count(letter) for letter in "abcdeotx"] for text in texts]


class Sides(Letters):
    dim = 8

    def encode(self, texts, side=None):
        return np.array(super().encode(texts)) + (side is Side.QUERY)


class Coin:
    name, labels = "coin", ["no", "yes"]

    def classify(self, pairs):
        return [[0.25, 0.75] for _ in pairs]


class Gives:
    name = "mine"

    def __init__(self, found):
        self.found = found

    def score(self, pairs):
        return self.found


def test_an_object_with_score_is_a_scorer():
    scorer = given(Overlap())
    assert isinstance(scorer, Scorer)
    assert not isinstance(scorer, Encoder)
    assert scorer.name == "overlap"
    scores = scorer.score(PAIRS)
    assert (scores.tolist(), scores.dtype) == ([1, 0, 0], np.float32)


def test_an_object_with_encode_is_an_encoder_that_scores_by_cosine():
    encoder = given(Letters())
    assert isinstance(encoder, Encoder)
    assert encoder.dim == 8
    vectors = np.array(Letters().encode(["one text", "one more"]))
    cosine = vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1])
    np.testing.assert_allclose(encoder.score(PAIRS)[0], cosine, rtol=1e-6)
    assert encoder.encode([]).shape == (0, 8)
    assert given(Letters()).encode(["a"], side=Side.QUERY).tolist() == [[1, 0, 0, 0, 0, 0, 0, 0]]
    assert given(Sides()).encode(["a"], side=Side.QUERY).tolist() == [[2, 1, 1, 1, 1, 1, 1, 1]]


def test_its_own_score_goes_before_the_cosine():
    class Both(Letters, Overlap):
        pass

    assert given(Both()).score(PAIRS).tolist() == [1, 0, 0]


def test_an_object_with_classes_is_a_classifier():
    found = given(Coin())
    assert isinstance(found, Classifier)
    assert found.labels == ("no", "yes")
    assert found.classify(PAIRS).shape == (3, 2)


def test_the_models_of_textkin_are_taken_as_they_are():
    for model in (load_encoder(), build("minhash", fit_texts=[])):
        assert given(model) is model


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([1.0, 2.0], r"mine\.score gave the shape \[2\], expected \[3\]; give one number per pair"),
        ([[1.0]] * 3, r"mine\.score gave the shape \[3, 1\], expected \[3\]"),
        (1.0, r"mine\.score gave the shape \[\], expected \[3\]"),
        ([1.0, float("nan"), 2.0], r"mine\.score returned a number that is not finite, first in place 1"),
        (["a", "b", "c"], r"mine\.score returned something other than an array of numbers"),
        (None, r"mine\.score gave"),
    ],
)
def test_what_is_no_score_a_pair_is_refused(found, words):
    with pytest.raises(UsageError, match=words):
        given(Gives(found)).score(PAIRS)


def test_what_is_no_vector_a_text_is_refused():
    class Broken:
        name = "broken"
        dim = 4

        def encode(self, texts):
            return np.zeros((len(texts), 3))

    with pytest.raises(UsageError) as error:
        given(Broken()).encode(["a"])
    assert (error.value.params, error.value.value) == (("broken.encode",), [1, 3])


class Tensor:
    """A tensor of another library, on a device."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def cpu(self):
        return np.array(self.values)


class Own:
    def encode(self, texts):
        return Tensor([[len(text), 1] for text in texts])

    def encode_query(self, texts):
        return Tensor([[0, 1] for _ in texts])


class Crossed:
    def predict(self, pairs):
        return Tensor([len(a) + len(b) for a, b in pairs])


def shingle(a, b):
    return [float(one == other) for one, other in zip(a, b, strict=True)]


def test_an_object_without_a_name_is_called_by_its_class():
    encoder = given(Own())
    assert encoder.name == "Own"
    assert encoder.encode(["abc"]).tolist() == [[3, 1]]
    assert (
        encoder.encode_query(["abc"]).tolist() == encoder.encode(["abc"], side="query").tolist() == [[0, 1]]
    )
    assert encoder.encode_document("abc").tolist() == [3, 1]
    scorer = given(Crossed())
    assert (scorer.name, scorer.score([("a", "bc")]).tolist()) == ("Crossed", [3])


def test_a_function_of_two_lists_of_texts_is_a_scorer():
    scorer = given(shingle)
    assert (scorer.name, given(lambda a, b: [0]).name) == ("shingle", "lambda")
    assert scorer.score([("a", "a"), ("a", "b")]).tolist() == [1, 0]
    assert scorer.score([]).shape == (0,)


def test_an_encoder_compares_texts_or_vectors_as_in_sentence_transformers():
    encoder = load_encoder()
    texts, others = ["opening hours", "parking"], ["When do you open?", "Where can I park?", ""]
    found = encoder.similarity(texts, others)
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, encoder.similarity(encoder.encode(texts), encoder.encode(others)))
    np.testing.assert_allclose(found[0, 0], encoder.score([(texts[0], others[0])])[0], atol=1e-6)
    assert encoder.similarity("parking", texts).shape == (1, 2)
    assert encoder.get_sentence_embedding_dimension() == encoder.dim


@pytest.mark.parametrize(
    "thing", [object(), type("Named", (), {"name": "named"})(), 5, Own, lambda pairs: [0]]
)
def test_what_can_do_nothing_is_refused(thing):
    with pytest.raises(UsageError) as error:
        given(thing)
    assert error.value.params == ("model",)


def test_an_encoder_may_say_how_much_it_reads():
    class Reading:
        name, max_tokens, reads_pairs = "mine", 3, False

        def encode(self, texts):
            return np.ones((len(texts), 2))

        def lengths(self, texts, *, side=Side.DOCUMENT):
            return np.array([len(text.split()) for text in texts])

    found = truncation_of(given(Reading()), ["a b c d", "a"])
    assert (found.model, found.cut, found.limit, found.unread) == ("mine", 1, 3, 1)


def test_numbers_in_the_place_of_vectors_are_told_by_the_shape_of_vectors():
    class Flat:
        def encode(self, texts):
            return [1.0] * len(texts)

    with pytest.raises(UsageError) as error:
        given(Flat()).encode(["a", "b", "c"])
    assert "[3]" in error.value.message and "[3, width]" in error.value.message
