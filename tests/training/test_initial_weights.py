import numpy as np
import pytest
import torch

from tests.training.making import recipe
from textkin.base.errors import ConfigError
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model
from textkin.networks.architectures.table import build
from textkin.training.assemble import assemble
from textkin.training.initial_weights import inverse_document_frequencies, take_over
from textkin.training.transfer import Begun

pytestmark = pytest.mark.torch

TEXTS = ["reset my password", "reset the router", "my router"]


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


def test_weights_of_another_shape_start_anew():
    ids = {"size": 5, "pad_id": 0}
    start, wide = build("siamese", **ids, hidden=3), build("siamese", **ids, hidden=4)
    before = {name: tensor.clone() for name, tensor in wide.state_dict().items()}
    taken = take_over(wide, Begun(Model(ModelFacts("start"), "siamese", {}, start, None)), name="wide")
    after = wide.state_dict()
    assert torch.equal(after["embedding.table"], start.state_dict()["embedding.table"])
    assert {name for name in after if not torch.equal(after[name], before[name])} == {"embedding.table"}
    assert taken.loaded == 1
    assert set(taken.anew) == set(taken.left) == {*after} - {"embedding.table"}
    narrow = build("siamese", **ids, dim=7)
    with pytest.raises(ConfigError) as error:
        take_over(narrow, Begun(Model(ModelFacts("start"), "siamese", {}, start, None)), name="narrow")
    assert (error.value.params, error.value.value) == (("start",), "start")
