import numpy as np
import pytest

from textkin.config import TextConfig
from textkin.errors import DataError
from textkin.training.pipelines import fit_pipeline, spelling_of

TEXTS = ["reset my password", "reset the router", "my router"]
WORDS = ["my", "password", "reset", "router", "the"]


def test_the_words_are_those_of_the_texts():
    tokens = fit_pipeline(TextConfig(), TEXTS, vectors=None, seed=0)
    assert sorted(tokens.pipeline.vocabulary.words) == WORDS
    assert tokens.vectors is None


def test_pretrained_words_come_after_them_each_with_its_vector(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("password 1 0 0\nrouter 0 2 0\nmodem 0 0 3\n")
    tokens = fit_pipeline(TextConfig(), TEXTS, vectors=path, seed=0)
    vocabulary = tokens.pipeline.vocabulary
    assert sorted(vocabulary.words) == sorted([*WORDS, "modem"])
    rows = tokens.vectors[[vocabulary.id(word) for word in ("password", "router", "modem")]]
    np.testing.assert_array_equal(rows, np.diag([1, 2, 3]))
    assert len(tokens.vectors) == tokens.pipeline.size


def test_a_recipe_without_whole_words_leaves_vectors_aside(tmp_path):
    config = TextConfig(whole_words=False, ngrams=(3, 4), ngram_buckets=50)
    tokens = fit_pipeline(config, TEXTS, vectors=tmp_path / "missing.txt", seed=0)
    assert tokens.vectors is None and not tokens.pipeline.vocabulary.words
    with pytest.raises(DataError):
        fit_pipeline(TextConfig(), TEXTS, vectors=tmp_path / "missing.txt", seed=0)


def test_spelling_is_the_recipes():
    assert spelling_of(TextConfig()) is None
    spelt = TextConfig(spelling="ngrams", spelling_rows=70)
    assert fit_pipeline(spelt, TEXTS, vectors=None, seed=0).pipeline.spelling == spelling_of(spelt)
    assert spelling_of(spelt).rows == 70
