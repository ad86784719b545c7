"""Invariants of every architecture that compares two texts and is built from words."""

from inspect import signature

import numpy as np
import pytest
import torch

from tests.half_precision import skip_without_bf16
from textkin.base.errors import ConfigError
from textkin.models.weights import load_tensors, load_weights, save_tensors
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.table import ARCHITECTURES, architecture, build
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.token_weights import InverseDocumentFrequency
from textkin.networks.recipes.recipe import PRETRAINED

pytestmark = pytest.mark.torch

MATCHERS = [name for name in ARCHITECTURES if issubclass(architecture(name), Matcher)]
NAMES = sorted(name for name in MATCHERS if "words" in signature(architecture(name)).parameters)
CASES = [(name, outputs) for name in NAMES for outputs in (1, 3)]
PAD, UNKNOWN, SIZE, UNITS = 0, 1, 40, 30
A = [[2, 3, 4, 5, 6, 7, 8], [9], [3, 3, 3], [10, 11, 2, 4, 6, 7, 3, 12, 13], [5, 6]]
B = [[12, 13, 4], [2, 5, 6, 7, 9, 20, 21, 22, 23, 24, 25, 26], [3], [30, 31, 32], [6, 5, 5, 6]]


def spelt(text):
    """Token ids with three units each; the spelling of a token is a function of its id."""
    rows = [[token, 1 + token % (UNITS - 1), 1 + 7 * token % (UNITS - 1), 0] for token in text]
    return np.array(rows, dtype=np.int32).reshape(-1, 4)


def batch(texts, *, extra=0):
    made = TextBatch.from_ids([spelt(text) for text in texts], pad_id=PAD)
    more = (0, extra)
    return TextBatch(
        torch.nn.functional.pad(made.ids, more, value=PAD),
        torch.nn.functional.pad(made.mask, more),
        torch.nn.functional.pad(made.units, (0, 0, *more)),
    )


def model(name, outputs=1, **options):
    torch.manual_seed(1)
    words = {"size": SIZE, "pad_id": PAD, "zero_ids": [UNKNOWN], "dim": 12, "unit_size": UNITS}
    made = build(name, **words, outputs=outputs, **options)
    for part in made.modules():
        if isinstance(part, InverseDocumentFrequency):
            part.set(np.linspace(1, 4, SIZE, dtype=np.float32))
    return made


@pytest.mark.parametrize(("name", "outputs"), CASES)
def test_a_score_depends_on_its_pair_alone(name, outputs):
    matcher = model(name, outputs).eval()
    order = torch.tensor([3, 1, 4, 0, 2])
    with torch.no_grad():
        expected = matcher(batch(A), batch(B))
        assert isinstance(matcher, Matcher)
        assert expected.shape == (5, outputs)
        assert expected.isfinite().all()
        assert len(expected[:, 0].unique()) > 1
        alone = [matcher(batch([a]), batch([b])) for a, b in zip(A, B, strict=True)]
        for found in (
            matcher(batch(A, extra=5), batch(B)),
            matcher(batch(A), batch(B, extra=17)),
            matcher(batch(A).select(order), batch(B).select(order))[order.argsort()],
            torch.cat([matcher(batch(A[:2]), batch(B[:2])), matcher(batch(A[2:]), batch(B[2:], extra=3))]),
            torch.cat(alone),
        ):
            torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_short_unknown_and_empty_texts_give_finite_scores_and_gradients(name):
    matcher = model(name).train()
    a, b = [[5], [UNKNOWN, UNKNOWN], [], [4, 5], []], [[5], [4, 5], [4], [UNKNOWN], []]
    scores = matcher(batch(a), batch(b))
    assert scores.isfinite().all()
    scores.sum().backward()
    for parameter_name, parameter in matcher.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), parameter_name


