"""Attention of a context to a question and back, as in BiDAF.

Shapes: B pairs, T tokens of the context, J tokens of the question, D width of their states.
"""

import torch
from torch import Tensor, nn

from textkin.networks.nn.attention import attend
from textkin.networks.nn.masking import pair_mask
from textkin.networks.nn.matrix_recorder import TextMatrix


class AttentionFlow(nn.Module):
    """Contextual states of two texts to question-aware context states: [B, T, D] to [B, T, 4D].

    Seo et al. 2017, "Bidirectional Attention Flow for Machine Comprehension", equations 1 and 2: similarities
    S_tj = w . [h_t; u_j; h_t * u_j]; context to query, u~_t = sum_j softmax_j(S_tj) u_j; query to context,
    h~ = sum_t softmax_t(max_j S_tj) h_t, the same for every t; G_t = [h_t; u~_t; h_t * u~_t; h_t * h~].

    Padding is excluded from all of them, which ports of the original forget. The vector of width 3D that w
    multiplies is never computed: w splits into three of width D. The one for h_t * u_j is initialised with
    ones, so that S starts as a dot product, which is more informative than random weights.

    Args:
        dim: D.
    """

    def __init__(self, *, dim: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.empty(3, dim))
        bound = (3 * dim) ** -0.5
        nn.init.uniform_(self.weights[:2], -bound, bound)
        nn.init.ones_(self.weights[2])
        # The question is the first of two texts.
        self.scores = TextMatrix("similarity matrix S", rows="b", columns="a")
        self.to_question = TextMatrix("context-to-query attention", rows="b", columns="a", shares=True)
        self.to_context = TextMatrix("query-to-context attention", rows="all", shares=True)

    def similarities(self, context: Tensor, question: Tensor) -> Tensor:
        """S of equation 1. Shape [B, T, J]."""
        for_context, for_question, for_product = self.weights.unbind()
        products = (context * for_product) @ question.transpose(1, 2)
        return products + (context @ for_context).unsqueeze(2) + (question @ for_question).unsqueeze(1)

    def forward(
        self, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor
    ) -> Tensor:
        """G of equation 2; at padding it is meaningless."""
        scores = self.scores(self.similarities(context, question))
        attended = attend(scores, question, question_mask, shown=self.to_question)
        closest = scores.masked_fill(~pair_mask(context_mask, question_mask), float("-inf")).amax(dim=2)
        closest = closest.masked_fill(closest == float("-inf"), 0)
        summary = attend(closest.unsqueeze(1), context, context_mask, shown=self.to_context)
        return torch.cat([context, attended, context * attended, context * summary], dim=-1)
