"""Max pooling over adjacent, non-overlapping windows.

Windows are counted from a text's first token; the last one of a text may be shorter. A window exists if its
first token does.

Shapes: B texts or pairs, L tokens, N tokens of a, M tokens of b, F features.
"""

from torch import Tensor
from torch.nn import functional

from textkin.networks.nn.masking import pair_mask


def window_max(states: Tensor, mask: Tensor, *, size: int) -> tuple[Tensor, Tensor]:
    """Windows of ``size`` tokens: [B, L, F] to [B, ceil(L / size), F], zero at padding, and their mask.

    Args:
        states: states of tokens.
        mask: True at tokens. Shape [B, L].
        size: tokens per window.
    """
    channels = states.masked_fill(~mask.unsqueeze(2), float("-inf")).transpose(1, 2)
    highest = functional.max_pool1d(channels, size, ceil_mode=True).transpose(1, 2)
    found = mask[:, ::size]
    return highest.masked_fill(~found.unsqueeze(2), 0), found


def grid_window_max(grid: Tensor, a: Tensor, b: Tensor, *, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Windows of ``size`` x ``size`` pairs of tokens, zero at padding, and the masks of rows and columns.

    Args:
        grid: features of token pairs. Shape [B, F, N, M].
        a: True at tokens of the first text. Shape [B, N].
        b: True at tokens of the second text. Shape [B, M].
        size: tokens per window in each direction.
    """
    kept = grid.masked_fill(~pair_mask(a, b).unsqueeze(1), float("-inf"))
    highest = functional.max_pool2d(kept, size, ceil_mode=True)
    rows, columns = a[:, ::size], b[:, ::size]
    return highest.masked_fill(~pair_mask(rows, columns).unsqueeze(1), 0), rows, columns
