"""Inputs that every scorer without a network accepts and rejects."""

import multiprocessing
import pickle

import numpy as np
import pytest

from textkin import load_encoder
from textkin.base.errors import UsageError
from textkin.data import samples
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.text.baselines import build
from textkin.text.baselines.classifiers import CLASS_BASELINES, build_classifier
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.pair_scoring import dense_cosine

TEXTS = samples.path("inbox.txt").read_text(encoding="utf-8").split("\n")[:60]
SCORERS = [name for name in BASELINES if name != "mean-vectors"]
CLASSES = PairSet(
    (Pair("a word", "two words", 0.0), Pair("some", "more", 1.0)), LabelKind.CLASSES, ("x", "y")
)


@pytest.mark.parametrize("name", SCORERS)
def test_strings_are_not_taken_for_pairs_of_letters(name):
    scorer = build(name, fit_texts=TEXTS)
    for broken in (["ab", "cd"], "ab", [("a", None)], [("a", "b", "c")]):
        with pytest.raises(UsageError) as error:
            scorer.score(broken)
        assert error.value.params == ("pairs",)
    assert scorer.score(np.array([TEXTS[:2]])).shape == (1,)


@pytest.mark.parametrize("name", CLASS_BASELINES)
def test_nor_are_they_by_classifiers(name):
    with pytest.raises(UsageError) as error:
        build_classifier(name, train=CLASSES).classify(["ab", "cd"])
    assert error.value.params == ("pairs",)


def test_the_encoder_in_the_box_takes_texts_only():
    encoder = load_encoder()
    for broken in (["a", None], {"a"}, [("a", "b")]):
        with pytest.raises(UsageError) as error:
            encoder.encode(broken)
        assert error.value.params == ("texts",)
    assert np.array_equal(encoder.encode(np.array(TEXTS)), encoder.encode(TEXTS))
    assert np.array_equal(encoder.encode("abc"), encoder.encode(["abc"])[0])


def test_a_cosine_is_never_above_one():
    rows = np.random.default_rng(0).normal(size=(20_000, 100)).astype(np.float32)
    longer = rows * np.float32(1.1)
    plain = np.vecdot(rows, longer) / np.sqrt(np.vecdot(rows, rows) * np.vecdot(longer, longer))
    assert plain.max() > 1, "these rows can't show it"
    assert dense_cosine(rows, longer).max() == 1
    assert dense_cosine(rows, -longer).min() == -1
    same = [(text, text) for text in TEXTS]
    for name in ("tfidf", "tfidf-char", "minhash"):
        assert build(name, fit_texts=TEXTS).score(same).max() <= 1
    assert load_encoder().score(same).max() <= 1


def _scored(model):
    return model.score([("a word", "two words")])


@pytest.mark.slow
def test_the_encoder_in_the_box_goes_to_another_process():
    encoder = load_encoder()
    packed = pickle.dumps(encoder)
    assert len(packed) < 1000
    again = pickle.loads(packed)
    assert (again.name, again.dim) == (encoder.name, encoder.dim)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.apply(_scored, (encoder,)), _scored(encoder))
