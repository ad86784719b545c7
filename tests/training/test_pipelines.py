import numpy as np
import pytest

from textkin.base.errors import DataError, UsageError
from textkin.networks.recipes.recipe import TextConfig
from textkin.training.pipelines import fit_pipeline, spelling_of

pytestmark = pytest.mark.torch

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


def test_listed_words_are_all_the_words_in_their_order(tmp_path):
    path, vectors = tmp_path / "words.txt", tmp_path / "vectors.txt"
    path.write_text("router\nmodem\nreset")
    vectors.write_text("password 1 0 0\nrouter 0 2 0\n")
    config = TextConfig(min_count=9, max_size=1, oov="hash", oov_buckets=3)
    tokens = fit_pipeline(config, TEXTS, vectors=vectors, seed=0, vocabulary=path)
    words = tokens.pipeline.vocabulary
    assert words.words == ("router", "modem", "reset") and len(tokens.vectors) == tokens.pipeline.size == 7
    np.testing.assert_array_equal(tokens.vectors[words.id("router")], [0, 2, 0])
    # A model's own list gives the same model again.
    tokens.pipeline.save(tmp_path)
    again = fit_pipeline(config, TEXTS, vectors=None, seed=0, vocabulary=tmp_path / "vocabulary.txt")
    assert [one.tolist() for one in again.pipeline.ids(TEXTS)] == [
        one.tolist() for one in tokens.pipeline.ids(TEXTS)
    ]


def test_listed_words_that_no_text_has_are_refused(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("Router\nReset\n")
    with pytest.raises(DataError, match=r"no training text has a word of .*'Router'.*normalise"):
        fit_pipeline(TextConfig(), TEXTS, vectors=None, seed=0, vocabulary=path)
    with pytest.raises(UsageError) as error:
        fit_pipeline(TextConfig(whole_words=False), TEXTS, vectors=None, seed=0, vocabulary=path)
    assert error.value.params == ("vocabulary",)
    with pytest.raises(UsageError) as error:
        fit_pipeline(TextConfig(), TEXTS, vectors=tmp_path, seed=0, vocabulary=path)
    assert error.value.params == ("vocabulary", "vectors")


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
