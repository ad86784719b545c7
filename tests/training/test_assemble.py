import numpy as np
import pytest
import torch

from tests.training.making import recipe
from textkin.errors import ConfigError
from textkin.training.assemble import assemble, inverse_document_frequencies

TEXTS = ["reset my password", "reset the router", "my router"]


def test_the_vocabulary_is_that_of_the_training_texts():
    made = assemble(recipe(model={"cell": "lstm"}), TEXTS, seed=0)
    assert sorted(made.pipeline.vocabulary.words) == ["my", "password", "reset", "router", "the"]
    assert made.arguments["size"] == made.pipeline.size == len(made.module.embedding.table)
    assert made.arguments["pad_id"] == made.pipeline.pad_id


def test_seeds_decide_the_weights():
    first, again, other = (
        assemble(recipe(), TEXTS, seed=seed).module.state_dict()["embedding.table"] for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_token_weights_start_as_inverse_document_frequencies():
    made = assemble(recipe(model={"token_weights": True}), TEXTS, seed=0)
    ids = {word: made.pipeline.vocabulary.id(word) for word in ("reset", "password")}
    weights = made.module.embedding.weights.detach().numpy()
    np.testing.assert_array_equal(weights, inverse_document_frequencies(made.pipeline, TEXTS))
    common, rare = np.log(4 / 3) + 1, np.log(4 / 2) + 1
    assert weights[ids["password"]] / weights[ids["reset"]] == pytest.approx(rare / common)
    assert weights[[ids["password"], made.pipeline.vocabulary.id("the")]].mean() > 1


def test_word_vectors_are_taken_with_words_beyond_the_texts(tmp_path):
    (tmp_path / "words.txt").write_text("password 1 0 0\nrouter 0 2 0\nmodem 0 0 3\n")
    made = assemble(recipe(model={"dim": 8}), TEXTS, seed=0, vectors=tmp_path / "words.txt")
    table = made.module.embedding.table.detach().numpy()
    rows = table[[made.pipeline.vocabulary.id(word) for word in ("password", "router", "modem")]]
    assert made.arguments["dim"] == 3
    # Directions and proportions are the file's.
    np.testing.assert_allclose(rows / rows[0, 0], np.diag([1, 2, 3]), atol=1e-6)


def test_arguments_are_checked():
    with pytest.raises(ConfigError, match="did you mean 'hidden'"):
        assemble(recipe(model={"hiddden": 3}), TEXTS, seed=0)
