"""Which tokens of two texts are the same.

Shapes: B pairs, N tokens of a, M tokens of b.
"""

from __future__ import annotations

import torch
from torch import Tensor

from textkin.networks.batches.padded import TextBatch


def exact_matches(a: TextBatch, b: TextBatch, *, unknown: Tensor, shape: tuple[int, int]) -> Tensor:
    """1 where token i of a is token j of b, else 0, cut or filled up to a fixed shape.

    Args:
        a: B texts.
        b: B texts.
        unknown: ids that many words share and that therefore match nothing.
        shape: the rows and columns that are kept; what lies outside a text is 0.

    Returns:
        Shape [B, *shape].
    """
    known = a.mask & ~torch.isin(a.ids, unknown)
    same = (a.ids.unsqueeze(2) == b.ids.unsqueeze(1)) & known.unsqueeze(2) & b.mask.unsqueeze(1)
    rows, columns = shape
    more = (0, columns - b.ids.shape[1], 0, rows - a.ids.shape[1])  # negative: cut
    return torch.nn.functional.pad(same.float(), more)
