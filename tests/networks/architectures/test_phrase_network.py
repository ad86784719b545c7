"""Invariants of every network that encodes phrases and questions independently."""

import re

import pytest
import torch

from tests.half_precision import skip_without_bf16
from tests.networks.architectures.phrases import CONTEXTS, NAMES, QUESTIONS, SIZE, UNKNOWN, batch, build_small
from tests.reference.phrase_networks import phrases_of
from textkin.base.errors import ConfigError, UsageError
from textkin.models.weights import load_tensors, load_weights, save_tensors
from textkin.networks.architectures.phrase_network import PhraseAnswers, PhraseNetwork
from textkin.networks.architectures.table import ARCHITECTURES, architecture
from textkin.networks.losses.span_likelihood import span_likelihood

pytestmark = pytest.mark.torch

OPTIONS = [{}, {"logits": "l2"}, {"answers_none": True}, {"logits": "l2", "answers_none": True}]
CASES = [(name, options) for name in NAMES for options in OPTIONS]
CASES += [("piqa", {"read": "max"}), ("piqa", {"layers": 2, "heads": 1}), ("piqa", {"faithful": True})]
CASES += [
    ("piqa-transformer", options)
    for options in ({"prior": True, "answers_none": True}, {"shared": False}, {"pooling": "mean"})
]


def finite(logits):
    """The logits of tokens, and of no answer."""
    parts = [logits.start[logits.start > float("-inf")], logits.end[logits.end > float("-inf")]]
    return torch.cat([*parts, *([] if logits.none is None else [logits.none.flatten()])])


def as_rows(logits, texts=CONTEXTS):
    """One tensor per question, without padding."""
    return [
        torch.cat([logits.start[row, : len(text)], logits.end[row, : len(text)]])
        if logits.none is None
        else torch.cat([logits.start[row, : len(text)], logits.end[row, : len(text)], logits.none[row]])
        for row, text in enumerate(texts)
    ]


def loss(model, questions=QUESTIONS, contexts=CONTEXTS):
    spans = torch.tensor([[[0, 0], [0, min(1, len(text) - 1)]] for text in contexts])
    return span_likelihood(*model(batch(questions), batch(contexts))[:3], spans)


def test_all_of_them_are_here():
    known = [name for name in ARCHITECTURES if issubclass(architecture(name), PhraseNetwork)]
    assert sorted(known) == NAMES


