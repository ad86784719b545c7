import numpy as np
import pytest
import torch

from textkin.networks.nn.softmax_loops import softmax_bf16, softmax_fp32

pytestmark = pytest.mark.torch

SCALE = np.float32(0.3)


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (65, 7), (64, 16), (200, 33)])
@pytest.mark.parametrize("spread", [0.1, 10.0, 1_000.0])
def test_equals_torch(shape, spread):
    scores = np.random.default_rng(3).normal(scale=spread, size=shape).astype(np.float32)
    expected = torch.from_numpy(scores).double().mul(float(SCALE)).softmax(dim=1)

    found = scores.copy()
    softmax_fp32(found, SCALE)
    # The exponent of a large number is only as precise as its rounding.
    torch.testing.assert_close(
        torch.from_numpy(found).double(), expected, atol=1e-6 + spread * 1e-6, rtol=1e-5
    )

    rough = torch.from_numpy(scores).bfloat16()
    expected = rough.double().mul(float(SCALE)).softmax(dim=1)
    softmax_bf16(rough.view(torch.uint16).numpy(), SCALE)
    torch.testing.assert_close(rough.double(), expected, atol=1e-6 + spread * 1e-6, rtol=2**-8)


def test_rounds_to_the_nearest_bfloat16():
    scores = torch.from_numpy(np.random.default_rng(4).normal(size=(500, 9)).astype(np.float32)).bfloat16()
    exact = scores.double().softmax(dim=1)
    softmax_bf16(scores.view(torch.uint16).numpy(), np.float32(1))
    wrong = (scores.double() - exact).abs() > (exact.bfloat16().double() - exact).abs() + 1e-7
    assert not wrong.any()


def test_far_below_the_best_is_nothing():
    scores = np.array([[0.0, -1e30, -200.0, 0.0]], dtype=np.float32)
    softmax_fp32(scores, np.float32(1))
    np.testing.assert_allclose(scores, [[0.5, 0, 0, 0.5]], atol=1e-30)
