from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import pair_scores
from textkin.data.protocols import Encoder, ReadsTokens
from textkin.text.baselines.mean_vectors import MeanVectors
from textkin.text.word_vectors import VectorFile

NAMES = ("the", "cat", "sat", "NASA", "dog", ".")
VECTORS = VectorFile(NAMES, np.random.default_rng(2).normal(size=(6, 4)).astype(np.float32))
TABLE = {name: row.tolist() for name, row in zip(NAMES, VECTORS.matrix, strict=True)}
TEXTS = ["the cat sat .", "the dog sat", "the the cat ?", "zebra"]
ENTRY = st.lists(st.sampled_from([*NAMES, "zebra", "yak"])).map(" ".join)


@given(st.lists(st.tuples(ENTRY, ENTRY), min_size=1, max_size=6))
def test_scores_are_cosines_of_means(pairs):
    scorer = MeanVectors(VECTORS)
    scores = scorer.score(pairs)
    expected = [
        pair_scores.cosine(*(pair_scores.mean_vector(text.split(), TABLE, {}) for text in pair))
        for pair in pairs
    ]
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, atol=2e-6)
    assert scores.tolist() == [float(scorer.score([pair])[0]) for pair in pairs]


def test_words_are_looked_up_as_written_then_in_lower_case():
    scorer = MeanVectors(VECTORS)
    assert (scorer.encode(["The CAT NASA"]) == scorer.encode(["the cat NASA"])).all()
    assert not scorer.encode(["nasa"]).any()


def test_texts_without_a_known_word_are_zero_and_score_zero():
    for scorer in (MeanVectors(VECTORS), MeanVectors.fit_sif(VECTORS, TEXTS)):
        assert scorer.encode(["zebra", ""]).tolist() == [[0] * 4] * 2
        assert scorer.score([("zebra", "the"), ("", "")]).tolist() == [0, 0]
        assert scorer.encode([]).shape == (0, 4)
        assert isinstance(scorer, Encoder)


def test_vectors_have_unit_length():
    np.testing.assert_allclose(np.linalg.norm(MeanVectors(VECTORS).encode(TEXTS[:3]), axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("remove_common", [False, True])
def test_sif_weights_and_common_direction(remove_common):
    counts = Counter(word for text in TEXTS for word in text.split() if word in TABLE)
    weight = {word: 0.1 / (0.1 + counts[word] / counts.total()) for word in NAMES}
    means = np.array([pair_scores.mean_vector(text.split(), TABLE, weight) for text in TEXTS])
    if remove_common:
        direction = np.linalg.svd(means)[2][0]
        means -= np.outer(means @ direction, direction)
    scorer = MeanVectors.fit_sif(VECTORS, TEXTS, a=0.1, remove_common=remove_common)
    for first, a in enumerate(TEXTS):
        for second, b in enumerate(TEXTS):
            expected = pair_scores.cosine(means[first].tolist(), means[second].tolist())
            assert scorer.score([(a, b)])[0] == pytest.approx(expected, abs=1e-5)


def test_texts_are_read_whole():
    encoder = MeanVectors(VECTORS)
    assert isinstance(encoder, ReadsTokens) and encoder.max_tokens is None and not encoder.reads_pairs
    assert encoder.lengths([*TEXTS, "the " * 900]).tolist() == [4, 3, 3, 0, 900]


def test_words_without_a_vector_are_unknown():
    scorer = MeanVectors(VectorFile(("dog", "cat"), np.eye(2, dtype=np.float32)))
    found = scorer.unknown(["a Dog, a cat!", "dog", "zebra"])
    assert {place: (one.parts, one.tokens) for place, one in found.items()} == {
        0: (("a", "a"), 4),
        2: (("zebra",), 1),
    }


def test_raised_digits_join_no_number():
    vectors = VectorFile(("10", "2", "102", "fine"), np.eye(4, dtype=np.float32))
    found = MeanVectors(vectors).encode(["10² ﬁne", "10 2 fine", "102"])
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