@pytest.mark.parametrize(("name", "options"), CASES)
@torch.no_grad()
def test_logits_depend_on_a_question_and_its_window_alone(name, options):
    model = build_small(name, **options).eval()
    whole = model(batch(QUESTIONS), batch(CONTEXTS))
    assert (whole.start.isfinite() == batch(CONTEXTS).mask).all()
    assert (whole.end.isfinite() == batch(CONTEXTS).mask).all()
    assert (whole.none is None) == (not model.answers_none)
    expected = as_rows(whole)
    order = torch.tensor([3, 1, 4, 0, 2])
    turned = as_rows(
        model(batch(QUESTIONS).select(order), batch(CONTEXTS).select(order)),
        [CONTEXTS[place] for place in order.tolist()],
    )
    for found in (
        as_rows(model(batch(QUESTIONS, extra=5), batch(CONTEXTS))),
        as_rows(model(batch(QUESTIONS), batch(CONTEXTS, extra=9))),
        [turned[order.tolist().index(row)] for row in range(5)],
        [
            as_rows(model(batch([question]), batch([context])), [context])[0]
            for question, context in zip(QUESTIONS, CONTEXTS, strict=True)
        ],
    ):
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
@torch.no_grad()
def test_a_window_is_read_once_for_all_its_questions(name, monkeypatch):
    model = build_small(name).eval()
    read = []
    inner = model.passages
    monkeypatch.setattr(model, "passages", lambda context: read.append(len(context)) or inner(context))
    rows = torch.tensor([1, 0, 1, 1, 0])
    found = model(batch(QUESTIONS), batch(CONTEXTS).select(rows))
    assert read == [2]
    for row, place in enumerate(rows.tolist()):
        alone = model(batch(QUESTIONS[row : row + 1]), batch(CONTEXTS[place : place + 1]))
        width = len(CONTEXTS[place])
        torch.testing.assert_close(found.start[row, :width], alone.start[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(found.end[row, :width], alone.end[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("name", "options"), CASES)
@torch.no_grad()
def test_in_a_batch_each_question_meets_the_tokens_of_all_windows(name, options):
    model = build_small(name, **options).eval()
    rows = torch.tensor([1, 0, 1, 3, 0])
    contexts = batch(CONTEXTS).select(rows)
    found = model(batch(QUESTIONS), contexts, in_batch=True)
    width = contexts.mask.shape[1]
    assert found.start.shape == found.end.shape == (5, 3 * width)
    places = {row: int(begin) for row, begin in zip(rows.tolist(), found.begins, strict=True)}
    assert sorted(places.values()) == [0, width, 2 * width]
    for row, question in enumerate(QUESTIONS):
        for place, begin in places.items():
            alone = model(batch([question]), batch([CONTEXTS[place]]))
            here = slice(begin, begin + len(CONTEXTS[place]))
            torch.testing.assert_close(found.start[row, here], alone.start[0], atol=2e-5, rtol=1e-5)
            torch.testing.assert_close(found.end[row, here], alone.end[0], atol=2e-5, rtol=1e-5)
            if alone.none is not None:
                torch.testing.assert_close(found.none[row], alone.none[0], atol=2e-5, rtol=1e-5)
    padding = found.start.isinf()
    assert padding.sum(dim=1).tolist() == [3 * width - sum(len(CONTEXTS[place]) for place in places)] * 5


@pytest.mark.parametrize(("name", "options"), CASES)
@torch.no_grad()
def test_a_spans_logit_is_a_product_of_what_was_made_apart(name, options):
    model = build_small(name, **options).eval()
    logits = model(batch(QUESTIONS), batch(CONTEXTS))
    first, last = model.questions(batch(QUESTIONS))
    ends = model.passages(batch(CONTEXTS))
    assert first.shape == last.shape == (5, model.width)
    for row, text in enumerate(CONTEXTS):
        asked = first[row].tolist(), last[row].tolist()
        start, end = (one[row, : len(text)].tolist() for one in (ends.start, ends.end))
        # Half the squared length of the question is omitted, see PhraseNetwork.
        shift = sum(x * x for side in asked for x in side) / 2 if model.logits == "l2" else 0
        for (i, j), score in phrases_of(start, end, model.most, closeness=model.logits).items():
            prior = 0.0
            if ends.start_prior is not None:
                prior = float(ends.start_prior[row, i] + ends.end_prior[row, j])
            found = float(logits.start[row, i] + logits.end[row, j])
            assert found == pytest.approx(score(*asked) + shift + prior, abs=2e-4)


@pytest.mark.parametrize(("name", "options"), CASES)
@torch.no_grad()
def test_neither_side_knows_of_the_other(name, options):
    model = build_small(name, **options).eval()
    one = model.passages(batch(CONTEXTS))
    seen = []
    model.register_forward_hook(lambda *_: seen.append(1))
    model(batch(QUESTIONS[::-1]), batch(CONTEXTS))
    assert seen
    again = model.passages(batch(CONTEXTS))
    assert all(x is None or torch.equal(x, y) for x, y in zip(one, again, strict=True))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_gradient_reaches_every_parameter_that_is_trained(name, options):
    model = build_small(name, **options).train()
    trained = {key: one for key, one in model.named_parameters() if one.requires_grad}
    touched = {key: torch.zeros(()) for key in trained}
    for turn in range(8):
        torch.manual_seed(turn)
        loss(model, [QUESTIONS[place] for place in torch.randperm(5)]).backward()
        for key, parameter in trained.items():
            assert parameter.grad is not None, key
            touched[key] += parameter.grad.abs().sum()
        model.zero_grad()
    silent = {key for key, total in touched.items() if total == 0}
    # A question that is read at its first token asks for the first state of an LSTM, which knows no other.
    first = options.get("read", "first") == "first"
    assert all(
        first and re.search(r"question_\w+\.heads.*queries\.forwards.*weight_hh", key) for key in silent
    )


@pytest.mark.parametrize(("name", "options"), CASES)
def test_short_unknown_and_empty_texts_give_finite_numbers(name, options):
    model = build_small(name, **options).train()
    questions, contexts = [[5], [UNKNOWN, UNKNOWN], [], [4, 5], []], [[5], [4, 5], [4], [UNKNOWN], []]
    logits = model(batch(questions), batch(contexts))
    assert finite(logits).isfinite().all()
    assert not logits.start[4].isfinite().any()
    finite(logits).sum().backward()
    for key, parameter in model.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), key


@pytest.mark.parametrize("name", NAMES)
def test_in_mixed_precision_logits_are_close(name):
    model = build_small(name, answers_none=True).eval()
    skip_without_bf16(model)
    exact = finite(model(batch(QUESTIONS), batch(CONTEXTS))).detach()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = finite(model(batch(QUESTIONS), batch(CONTEXTS))).float()
    torch.testing.assert_close(rough, exact, atol=0.05 * float(exact.abs().max()), rtol=0.05)


@pytest.mark.parametrize(("name", "options"), CASES)
@torch.no_grad()
def test_saved_and_loaded_it_says_the_same_to_the_last_bit(name, options, tmp_path):
    model = build_small(name, **options).eval()
    save_tensors(tmp_path / "weights", model.state_dict())
    other = build_small(name, **options)
    for tensor in other.state_dict().values():
        if tensor.is_floating_point():
            tensor.add_(1)
    load_weights(other, tmp_path / "weights")
    assert load_tensors(tmp_path / "weights").keys() == model.state_dict().keys()
    found, expected = (one.eval()(batch(QUESTIONS), batch(CONTEXTS)) for one in (other, model))
    assert all(x is None or torch.equal(x, y) for x, y in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_gradients(name):
    def gradients():
        model = build_small(name, answers_none=True).train()
        torch.manual_seed(3)
        loss(model).backward()
        return [parameter.grad for parameter in model.parameters()]

    for one, other in zip(gradients(), gradients(), strict=True):
        assert (one is None) == (other is None)
        assert one is None or torch.equal(one, other)


def test_no_answer_is_a_phrase_of_its_own():
    model = build_small("piqa", answers_none=True).eval()
    with torch.no_grad():
        model.nothing.vectors.normal_()
        model.nothing.prior.copy_(torch.tensor([0.25, -2.0]))
        none = model(batch(QUESTIONS), batch(CONTEXTS)).none
        for row, asked in enumerate(zip(*model.questions(batch(QUESTIONS)), strict=True)):
            for side, prior in enumerate((0.25, -2.0)):
                expected = prior + float(model.nothing.vectors[side] @ asked[side])
                assert float(none[row, side]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("known", ["logits", "answers_none", "most"])
def test_an_unknown_argument_is_an_error_that_names_the_nearest(name, known):
    with pytest.raises(ConfigError) as error:
        build_small(name, **{known[:-1]: 2})
    assert error.value.params == (known[:-1],) and repr(known) in error.value.fix


@pytest.mark.parametrize(
    ("change", "words"), [({"most": 0}, "most=0"), ({"logits": "l1"}, "'l1', expected 'ip' or 'l2'")]
)
def test_what_are_no_answers(change, words):
    with pytest.raises(UsageError, match=words):
        PhraseAnswers(**change)


@pytest.mark.parametrize("name", NAMES)
def test_threads_add_up_the_gradient_of_a_shared_window_in_one_order(name):
    generator = torch.Generator().manual_seed(0)
    windows = [torch.randint(2, SIZE, (36,), generator=generator).tolist() for _ in range(3)]
    questions, contexts = QUESTIONS * 15, [windows[row % 3] for row in range(75)]
    model = build_small(name, **({} if name == "piqa-transformer" else {"hidden": 48})).train()

    def gradients():
        torch.manual_seed(1)
        model.zero_grad()
        loss(model, questions, contexts).backward()
        return torch.cat([one.grad.flatten() for one in model.parameters() if one.grad is not None])

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        first = gradients()
        assert all(torch.equal(gradients(), first) for _ in range(4))
    finally:
        torch.set_num_threads(before)
