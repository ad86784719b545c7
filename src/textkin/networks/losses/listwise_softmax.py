"""Softmax over a query's candidates against the proportions of their labels."""

import torch
from torch import Tensor

from textkin.base.errors import UsageError
from textkin.networks.losses.common import Reduction, at_least_single, same_shape


def listwise_softmax(
    scores: Tensor, labels: Tensor, offsets: Tensor, *, reduction: Reduction = "mean"
) -> Tensor:
    """Divergence KL(label proportions || softmax of the scores) of each query.

    Source: the compare-aggregate network for answer selection (Wang and Jiang 2017), after ListNet (Cao et
    al. 2007).

    Args:
        scores: scores of all candidates, those of one query adjacent. Shape [N].
        labels: relevance; negative values count as 0. Shape [N].
        offsets: candidates of query i are at offsets[i]:offsets[i+1]. Shape [Q + 1].
        reduction: over the queries that have a positive; others contribute nothing and are not counted.
    """
    same_shape(scores=scores, labels=labels)
    if len(offsets) < 1:
        raise UsageError("offsets are empty, expected [Q + 1] numbers")
    queries = len(offsets) - 1
    numbers = torch.arange(queries, device=offsets.device)
    query = numbers.repeat_interleave(offsets.diff(), output_size=len(scores))
    log_softmax = _log_softmax_by(query, at_least_single(scores), queries)
    gains = labels.to(log_softmax.dtype).clamp(min=0)
    totals = _sum_by(query, gains, queries)
    shares = gains / totals.clamp(min=torch.finfo(totals.dtype).tiny)[query]
    divergence = (torch.xlogy(shares, shares) - shares * log_softmax).sum()
    return divergence / (totals > 0).sum().clamp(min=1) if reduction == "mean" else divergence


def _log_softmax_by(query: Tensor, scores: Tensor, queries: int) -> Tensor:
    lowest = scores.new_full((queries,), -torch.inf)
    highest = lowest.scatter_reduce(0, query, scores.detach(), "amax")
    shifted = scores - highest[query]
    return shifted - _sum_by(query, shifted.exp(), queries).log()[query]


def _sum_by(query: Tensor, values: Tensor, queries: int) -> Tensor:
    return values.new_zeros(queries).index_add(0, query, values)
