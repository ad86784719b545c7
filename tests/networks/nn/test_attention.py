import pytest
import torch

from tests.reference.alignment import attended
from textkin.networks.nn.attention import Alignment, attend
from textkin.networks.nn.matrix_recorder import TextMatrix, watched

pytestmark = pytest.mark.torch

N, M = [4, 1, 3, 0, 2], [2, 3, 1, 2, 0]


def texts(lengths):
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.randn(len(lengths), max(lengths), 3), mask


def test_alignment_in_both_directions_is_the_plain_loop():
    (a, a_mask), (b, b_mask) = texts(N), texts(M)
    scores = 3 * torch.randn(5, 4, 3)
    align = Alignment(scores="e", for_a="one", for_b="other")
    for_a, for_b = align(scores, a, b, a_mask, b_mask)
    for row, (n, m) in enumerate(zip(N, M, strict=True)):
        own = scores[row, :n, :m]
        if n and m:
            expected = torch.tensor(attended(own.tolist(), b[row, :m].tolist()))
            torch.testing.assert_close(for_a[row, :n], expected, atol=1e-6, rtol=0)
            expected = torch.tensor(attended(own.T.tolist(), a[row, :n].tolist()))
            torch.testing.assert_close(for_b[row, :m], expected, atol=1e-6, rtol=0)


def test_a_zero_row_takes_its_share_and_gives_nothing():
    b, mask = texts(M)
    scores, zero = torch.randn(5, 4, 3), torch.randn(5, 4, 1)
    found = attend(scores, b, mask, zero_row=zero)
    for row, m in enumerate(M):
        if m:
            values, zeros = b[row, :m].tolist(), zero[row, :, 0].tolist()
            expected = torch.tensor(attended(scores[row, :, :m].tolist(), values, zeros))
            torch.testing.assert_close(found[row], expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(attend(scores, b, mask, zero_row=zero - 1e4), attend(scores, b, mask))
    assert attend(scores, b, mask, zero_row=zero + 1e4).abs().max() < 1e-6


def test_shares_are_shown_with_that_of_the_zero_row():
    b, mask = texts(M)
    scores, zero, place = torch.randn(5, 4, 3), torch.randn(5, 4, 1), TextMatrix("shares", shares=True)
    for zero_row, width in ((None, 3), (zero, 4)):
        with watched(place) as (seen,):
            found = attend(scores, b, mask, zero_row=zero_row, shown=place)
        assert torch.equal(found, attend(scores, b, mask, zero_row=zero_row))
        (shares,) = seen.passed
        assert shares.shape == (5, 4, width)
        torch.testing.assert_close(shares[:4].sum(dim=2), torch.ones(4, 4))
        torch.testing.assert_close(shares[:, :, :3] @ b, found)


def test_an_empty_text_has_nothing_for_any_token_and_sends_no_gradient_to_padding():
    b, mask = texts(M)
    b.requires_grad_()
    scores = torch.randn(5, 4, 3, requires_grad=True)
    for zero_row in (None, torch.randn(5, 4, 1)):
        found = attend(scores, b, mask, zero_row=zero_row)
        assert found[4].abs().sum() == 0
        found.square().sum().backward()
    assert b.grad.isfinite().all()
    assert b.grad[~mask].abs().sum() == 0
    assert scores.grad.isfinite().all()
    assert scores.grad.transpose(1, 2)[~mask].abs().sum() == 0
