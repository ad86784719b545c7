"""Special tokens around a text, added to batches without them."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.base.errors import wrong_setting
from textkin.networks.batches.padded import TextBatch


class FramedTexts(nn.Module):
    """Layout: special tokens, the text, special tokens, then padding.

    Args:
        before: special tokens before a text, such as [CLS].
        after: special tokens after it, such as [SEP].
        pad_id: the padding token.
        size: the vocabulary size.

    Raises:
        UsageError: one of them isn't a valid token id.
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
                raise wrong_setting(name, tokens, expected=f"numbers of tokens below {size}")
        for name, tokens in (("before", before), ("after", after)):
            # Not saved: they come from the tokenizer.
            self.register_buffer(name, torch.tensor(tokens, dtype=torch.int64), persistent=False)

    def forward(self, batch: TextBatch) -> TextBatch:
        """The texts with their special tokens: L grows by their number."""
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
        """The states of the texts' own tokens, without special ones: [B, L', D] to [B, L, D]."""
        return states[:, len(self.before) : states.shape[1] - len(self.after)]
