"""The choice of a faster way is measured; a second network stands for the one on the GPU."""

import time

import numpy as np
import pytest
import torch

from tests.models.inference.test_scorers import encoder
from tests.models.inference.test_span_readers import asked, reader
from textkin.models.inference import faster_way, trained_network
from textkin.models.inference.faster_way import is_better, placed, sample_of, trial
from textkin.models.inference.scorers import NeuralScorer
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

MANY = ["a b c", "d e", *(f"{a} {b} {c}" for a in "abc" for b in "defg" for c in "abcdefg")]


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """What is told where a GPU seems to be, and 50 tokens are many."""
    found: list[str] = []
    monkeypatch.setattr(faster_way, "gpu", lambda: torch.device("cpu"))
    monkeypatch.setattr(faster_way, "remark", found.append)
    monkeypatch.setattr(trained_network, "GPU_REPAYS", 50)
    return found


def there(monkeypatch, twin, *, gain=9.0, cosine=1.0):
    """Let a copy on the GPU be ``twin``, with these measurements."""
    monkeypatch.setattr(faster_way.copy, "deepcopy", lambda module: twin)

    def measured(plain, other):
        plain(), other()
        return gain, cosine

    monkeypatch.setattr(faster_way, "trial", measured)


def other_encoder():
    torch.manual_seed(7)
    model, module = encoder()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return model, module


def test_speed_and_cosine_of_another_way():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    turned = np.array([[6.0, 8.0], [1.0, 1.0], [2.0, 0.0]], dtype=np.float32)

    def slow():
        time.sleep(0.02)
        return rows

    gain, cosine = trial(slow, lambda: turned)
    assert gain > 2
    assert cosine == pytest.approx((1 + 0) / 2)  # the row of zeros has no direction
    assert trial(slow, lambda: np.zeros_like(rows))[1] == 0
    assert trial(lambda: np.zeros_like(rows), slow)[1] == 1


@pytest.mark.parametrize(
    ("gain", "cosine", "chosen"), [(1.2, 0.9995, True), (1.19, 1.0, False), (9.0, 0.9994, False)]
)
def test_a_way_is_better_if_it_is_faster_and_close(gain, cosine, chosen):
    assert is_better(gain, cosine) == chosen


@pytest.mark.parametrize(("tokens", "step"), [(0, 1), (4_096, 1), (8_192, 2), (1_000_000, 244)])
def test_a_sample_has_some_thousand_tokens(tokens, step):
    assert sample_of(tokens) == slice(None, None, step)


def test_without_a_gpu_nothing_is_copied(monkeypatch):
    monkeypatch.setattr(faster_way.copy, "deepcopy", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    module = torch.nn.Linear(2, 2)
    assert placed(module, lambda module: module) is module


def test_many_texts_are_encoded_where_it_is_faster(monkeypatch, told):
    (model, _), (other, twin) = encoder(), other_encoder()
    here, elsewhere = model.encode(MANY[:3]), other.encode(MANY)
    told.clear()
    there(monkeypatch, twin)
    np.testing.assert_allclose(model.encode(MANY), elsewhere, atol=1e-6)
    np.testing.assert_allclose(model.encode(MANY[:3]), here, atol=1e-6)
    assert np.abs(here - elsewhere[:3]).max() > 0.1
    model.encode(MANY)
    assert told == ["the GPU is used: 9.00 times as fast as the processor, mean cosine 1.00000"]


@pytest.mark.parametrize(("gain", "cosine"), [(1.1, 1.0), (9.0, 0.9)])
def test_a_gpu_that_gains_nothing_or_errs_is_not_used(monkeypatch, told, gain, cosine):
    (model, _), (_, twin) = encoder(), other_encoder()
    here = model.encode(MANY[:3])
    there(monkeypatch, twin, gain=gain, cosine=cosine)
    for _ in range(2):
        np.testing.assert_allclose(model.encode(MANY)[:3], here, atol=1e-6)
    assert len(told) == 1 and told[0].startswith("the GPU is not used")


def test_a_gpu_without_memory_is_not_used(monkeypatch, told):
    (model, _), (_, twin) = encoder(), other_encoder()
    here = model.encode(MANY[:3])
    there(monkeypatch, twin)

    def forward(batch):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB.")

    monkeypatch.setattr(twin, "forward", forward)
    np.testing.assert_allclose(model.encode(MANY)[:3], here, atol=1e-6)
    assert told == ["the GPU isn't used: CUDA out of memory"]


def test_many_pairs_are_scored_there(monkeypatch, told):
    model, _ = encoder()
    made = [
        build("esim", size=model.pipeline.size, pad_id=0, zero_ids=[], dim=4, hidden=3, outputs=1)
        for _ in range(2)
    ]
    scorer, other = (NeuralScorer(one, model.pipeline, name="small") for one in made)
    pairs = [(a, b) for a in "abcdefg" for b in ("a b c", "d", "e f")]
    here, elsewhere = scorer.score(pairs[:3]), other.score(pairs)
    told.clear()
    there(monkeypatch, made[1])
    np.testing.assert_allclose(scorer.score(pairs), elsewhere, atol=1e-6)
    np.testing.assert_allclose(scorer.score(pairs[:3]), here, atol=1e-6)
    assert np.abs(here - elsewhere[:3]).max() > 1e-3
    assert len(told) == 1


def test_many_passages_are_read_there(monkeypatch, told):
    model, other = reader(most=4), reader(most=4)
    torch.manual_seed(7)
    for parameter in other._module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    questions, passages = asked(8)
    here, elsewhere = model.read(questions[:1], passages[:1]), other.read(questions, passages)
    with monkeypatch.context() as patch:
        patch.setattr(trained_network, "GPU_REPAYS", 10**9)
        own = model.read(questions, passages)
    told.clear()
    there(monkeypatch, other._module)
    assert model.read(questions, passages) == elsewhere
    assert model.read(questions[:1], passages[:1]) == here
    assert here != elsewhere[:1]
    assert [one[0].score for one in own] != pytest.approx([one[0].score for one in elsewhere], abs=0.01)
    assert len(told) == 1
