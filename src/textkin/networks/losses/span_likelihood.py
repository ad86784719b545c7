"""The likelihood of the answer's spans.

Shapes: B rows, T tokens of a window, A occurrences of the answer.
"""

import torch
from torch import Tensor

from textkin.base.errors import UsageError
from textkin.networks.losses.common import Reduction, at_least_single, reduced


def span_likelihood(
    start: Tensor, end: Tensor, none: Tensor | None, spans: Tensor, *, reduction: Reduction = "mean"
) -> Tensor:
    """The negative log of the summed probability of all occurrences of the answer.

    -log sum_a p_start(i_a) p_end(j_a), p being a softmax over the tokens of the window and, if present, the
    logit of "no answer", which is the target of a row without spans. With one span it is the sum of two
    cross-entropies (Seo et al. 2017, equation 5); with several, Clark and Gardner 2018, "Simple and Effective
    Multi-Paragraph Reading Comprehension", section 2.2, but for whole spans.

    Args:
        start: logits of first tokens, minus infinity at padding. Shape [B, T].
        end: logits of last tokens, minus infinity at padding. Shape [B, T].
        none: logits of no first and no last token, or None. Shape [B, 2].
        spans: first and last tokens of each occurrence; -1 if a row has fewer; int64. Shape [B, A, 2].
        reduction: "mean" over the rows, or their "sum".

    Raises:
        UsageError: a row has no span, and there is no logit for "no answer".
    """
    known = spans[..., 0] >= 0
    if none is None:
        if not known.any(dim=1).all():
            raise UsageError(
                "a row has no span, and the model can't say that there is no answer",
                fix="set answers_none = true in [model.arguments]",
            )
        firsts, lasts = spans.clamp(min=0).unbind(dim=-1)
    else:
        start, end = torch.cat([none[:, :1], start], dim=1), torch.cat([none[:, 1:], end], dim=1)
        firsts, lasts = ((spans + 1) * known.unsqueeze(-1)).unbind(dim=-1)
        known = known.clone()
        known[:, 0] |= ~known.any(dim=1)
    log_start, log_end = (at_least_single(logits).log_softmax(dim=1) for logits in (start, end))
    joint = log_start.gather(1, firsts) + log_end.gather(1, lasts)
    return reduced(-joint.masked_fill(~known, float("-inf")).logsumexp(dim=1), reduction)
