"""Two texts in one sequence, with a network's special tokens."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch


class JoinedPair(nn.Module):
    """Layout: start, the first text, middle, the second text, end; then padding.

    A pair that is too long loses tokens of its longer text until both have the same length, and then of both.
    If the room is odd, the longer one, or else the second, has one token more.

    Args:
        start: special tokens before the first text, each an id with its type.
        middle: special tokens between the texts.
        end: special tokens after the second text.
        types: token types of the first and of the second text.
        pad_id: the padding token.
        max_length: the maximum tokens of a pair, including special ones; None for no limit.
        tail: keep the ends of long texts rather than their starts.
    """

    start: Tensor
    middle: Tensor
    end: Tensor

    def __init__(
        self,
        *,
        start: Sequence[Sequence[int]],
        middle: Sequence[Sequence[int]],
        end: Sequence[Sequence[int]],
        types: Sequence[int],
        pad_id: int,
        max_length: int | None = None,
        tail: bool = False,
    ) -> None:
        super().__init__()
        self.types, self.pad_id, self.tail = tuple(types), pad_id, tail
        special = len(start) + len(middle) + len(end)
        self.room = None if max_length is None else max(0, max_length - special)
        for name, tokens in (("start", start), ("middle", middle), ("end", end)):
            # Not saved: they come from the tokenizer.
            self.register_buffer(
                name, torch.tensor(tokens, dtype=torch.int64).view(-1, 2).T, persistent=False
            )

    def forward(self, a: TextBatch, b: TextBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Token ids, the attention mask, and token types, each of shape [B, L]."""
        lengths = (a.lengths, b.lengths)
        kept = self.kept(*lengths)
        parts = (
            self._row(self.start, len(a)),
            self._text(a, 0),
            self._row(self.middle, len(a)),
            self._text(b, 1),
            self._row(self.end, len(a)),
            torch.tensor([[self.pad_id], [0]], device=a.ids.device)[:, None].expand(2, len(a), 1),
        )
        source = torch.cat(parts, dim=2)
        fixed = [torch.full_like(kept[0], part.shape[2]) for part in parts]
        sizes = torch.stack([fixed[0], kept[0], fixed[2], kept[1], fixed[4]], dim=1)
        ends = sizes.cumsum(dim=1)
        # The start of each part in the source, and the number of tokens skipped at its front.
        begins = torch.stack(fixed, dim=1).cumsum(dim=1)[:, :-1] - torch.stack(fixed[:-1], dim=1)
        if self.tail:
            begins[:, 1::2] += torch.stack(lengths, dim=1) - torch.stack(kept, dim=1)
        places = torch.arange(max(1, int(ends[:, -1].max())), device=a.ids.device).expand(len(a), -1)
        part = (places[:, :, None] >= ends[:, None]).sum(dim=2).clamp(max=4)
        mask = places < ends[:, -1:]
        taken = places + (begins - (ends - sizes)).gather(1, part)
        taken = taken.masked_fill(~mask, source.shape[2] - 1)
        ids, types = (row.gather(1, taken) for row in source)
        return ids, mask, types

    def kept(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """The number of tokens kept from texts of these lengths. Shapes [B]."""
        if self.room is None:
            return a, b
        short = torch.minimum(a, b).clamp(max=self.room // 2)
        long = torch.minimum(torch.maximum(a, b), self.room - short)
        first_is_short = a <= b
        return torch.where(first_is_short, short, long), torch.where(first_is_short, long, short)

    def _text(self, batch: TextBatch, side: int) -> Tensor:
        return torch.stack([batch.ids, torch.full_like(batch.ids, self.types[side])])

    @staticmethod
    def _row(tokens: Tensor, rows: int) -> Tensor:
        return tokens[:, None].expand(2, rows, tokens.shape[1])
