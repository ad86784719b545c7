"""BiDAF as a span reader, and invariants of every span reader."""

import pytest
import torch

from tests.networks.architectures.test_matchers import PAD, SIZE, UNITS, UNKNOWN, A, B, batch
from textkin.models.weights import load_tensors, save_tensors
from textkin.networks.architectures.bidaf import BidafSpans
from textkin.networks.architectures.bidaf_t import BidafT
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

WINDOWS = [text or [4] for text in B]


def network(**options):
    torch.manual_seed(1)
    words = {"size": SIZE, "pad_id": PAD, "zero_ids": [UNKNOWN], "dim": 12, "unit_size": UNITS}
    return build("bidaf", **words, hidden=6, **options)


def rows(logits, lengths):
    """The logits at tokens, and of no answer, as one row of numbers a window."""
    start, end, none = logits
    parts = [
        torch.cat([start[row, :length], end[row, :length], *([] if none is None else [none[row]])])
        for row, length in enumerate(lengths)
    ]
    return torch.cat(parts)


@pytest.mark.parametrize("answers_none", [False, True])
def test_what_a_question_gets_depends_on_it_and_its_window_alone(answers_none):
    reader = network(answers_none=answers_none).eval()
    lengths = [len(text) for text in WINDOWS]
    order = [3, 1, 4, 0, 2]
    with torch.no_grad():
        expected = rows(reader(batch(A), batch(WINDOWS)), lengths)
        assert isinstance(reader, SpanNetwork) and expected.isfinite().all()
        wider = rows(reader(batch(A, extra=3), batch(WINDOWS, extra=7)), lengths)
        alone = [rows(reader(batch([a]), batch([b])), [len(b)]) for a, b in zip(A, WINDOWS, strict=True)]
        turned = reader(batch([A[place] for place in order]), batch([WINDOWS[place] for place in order]))
        back = torch.tensor(order).argsort()
        turned = type(turned)(*(None if part is None else part[back] for part in turned))
    for found in (wider, torch.cat(alone), rows(turned, lengths)):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_padding_can_be_no_part_of_an_answer():
    start, end, none = network().eval()(batch(A), batch(WINDOWS))
    mask = batch(WINDOWS).mask
    assert none is None
    assert (start[~mask] == -torch.inf).all() and (end[~mask] == -torch.inf).all()


def test_every_parameter_learns():
    reader = network(answers_none=True, train_embedding=True).train()
    start, end, none = reader(batch(A), batch(WINDOWS))
    mask = batch(WINDOWS).mask
    weights = torch.linspace(-1, 1, mask.sum().item())
    loss = (start[mask] * weights).square().sum() + (end[mask] * weights.flip(0)).sum() + none.exp().sum()
    loss.backward()
    for name, parameter in reader.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_the_last_token_depends_on_where_the_first_one_is_likely():
    reader = network().eval()
    with torch.no_grad():
        before = reader(batch(A), batch(WINDOWS)).end
        reader.first.weight.mul_(30)
        after = reader(batch(A), batch(WINDOWS)).end
    mask = batch(WINDOWS).mask
    assert not torch.allclose(before[mask], after[mask], atol=1e-4)


def test_empty_questions_and_unknown_words_give_finite_logits():
    start, end, _ = network().train()(batch([[], [UNKNOWN]]), batch([[UNKNOWN], [4, 5]]))
    mask = batch([[UNKNOWN], [4, 5]]).mask
    assert start[mask].isfinite().all() and end[mask].isfinite().all()


def test_the_same_seed_gives_the_same_network_and_files_keep_it(tmp_path):
    first, second = network().eval(), network().eval()
    save_tensors(tmp_path / "weights.safetensors", first.state_dict())
    assert isinstance(first, BidafSpans)
    second.load_state_dict(load_tensors(tmp_path / "weights.safetensors"))
    with torch.no_grad():
        for a, b in zip(
            first(batch(A), batch(WINDOWS))[:2], second(batch(A), batch(WINDOWS))[:2], strict=True
        ):
            assert torch.equal(a, b)


def test_its_layers_are_those_of_the_scorer_of_sentences():
    words = {"size": SIZE, "pad_id": PAD, "zero_ids": [UNKNOWN], "dim": 12, "unit_size": UNITS}
    scorer = build("bidaf-t", **words, hidden=6)
    assert isinstance(scorer, BidafT)
    shared = {name: tensor.shape for name, tensor in scorer.layers.state_dict().items()}
    assert shared == {name: tensor.shape for name, tensor in network().layers.state_dict().items()}
