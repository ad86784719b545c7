"""Word overlap of two texts, which word vectors miss and answer selection needs.

After Yih et al. 2013 and Yang et al. 2015 ("WikiQA", section 4.2), who add the count of shared words and the
same weighted by inverse document frequency to a network's score.
"""

import torch
from torch import Tensor

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.masking import pair_mask

FEATURES = 6


def overlap_features(a: TextBatch, b: TextBatch, a_weights: Tensor, b_weights: Tensor) -> Tensor:
    """Six numbers a pair: [B, 6].

    They are: the fraction of a's tokens that occur in b; the same by weight; the fraction of b's tokens that
    occur in a; the same by weight; the fraction of a's bigrams that occur in b; ln(1 + tokens of b). A
    fraction of nothing is 0.

    Args:
        a: B texts, the questions if one side has questions.
        b: B texts.
        a_weights: weights of a's tokens, such as inverse document frequencies. Shape [B, N].
        b_weights: weights of b's tokens. Shape [B, M].
    """
    equal = (a.ids.unsqueeze(2) == b.ids.unsqueeze(1)) & pair_mask(a.mask, b.mask)
    in_b, in_a = equal.any(dim=2), equal.any(dim=1)
    neighbours = (equal[:, :-1, :-1] & equal[:, 1:, 1:]).any(dim=2)
    return torch.stack(
        [
            _share(in_b, a.mask.to(a_weights.dtype)),
            _share(in_b, a_weights * a.mask),
            _share(in_a, b.mask.to(b_weights.dtype)),
            _share(in_a, b_weights * b.mask),
            _share(neighbours, a.mask[:, 1:].to(a_weights.dtype)),
            torch.log1p(b.lengths.to(b_weights.dtype)),
        ],
        dim=1,
    )


def _share(found: Tensor, weights: Tensor) -> Tensor:
    total = weights.sum(dim=1)
    return (weights * found).sum(dim=1) / total.masked_fill(total <= 0, 1)
