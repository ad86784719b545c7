"""The special tokens that a network wants around a text, added to batches that come without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch


@final
class FramedTexts(nn.Module):
    """Before, the text, after; then padding.

    Args:
        before: special tokens before a text, such as [CLS].
        after: special tokens after it, such as [SEP].
        pad_id: what fills up the rows.
        size: how many tokens the network knows.

    Raises:
        UsageError: one of them is no token's number.
    """

    before: Tensor
    after: Tensor

    def __init__(self, *, before: Sequence[int], after: Sequence[int], size: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        for name, tokens in (("before", before), ("after", after), ("pad_id", [pad_id])):
            if not isinstance(tokens, list | tuple) or not all(
                type(token) is int and 0 <= token < size for token in tokens
            ):
                raise UsageError(f"{name} is {tokens!r}, expected numbers of tokens below {size}")
        for name, tokens in (("before", before), ("after", after)):
            # Not saved: they are the tokenizer's, not learnt.
            self.register_buffer(name, torch.tensor(tokens, dtype=torch.int64), persistent=False)

    def forward(self, batch: TextBatch) -> TextBatch:
        """The texts with their special tokens: L tokens become L and those."""
        rows, front, back = len(batch), len(self.before), len(self.after)
        ids = batch.ids.masked_fill(~batch.mask, self.pad_id)
        ids = functional.pad(ids, (0, back), value=self.pad_id)
        lengths = batch.lengths
        places = lengths[:, None] + torch.arange(back, device=ids.device)
        ids = ids.scatter(1, places, self.after.expand(rows, back))
        ids = torch.cat([self.before.expand(rows, front), ids], dim=1)
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None] + front + back
        return TextBatch.unchecked(ids, mask)

    def inside(self, states: Tensor) -> Tensor:
        """The states of the texts' own tokens out of those of all: [B, L', D] to [B, L, D]."""
        return states[:, len(self.before) : states.shape[1] - len(self.after)]
