import pytest
import torch
from torch import nn
from torch.nn import functional

from textkin.networks.nn import packed_linear as module
from textkin.networks.nn.packed_linear import PackedLinear, gelu_apart, has_fused, rounded

pytestmark = pytest.mark.torch

PLAIN = {
    "none": lambda x: x,
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu-tanh": lambda x: functional.gelu(x, approximate="tanh"),
}


def layers():
    torch.manual_seed(1)
    return [nn.Linear(16, 24), nn.Linear(16, 8, bias=False)]


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 4e-2)])
@pytest.mark.parametrize("activation", PLAIN)
def test_equals_the_layers_one_by_one(apart, fused, dtype, tolerance, activation, monkeypatch):
    monkeypatch.setattr(module, "gelu_apart", lambda *_: apart)
    if fused and not has_fused(dtype):
        pytest.skip("this processor has no such layers")
    parts, x, residual = layers(), torch.randn(50, 16), torch.randn(50, 32)
    packed = PackedLinear(parts, dtype=dtype, activation=activation, fused=fused)
    with torch.inference_mode():
        product = torch.cat([layer(x) for layer in parts], dim=1)
        found = packed(x.to(dtype))
        torch.testing.assert_close(found.float(), PLAIN[activation](product), atol=tolerance, rtol=tolerance)
        found = packed(x.to(dtype), plus=residual.to(dtype))
        torch.testing.assert_close(found.float(), product + residual, atol=tolerance, rtol=tolerance)
    assert found.dtype == dtype


@pytest.mark.parametrize(("product", "apart"), [(1.0, True), (20.0, False)])
def test_gelus_are_tried_out(product, apart, monkeypatch):
    """By a clock on which a fused layer takes 9, and a separate one its product plus 5."""
    clock = [0.0]

    class Clocked:
        def _reorder_linear_weight(self, weight):
            return weight

        def _linear_pointwise(self, x, weight, bias, kind, scalars, algorithm):
            clock[0] += 9.0 if kind == "gelu" else product
            return x

    def gelu(x):
        clock[0] += 5.0
        return x

    monkeypatch.setattr(module, "_onednn", Clocked)
    monkeypatch.setattr(module, "_PLAIN", {"gelu": gelu})
    monkeypatch.setattr(module.time, "thread_time", lambda: clock[0])
    gelu_apart.cache_clear()
    assert gelu_apart("gelu", torch.float32) is apart
    gelu_apart.cache_clear()


def test_rows_are_rounded_up_to_few_numbers():
    assert [rounded(rows) for rows in (1, 9, 32, 33, 256, 257, 1000)] == [2, 10, 32, 48, 256, 320, 1024]
    assert len({rounded(rows) for rows in range(1, 8193)}) == 16 + 14 + 124
