"""A network whose rows are computed by several processes."""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn

from textkin.networks.batches.padded import TextBatch
from textkin.training.distributed import gathered

_Output = TypeVar("_Output")


class SharedRows(nn.Module):
    """A network's outputs for all rows of a batch, of which this process computes every n-th.

    Every process is given the same batch and gets the same outputs, those of all rows in order, with the
    gradient of its own rows. Rows keep the padding of the whole batch, so that a row's output equals that of
    a single process.

    Args:
        network: returns a row, or a tuple of rows, for each row of its inputs.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, *texts: TextBatch) -> Any:
        """The network's outputs for all rows."""
        return self.split(self.network, *texts)

    def split(self, compute: Callable[..., _Output], *texts: TextBatch) -> _Output:
        """The outputs of ``compute`` for all rows; this process computes its part.

        Args:
            compute: maps some rows of each of the inputs to the outputs of these rows.
            texts: the inputs, with the same number of rows.
        """
        rows, processes, index = len(texts[0]), distributed.get_world_size(), distributed.get_rank()
        # A process without a row computes the first one and discards it, so that its network has gradients.
        mine = torch.arange(index if index < rows else 0, rows, processes)[: -(-rows // processes)]
        mine = mine.to(texts[0].ids.device)
        own = compute(*(text.select(mine) for text in texts))
        kept = len(mine) if index < rows else 0
        return _each(own, lambda part: _whole(part[:kept], rows, processes))


def _each(outputs: Any, whole: Callable[[Tensor], Tensor]) -> Any:
    """The same outputs, each complete; those that a network omits stay None."""
    if outputs is None:
        return None
    if isinstance(outputs, Tensor):
        return whole(outputs)
    parts = [_each(one, whole) for one in outputs]
    return type(outputs)(*parts) if hasattr(outputs, "_fields") else type(outputs)(parts)


def _whole(own: Tensor, rows: int, processes: int) -> Tensor:
    """All rows, from the parts of all processes."""
    missing = -(-rows // processes) - len(own)
    padded = torch.cat([own, own.new_zeros(missing, *own.shape[1:])]) if missing else own
    return gathered(padded).transpose(0, 1).flatten(0, 1)[:rows]
