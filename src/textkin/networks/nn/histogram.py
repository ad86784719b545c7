"""Histograms of a word's similarities to the words of the other text.

The range [-1, 1] is divided into bins - 1 equal parts; one more bin holds exact matches, similarity 1.

Shapes: B pairs, N tokens of the first text, M of the second, K bins.
"""

from typing import Literal

import torch
from torch import Tensor

from textkin.base.errors import wrong_setting

Histogram = Literal["CH", "NH", "LCH"]
_KINDS = ("CH", "NH", "LCH")
# Equal vectors have a cosine of 1 except for rounding; a word with itself must be an exact match.
_ROUNDING = 4e-6


def known_histogram(kind: Histogram) -> Histogram:
    """Return ``kind`` after checking it.

    Raises:
        UsageError: there is no such histogram.
    """
    if kind not in _KINDS:
        raise wrong_setting("histogram", kind, expected=f"one of: {', '.join(_KINDS)}")
    return kind


def known_bins(bins: int) -> int:
    """Return ``bins`` after checking it.

    Raises:
        UsageError: there are fewer than two.
    """
    if bins < 2:
        raise wrong_setting("bins", bins, expected="at least 2: soft matches and exact ones")
    return bins


def match_histogram(similarities: Tensor, mask: Tensor, *, bins: int, kind: Histogram) -> Tensor:
    """Histograms of each word's similarities to the other text. No gradient passes.

    "CH" counts words, "NH" gives proportions, "LCH" is ln(1 + count). Source: Guo et al. 2016, "A Deep
    Relevance Matching Model for Ad-hoc Retrieval"; they take ln(count), which is undefined for 0.

    Args:
        similarities: cosines. Shape [B, N, M].
        mask: tokens of the second text. Shape [B, M].
        bins: K.
        kind: the kind of histogram.

    Returns:
        Shape [B, N, K].
    """
    counts = _summed(mask.unsqueeze(1).expand_as(similarities).float(), similarities, bins=bins)
    if kind == "NH":
        return counts / mask.sum(dim=1).clamp(min=1).view(-1, 1, 1)
    return counts.log1p() if kind == "LCH" else counts


def similarity_sums(similarities: Tensor, mask: Tensor, *, bins: int) -> Tensor:
    """The sum of the similarities in each bin.

    Source: Yang et al. 2016, "aNMM: Ranking Short Answer Texts with Attention-Based Neural Matching Model",
    value-shared weighting.

    Args:
        similarities: cosines. Shape [B, N, M].
        mask: tokens of the second text. Shape [B, M].
        bins: K.

    Returns:
        Shape [B, N, K].
    """
    return _summed(similarities.float() * mask.unsqueeze(1), similarities, bins=bins)


def _summed(values: Tensor, similarities: Tensor, *, bins: int) -> Tensor:
    parts = (similarities.detach().float() + (1 + _ROUNDING)) * ((bins - 1) / 2)
    bin_of = parts.long().clamp(0, bins - 1)
    empty = torch.zeros(*values.shape[:2], bins, device=values.device)
    return empty.scatter_add(2, bin_of, values)
