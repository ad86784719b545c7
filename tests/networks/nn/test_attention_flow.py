import pytest
import torch

from tests.reference.attention_flow import attention_flow
from textkin.networks.nn.attention_flow import AttentionFlow

pytestmark = pytest.mark.torch

T, J = [4, 1, 3, 0, 2], [2, 3, 1, 2, 0]


def texts(lengths):
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.randn(len(lengths), max(lengths), 3, requires_grad=True), mask


def test_attention_flow_is_the_plain_loop():
    layer = AttentionFlow(dim=3)
    torch.nn.init.normal_(layer.weights)  # sharp enough for a wrong softmax to show
    (context, context_mask), (question, question_mask) = texts(T), texts(J)
    found = layer(context, question, context_mask, question_mask)
    for row, (t, j) in enumerate(zip(T, J, strict=True)):
        if t and j:
            expected = attention_flow(
                context[row, :t].tolist(), question[row, :j].tolist(), layer.weights.flatten().tolist()
            )
            torch.testing.assert_close(found[row, :t], torch.tensor(expected), atol=1e-5, rtol=0)


def test_an_empty_question_has_no_share_and_an_empty_context_no_summary():
    layer = AttentionFlow(dim=3)
    (context, context_mask), (question, question_mask) = texts(T), texts(J)
    found = layer(context, question, context_mask, question_mask)
    assert found.isfinite().all()
    assert found[4, :2, 3:9].abs().sum() == 0
    # Without a question all tokens of the context are equally close to it.
    torch.testing.assert_close(found[4, :2, 9:], context[4, :2] * context[4, :2].mean(dim=0))
    assert found[3, :, 9:].abs().sum() == 0


def test_no_gradient_reaches_padding_and_none_is_nan():
    layer = AttentionFlow(dim=3)
    (context, context_mask), (question, question_mask) = texts(T), texts(J)
    layer(context, question, context_mask, question_mask)[context_mask].sum().backward()
    for states, mask in ((context, context_mask), (question, question_mask)):
        assert states.grad.isfinite().all()
        assert states.grad[~mask].abs().sum() == 0
    assert layer.weights.grad.isfinite().all()


def test_at_first_similarities_are_almost_dot_products():
    context, question = torch.randn(2, 5, 100), torch.randn(2, 4, 100)
    found = AttentionFlow(dim=100).similarities(context, question)
    dots = context @ question.transpose(1, 2)
    assert torch.corrcoef(torch.stack([found.flatten(), dots.flatten()]))[0, 1] > 0.97
