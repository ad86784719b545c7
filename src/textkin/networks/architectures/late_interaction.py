"""Late interaction: token vectors of both texts, compared pairwise.

Source: Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
Interaction over BERT" (2020).
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import as_backbone, config_of
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.transformer import token_states
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.max_sim import max_sim
from textkin.networks.nn.pooling import unit


class LateInteraction(Matcher):
    """The sum, over the tokens of a, of the highest cosine with a token of b; so a is the query.

    Every token counts, including the tokenizer's special ones, which learn to represent the whole text;
    padding never does. Unlike in ColBERT, queries aren't padded with mask tokens, and punctuation isn't
    skipped.

    Args:
        backbone: the network, or the configuration of a new one, as in a Hugging Face ``config.json``.
        projection: width of a linear layer without bias over the token states; 0 for none.
        outputs: 1; classes aren't supported.

    Raises:
        UsageError: ``outputs`` is not 1, or ``projection`` is negative.
    """

    def __init__(
        self, *, backbone: nn.Module | Mapping[str, Any], projection: int = 0, outputs: int = 1
    ) -> None:
        super().__init__(outputs)
        if outputs != 1:
            raise UsageError(
                f"{outputs} outputs: token vectors give one score",
                fix="use a cross-encoder",
                params=("outputs",),
                value=outputs,
            )
        if projection < 0:
            raise UsageError(
                f"projection={projection} is not a width",
                fix="give 0 or more",
                params=("projection",),
                value=projection,
            )
        self.backbone = as_backbone(backbone)
        width = int(config_of(self.backbone).hidden_size)
        self.products = TextMatrix("cosines of late interaction")
        self.projection = nn.Linear(width, projection, bias=False) if projection else None

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores of the pairs (a_i, b_i), at most the tokens of a_i. Shape [B, 1]."""
        of_a, of_b = self.vectors(a), self.vectors(b)
        scores = max_sim(of_a, of_b, a_mask=a.mask, b_mask=b.mask, shown=self.products)
        return scores[:, None]

    def vectors(self, batch: TextBatch) -> Tensor:
        """The unit vector of each token. Shape [B, L, D]."""
        states = token_states(self.backbone, batch)
        return unit(states if self.projection is None else self.projection(states))
