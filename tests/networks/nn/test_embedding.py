import numpy as np
import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.nn.embedding import TokenEmbedding

pytestmark = pytest.mark.torch

IDS = torch.arange(6).reshape(1, 6)


def table(**options):
    torch.manual_seed(0)
    return TokenEmbedding(size=6, dim=4, pad_id=1, zero_ids=(1, 3), **options)


@pytest.mark.parametrize(
    ("optimiser", "options"),
    [
        (torch.optim.Adam, {"weight_decay": 0.1}),
        (torch.optim.AdamW, {"weight_decay": 0.1}),
        (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1}),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_zero_rows_stay_zero_under_momentum_and_decay(optimiser, options, weighted):
    embedding = table(weighted=weighted)
    before = embedding(IDS).detach()
    steps = optimiser(embedding.parameters(), lr=0.1, **options)
    for _ in range(5):
        steps.zero_grad()
        (embedding(IDS) - 1).square().sum().backward()
        steps.step()
    after = embedding(IDS)[0]
    assert (after[[1, 3]] == 0).all()
    others = [0, 2, 4, 5]
    assert (after[others] != before[0, others]).all()


def test_known_texts_have_a_token_with_a_vector():
    ids = torch.tensor([[1, 1], [3, 1], [2, 1], [3, 5]])
    assert table().known(ids).tolist() == [False, False, True, True]


def test_initial_tables():
    wide = TokenEmbedding(size=2000, dim=64, pad_id=0)
    assert abs(wide.table.std().item() - 64**-0.5) < 0.002
    uniform = TokenEmbedding(size=2000, dim=64, pad_id=0, init="uniform").table
    assert 0.12 < uniform.abs().max() <= 64**-0.5
    keras = TokenEmbedding(size=2000, dim=64, pad_id=0, init="keras").table
    assert 0.049 < keras.abs().max() <= 0.05
    with pytest.raises(UsageError) as error:
        table(init="zeros")
    assert error.value.params == ("init",)


def test_filling():
    embedding = table(weighted=True, trainable=False)
    matrix = np.arange(24, dtype=np.float32).reshape(6, 4)
    weights = np.arange(6, dtype=np.float32)
    embedding.set_table(matrix)
    embedding.set_weights(weights)
    expected = matrix * weights[:, None]
    expected[[1, 3]] = 0
    assert np.array_equal(embedding(IDS)[0].detach().numpy(), expected)
    assert not embedding.table.requires_grad
    assert embedding.weights.requires_grad
    with pytest.raises(UsageError) as error:
        embedding.set_table(matrix[:5])
    assert (error.value.params, error.value.value) == (("vectors",), [5, 4])
    with pytest.raises(UsageError) as error:
        embedding.set_weights(weights[:1])
    assert (error.value.params, error.value.value) == (("token weights",), [1])
    with pytest.raises(UsageError, match="no token weights"):
        table().set_weights(weights)


def test_gradients_of_weights_are_the_same_every_time_with_several_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        embedding = TokenEmbedding(size=5_000, dim=8, pad_id=0, weighted=True)
        ids = torch.randint(1, 50, (256, 400))
        mask = torch.ones_like(ids, dtype=torch.bool)
        wanted = torch.randn(256, 8)

        def gradient(vectors):
            embedding.zero_grad()
            (vectors * wanted).sum().backward()
            return embedding.weights.grad.clone()

        for make in (lambda: embedding(ids).mean(dim=1), lambda: embedding.mean(ids, mask)):
            first = gradient(make())
            assert all(torch.equal(gradient(make()), first) for _ in range(20))
    finally:
        torch.set_num_threads(threads)
