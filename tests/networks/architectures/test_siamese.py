import numpy as np
import pytest
import torch

from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

CELLS = ["mean", "lstm", "bilstm", "gru", "bigru", "keras-gru", "cnn"]
PAD, ZERO = 0, 1
TEXTS = [[2, 3, 4, 5, 6], [7], [3, 3, 3], [8, 9, 2, 4, 6, 7, 3], [5, 6]]
EMPTY, UNKNOWN = [], [ZERO, ZERO]


def tower(cell, **options):
    torch.manual_seed(0)
    options = {"dim": 6, **({} if cell == "mean" else {"hidden": 5}), **options}
    return build("siamese", size=10, pad_id=PAD, zero_ids=[PAD, ZERO], cell=cell, **options)


def batch(texts, *, extra=0):
    made = TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=PAD)
    more = torch.full((len(texts), extra), PAD)
    return TextBatch(torch.cat([made.ids, more], 1), torch.cat([made.mask, more.bool()], 1))


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("pooling", ["mean", "last", "max"])
@pytest.mark.parametrize("cell", CELLS)
def test_a_vector_depends_on_its_text_alone(cell, pooling, mask):
    model = tower(cell, pooling=pooling, mask=mask, dense=3, dropout=0.3).eval()
    with torch.no_grad():
        expected = model(batch(TEXTS))
        assert expected.shape == (5, model.dim)
        torch.testing.assert_close(expected.norm(dim=1), torch.ones(5))
        for found in (
            model(batch(TEXTS, extra=9)),
            model(batch(TEXTS[::-1])).flip(0),
            torch.cat([model(batch(TEXTS[:1])), model(batch(TEXTS[1:3])), model(batch(TEXTS[3:], extra=1))]),
        ):
            torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("cell", CELLS)
def test_texts_without_known_tokens_are_zero_and_harm_no_gradient(cell, mask):
    model = tower(cell, dense=3, mask=mask).train()
    vectors = model(batch([EMPTY, UNKNOWN, [7], TEXTS[0]]))
    assert (vectors[:2] == 0).all()
    (vectors[0] @ vectors[2] + vectors[1] @ vectors[3] + vectors[2] @ vectors[3]).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    assert (tower(cell, mask=mask)(batch([EMPTY])) == 0).all()


@pytest.mark.parametrize("cell", CELLS)
def test_the_gradient_reaches_every_parameter(cell):
    layers = {"layers": 2} if cell in ("lstm", "bilstm", "gru", "bigru") else {}
    model = tower(cell, dense=3, token_weights=True, **layers)
    model(batch(TEXTS))[:, 0].sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_without_mask_padding_takes_part():
    published = tower("lstm", mask=False)
    masked = tower("lstm", mask=True)
    texts = batch([[2, 3, 4]])  # the next power of two is 4
    assert not torch.allclose(published.eval()(texts), masked.eval()(texts))
    assert torch.equal(published.train()(batch([[2, 3, 4]])), masked(texts))  # no padding in this batch
    wide = published(batch([[2, 3, 4]], extra=1))
    torch.testing.assert_close(wide, published.eval()(texts), atol=1e-6, rtol=0)
    assert not torch.allclose(published.train()(batch([[2, 3, 4]], extra=5)), wide)


def test_a_frozen_embedding_is_not_trained():
    model = tower("lstm", train_embedding=False)
    assert not model.embedding.table.requires_grad
    assert all(parameter.requires_grad for name, parameter in model.named_parameters() if "table" not in name)


def test_widths():
    assert tower("mean").dim == 6
    assert tower("bigru").dim == 10
    assert tower("cnn", widths=(2, 3)).dim == 10
    assert tower("cnn", dense=4).dim == 4


@pytest.mark.parametrize(
    "options",
    [
        {"cell": "lsmt"},
        {"cell": "lstm", "pooling": "median"},
        {"cell": "lstm", "init": "ones"},
        {"cell": "keras-gru", "activation": "relu"},
        {"cell": "lstm", "hiden": 3},
        {"cell": "lstm", "hidden": "many"},
    ],
)
def test_wrong_arguments_are_named(options):
    with pytest.raises(ConfigError) as error:
        tower(**options)
    assert error.value.params == (list(options)[-1],)


@pytest.mark.parametrize("options", [{"hidden": -1}, {"dropout": 2.0}])
def test_what_torch_refuses_is_an_error_of_the_recipe(options):
    with pytest.raises(ConfigError):
        tower(cell="lstm", **options)


def test_an_unknown_architecture_is_named():
    with pytest.raises(ConfigError) as error:
        build("siamees")
    assert (error.value.params, error.value.value) == (("architecture",), "siamees")
    assert "'siamese'" in error.value.fix
