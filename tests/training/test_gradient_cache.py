"""Large batches in mini-batches: the loss and the gradient of the whole, in less memory."""

import copy

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from tests.training.making import Teacher, prepare, recipe
from textkin.base.errors import ConfigError
from textkin.networks.batches.padded import TextBatch
from textkin.training.gradient_cache import cached_vectors

pytestmark = pytest.mark.torch

IN_BATCH = {"loss": "multiple-negatives", "rows": "positives", "batch_size": 48}


def objective(config, *, model=None):
    module, (found,), _ = prepare(recipe(config, model=model), teacher=Teacher())
    return found, module.train()


def gradients(config, mini_batch, *, model=None):
    """The loss of the first batch, and the gradient of every weight."""
    found, tower = objective({**config, "mini_batch": mini_batch}, model=model)
    batch = next(iter(found.batches(0, tower))).batch
    torch.manual_seed(5)
    value = found.loss(tower, batch)
    value.backward()
    return value.detach(), {name: part.grad for name, part in tower.named_parameters()}


CELLS = [{"cell": "mean"}, {"cell": "bilstm", "hidden": 5}, {"cell": "cnn", "hidden": 5, "widths": [1, 2]}]


@pytest.mark.parametrize("model", CELLS)
@pytest.mark.parametrize("mini_batch", [7, 95])
@pytest.mark.parametrize("symmetric", [False, True])
def test_loss_and_gradients_are_those_of_the_whole_batch(model, mini_batch, symmetric):
    config = {**IN_BATCH, "symmetric": symmetric}
    expected, wanted = gradients(config, None, model=model)
    value, found = gradients(config, mini_batch, model=model)
    torch.testing.assert_close(value, expected, atol=1e-6, rtol=1e-5)
    assert found.keys() == wanted.keys()
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    "config",
    [
        {"loss": "triplet-in-batch", "rows": "positives"},
        {"loss": "cosent", "rows": "pairs"},
        {"loss": "triplet", "rows": "random-triplets"},
        {"loss": "batch-hard-triplet", "rows": "groups"},
        {"loss": "distillation", "rows": "texts"},
        {**IN_BATCH, "arguments": {"reduction": "sum"}, "widths": [4, 2], "width_weights": [0.5, 2.0]},
    ],
)
def test_every_objective_of_an_encoder_can_do_it(config):
    expected, wanted = gradients(config, None)
    value, found = gradients(config, 5)
    torch.testing.assert_close(value, expected, atol=1e-6, rtol=1e-5)
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-5, rtol=1e-5)


def test_dropout_is_the_same_both_times():
    """Against the same mini-batches with their whole graph kept."""
    found, tower = objective(
        IN_BATCH, model={"cell": "lstm", "hidden": 6, "dropout": 0.4, "token_dropout": 0.2}
    )
    twin = copy.deepcopy(tower)
    batch = next(iter(found.batches(0, tower))).batch
    texts = TextBatch.joined([batch.a, batch.b], pad_id=found.data.pad_id)
    torch.manual_seed(3)
    vectors = cached_vectors(tower, texts, size=10)
    after = torch.rand(1)
    weights = torch.randn(vectors.shape)
    torch.manual_seed(11)  # random draws between the two passes must not matter
    (vectors * weights).sum().backward()

    torch.manual_seed(3)
    order = torch.argsort(texts.lengths, stable=True)
    expected = torch.empty_like(vectors)
    for rows in torch.split(order, 10):
        part = texts.select(rows)
        width = int(part.lengths.max())
        expected[rows] = twin(TextBatch(part.ids[:, :width], part.mask[:, :width]))
    assert torch.equal(after, torch.rand(1))
    (expected * weights).sum().backward()
    torch.testing.assert_close(vectors, expected)
    for mine, plain in zip(tower.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, plain.grad, atol=1e-5, rtol=1e-5)
    other = cached_vectors(tower, texts, size=10)
    assert not torch.allclose(other, vectors)  # dropout was on


def test_no_more_than_a_mini_batch_is_held():
    def held(mini_batch):
        """Numbers that autograd keeps from the forward pass, and the largest batch of the tower."""
        config = {**IN_BATCH, "repeats": 10, "batch_size": 480, "mini_batch": mini_batch}
        found, tower = objective(config, model={"cell": "lstm", "hidden": 16})
        batch = next(iter(found.batches(0, tower))).batch
        sizes, kept = [], {}
        tower.register_forward_pre_hook(lambda module, given: sizes.append(len(given[0])))

        def pack(tensor):
            kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with saved_tensors_hooks(pack, lambda tensor: tensor):
            value = found.loss(tower, batch)
        forward = len(sizes)
        value.backward()
        return sum(kept.values()), max(sizes), forward, len(sizes)

    whole, most, forward, backward = held(None)
    assert (most, forward, backward) == (960, 1, 1)
    cached, most, forward, backward = held(32)
    assert (most, forward, backward) == (32, 30, 60)
    assert cached < whole / 20


def test_padding_stays_where_a_recipe_asks_for_powers_of_two():
    widths = []
    for pad_to in ("longest", "power-of-two"):
        made = recipe({**IN_BATCH, "mini_batch": 8}, text={"pad_to": pad_to})
        tower, (found,), _ = prepare(made)
        tower.register_forward_pre_hook(lambda module, given: widths.append(given[0].ids.shape[1]))
        found.loss(tower, next(iter(found.batches(0, tower))).batch)
    longest, powers = widths[:12], widths[12:]
    assert longest == sorted(longest)
    assert longest[0] < longest[-1]
    assert len(set(powers)) == 1
    assert powers[0] & (powers[0] - 1) == 0


def test_a_model_that_scores_pairs_has_no_vectors():
    for option in ({"mini_batch": 4}, {"widths": [2]}):
        with pytest.raises(ConfigError) as error:
            prepare(matching({"loss": "logistic", "rows": "pairs", **option}))
        assert error.value.params == tuple(option)


def matching(config):
    made = recipe(config)
    architecture = made.model.model_copy(update={"architecture": "word-means", "arguments": {"dim": 8}})
    return made.model_copy(update={"model": architecture})


def test_widths_are_below_that_of_the_vectors():
    with pytest.raises(ConfigError) as error:
        objective({**IN_BATCH, "widths": [4, 8]})
    assert (error.value.params, error.value.value) == (("widths",), 8)
    with pytest.raises(ConfigError, match="1 width_weights for 2 widths"):
        recipe({**IN_BATCH, "widths": [4, 2], "width_weights": [1.0]})


def test_the_gradient_is_the_same_with_any_number_of_threads():
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = gradients({**IN_BATCH, "widths": [4]}, 9)
        torch.set_num_threads(2)
        for _ in range(3):
            value, found = gradients({**IN_BATCH, "widths": [4]}, 9)
            # Up to the last digits: on some processors a product of matrices depends on the threads.
            torch.testing.assert_close(value, alone[0], atol=1e-6, rtol=1e-6)
            for name, gradient in found.items():
                torch.testing.assert_close(gradient, alone[1][name], atol=1e-6, rtol=1e-5)
    finally:
        torch.set_num_threads(threads)
