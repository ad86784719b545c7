"""States of a frozen transformer, computed once per text where that pays."""

from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from textkin.networks.architectures.backbone import config_of
from textkin.networks.architectures.transformer import token_states
from textkin.networks.batches.padded import TextBatch

_BYTES = 1 << 30


class FrozenStates(nn.Module):
    """A transformer's token states, without gradients or dropout.

    Training on a CPU would spend most of its time here, on the same texts in every epoch. There, each text's
    states are computed separately, so that they don't depend on the batch, and cached up to one GiB.
    Elsewhere, and outside of training, a batch is computed directly.

    Args:
        backbone: the network.
    """

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone.eval().requires_grad_(False)
        self._kept: dict[bytes, Tensor] = {}
        self._room = _BYTES

    def train(self, mode: bool = True) -> Self:
        """Set the training mode; the network itself stays in evaluation mode."""
        super().train(mode)
        self.backbone.eval()
        return self

    @torch.no_grad()
    def forward(self, batch: TextBatch) -> Tensor:
        """The state of each token; shape [B, L, D]."""
        if not self.training or batch.ids.device.type != "cpu":
            return token_states(self.backbone, batch)
        rows = [self._of(ids[mask]) for ids, mask in zip(batch.ids, batch.mask, strict=True)]
        states = pad_sequence(rows, batch_first=True)
        return nn.functional.pad(states, (0, 0, 0, batch.ids.shape[1] - states.shape[1]))

    def _of(self, ids: Tensor) -> Tensor:
        """The states of one text. Shape [its tokens, D]."""
        if not len(ids):
            return torch.zeros(0, int(config_of(self.backbone).hidden_size))
        key = ids.numpy().tobytes()
        states = self._kept.get(key)
        if states is None:
            alone = TextBatch.unchecked(ids[None], torch.ones(1, len(ids), dtype=torch.bool))
            states = token_states(self.backbone, alone)[0]
            size = states.numel() * states.element_size()
            if size <= self._room:
                self._kept[key] = states
                self._room -= size
        return states
