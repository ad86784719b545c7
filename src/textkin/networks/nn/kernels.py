"""Kernel pooling: each word's soft matches at each level of similarity.

Source: Xiong et al. 2017, "End-to-End Neural Ad-hoc Ranking with Kernel Pooling" (K-NRM).

Shapes: ... any leading axes, N tokens of the first text, M of the second, K kernels, R rows: ... x N.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from textkin.base.errors import UsageError, wrong_setting

_FAR = 1e4
_STEEPEST = 9.0


class KernelPooling(nn.Module):
    """Similarities in [-1, 1] to K features: sum over i of ln(1 + sum over j of kernel_k(s_ij)).

    A kernel is exp(-(s - mu)^2 / 2 sigma^2). The last one counts exact matches: mu = 1 and a narrow sigma.
    The others are centred on K - 1 equal parts of [-1, 1].

    Args:
        kernels: K.
        sigma: width of all kernels but the last.
        exact_sigma: width of the last.

    Raises:
        UsageError: there are fewer than two kernels, or a width is not positive.
    """

    def __init__(self, *, kernels: int, sigma: float, exact_sigma: float) -> None:
        super().__init__()
        if kernels < 2:
            raise wrong_setting("kernels", kernels, expected="at least 2: soft matches and exact ones")
        if min(sigma, exact_sigma) <= 0:
            raise UsageError(
                f"sigma is {sigma} and exact_sigma {exact_sigma}, expected numbers above 0",
                params=("sigma", "exact_sigma"),
            )
        parts = kernels - 1
        self.centres = (*((2 * part + 1) / parts - 1 for part in range(parts)), 1.0)
        self.widths = (*[sigma] * parts, exact_sigma)

    def forward(self, similarities: Tensor, a_mask: Tensor, b_mask: Tensor) -> Tensor:
        """Features of similarities [..., N, M] with masks [..., N] and [..., M]. Shape [..., K]."""
        both = a_mask.unsqueeze(-1) & b_mask.unsqueeze(-2)
        rows = similarities.float().masked_fill(~both, _FAR).flatten(0, -2)
        counts: Tensor = _KernelSums.apply(  # type: ignore[no-untyped-call]
            rows, rows.new_tensor(self.centres), rows.new_tensor(self.widths)
        )
        return counts.view(*similarities.shape[:-1], len(self.centres)).log1p().sum(dim=-2)


def linear_on_counts(features: int, outputs: int) -> nn.Linear:
    """A linear layer with small initial weights (+-0.014, as in MatchZoo), since soft counts are large."""
    layer = nn.Linear(features, outputs)
    nn.init.uniform_(layer.weight, -0.014, 0.014)
    nn.init.zeros_(layer.bias)
    return layer


class _KernelSums(torch.autograd.Function):
    """Similarities [R, M] to their kernels' sums over M, [R, K].

    Written by hand because it is nearly all of the work of a K-NRM: four passes over [R, K, M] in place and
    one back, where automatic differentiation creates a dozen new tensors of that size.
    """

    @staticmethod
    def forward(ctx: Any, similarities: Tensor, centres: Tensor, widths: Tensor) -> Tensor:
        scales = (2**0.5 * widths).reciprocal()
        distances = (similarities.unsqueeze(1) - centres.unsqueeze(1)).mul_(scales.unsqueeze(1))
        # Below e^-87 floats are denormal, which is 30 times as slow on processors; e^-81 is negligible, too.
        kernels = distances.clamp_(-_STEEPEST, _STEEPEST).square_().neg_().exp_()
        ctx.save_for_backward(similarities, kernels, centres, scales)
        return kernels.sum(dim=-1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        similarities, kernels, centres, scales = ctx.saved_tensors
        # Sum over k of weight_k kernel_k (mu_k - s), both relative to 1, the centre of the narrow kernel.
        weights = gradient * (2 * scales.square())
        both = torch.stack([weights * (centres - 1), weights], dim=1) @ kernels
        return both[:, 0] - (similarities - 1) * both[:, 1], None, None
