"""Equal tokens of two texts.

Shapes: B pairs, N tokens of a, M tokens of b.
"""

import torch
from torch import Tensor

from textkin.networks.batches.padded import TextBatch


def exact_matches(a: TextBatch, b: TextBatch, *, unknown: Tensor, shape: tuple[int, int]) -> Tensor:
    """1 if token i of a equals token j of b, else 0, cropped or padded to a fixed shape.

    Args:
        a: B texts.
        b: B texts.
        unknown: ids shared by many words, which therefore match nothing.
        shape: the rows and columns of the output; positions outside a text are 0.

    Returns:
        Shape [B, *shape].
    """
    known = a.mask & ~torch.isin(a.ids, unknown)
    same = (a.ids.unsqueeze(2) == b.ids.unsqueeze(1)) & known.unsqueeze(2) & b.mask.unsqueeze(1)
    rows, columns = shape
    more = (0, columns - b.ids.shape[1], 0, rows - a.ids.shape[1])  # negative: cut
    return torch.nn.functional.pad(same.float(), more)