@pytest.mark.parametrize("name", NAMES)
def test_in_mixed_precision_scores_are_close_and_gradients_finite(name):
    matcher = model(name).train()
    skip_without_bf16(matcher)
    torch.manual_seed(3)
    exact = matcher(batch(A), batch(B))
    torch.manual_seed(3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = matcher(batch(A), batch(B)).float()
    if name != "drmm":  # with hard bins: rounding may move a cosine into the next one
        torch.testing.assert_close(rough, exact, atol=0.05, rtol=0.05)
    assert rough.isfinite().all()
    rough.sum().backward()
    for parameter_name, parameter in matcher.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), parameter_name


@pytest.mark.parametrize(("name", "outputs"), CASES)
def test_the_gradient_reaches_every_parameter(name, outputs):
    matcher = model(name, outputs, train_embedding=True).train()
    touched = {key: torch.zeros_like(value) for key, value in matcher.named_parameters()}
    # Rectified units may be silent in one batch, so several batches count together.
    for turn in range(8):
        torch.manual_seed(turn)
        rows = torch.randperm(5)
        scores = matcher(batch(A).select(rows), batch(B))
        scores.square().sum().add(scores[:, 0].sum()).backward()
        for key, parameter in matcher.named_parameters():
            assert parameter.grad is not None, key
            touched[key] += parameter.grad.abs()
        matcher.zero_grad()
    assert all(total.sum() > 0 for total in touched.values()), [k for k, v in touched.items() if v.sum() == 0]


@pytest.mark.parametrize("name", NAMES)
def test_frozen_vectors_are_not_trained(name):
    frozen = model(name, train_embedding=False)
    assert all(not p.requires_grad for key, p in frozen.named_parameters() if key.endswith("embedding.table"))


@pytest.mark.parametrize(("name", "overlap"), [*((name, False) for name in NAMES), ("knrm", True)])
def test_saved_and_loaded_it_scores_the_same_to_the_last_bit(name, overlap, tmp_path):
    matcher = model(name, overlap=overlap).eval()
    save_tensors(tmp_path / "weights", matcher.state_dict())
    other = model(name, overlap=overlap)
    with torch.no_grad():
        for tensor in other.state_dict().values():
            if tensor.is_floating_point():
                tensor.add_(1)
    load_weights(other, tmp_path / "weights")
    assert load_tensors(tmp_path / "weights").keys() == matcher.state_dict().keys()
    with torch.no_grad():
        assert torch.equal(other.eval()(batch(A), batch(B)), matcher(batch(A), batch(B)))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_gradients(name):
    def gradients():
        matcher = model(name, train_embedding=True).train()
        torch.manual_seed(3)
        matcher(batch(A), batch(B)).sum().backward()
        return [parameter.grad for parameter in matcher.parameters()]

    for one, other in zip(gradients(), gradients(), strict=True):
        assert (one is None) == (other is None)
        assert one is None or torch.equal(one, other)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("known", ["outputs", "zero_ids", "train_embedding", "overlap"])
def test_an_unknown_argument_is_an_error_that_names_the_nearest(name, known):
    with pytest.raises(ConfigError) as error:
        build(name, **{known[:-1]: 2})
    assert error.value.params == (known[:-1],) and repr(known) in error.value.fix


def test_all_other_matchers_start_from_a_pretrained_network():
    assert {*MATCHERS} - {*NAMES} == {"cross-encoder", "late-interaction"} < PRETRAINED < {*ARCHITECTURES}


def test_what_words_a_model_reads_must_be_said():
    with pytest.raises(ConfigError, match=r"can't be built.*'size'"):
        build("knrm", pad_id=PAD)


def test_an_architecture_may_have_defaults_of_its_own_for_its_words():
    words = {"size": SIZE, "pad_id": PAD}
    assert not build("drmm", **words).words.embedding.table.requires_grad
    assert build("drmm", **words, train_embedding=True).words.embedding.table.requires_grad
    assert build("bidaf-t", **words).words.embedding.table.shape == (SIZE, 100)
