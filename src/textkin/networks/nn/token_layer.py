"""The layer over the tokens of one text: recurrent, convolutional, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, final, get_args

from torch import nn

from textkin.base.errors import wrong_setting
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.ignored_options import refuse_ignored
from textkin.networks.nn.keras_gru import Activation, KerasGRU
from textkin.networks.nn.recurrent import Recurrent

Cell = Literal["mean", "lstm", "bilstm", "gru", "bigru", "keras-gru", "cnn"]

_RECURRENT: tuple[Cell, ...] = ("lstm", "bilstm", "gru", "bigru")
_READ: Mapping[str, tuple[Cell, ...]] = {
    "hidden": (*_RECURRENT, "keras-gru", "cnn"),
    "layers": _RECURRENT,
    "widths": ("cnn",),
    "activation": ("keras-gru",),
}
"""The cells for which an attribute has an effect."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLayer:
    """The settings of a layer over the tokens, before it has weights.

    Attributes:
        cell: its kind; "mean" means none.
        hidden: width in one direction; for a convolution, the filters of each width.
        layers: the number of recurrent layers.
        widths: widths of the convolution's filters.
        activation: activation of a "keras-gru".
    """

    cell: Cell = "lstm"
    hidden: int = 128
    layers: int = 1
    widths: Sequence[int] = (2, 3, 4)
    activation: Activation = "sigmoid"

    def make(self, *, dim: int, dropout: float) -> tuple[nn.Module | None, int]:
        """The layer, if any, and the width of its states.

        Args:
            dim: width of the tokens' vectors.
            dropout: between recurrent layers.

        Raises:
            UsageError: there is no such cell or activation, or an attribute has no effect on it.
        """
        if self.cell not in get_args(Cell):
            raise wrong_setting("cell", self.cell, expected=f"{', '.join(get_args(Cell))}")
        ignored = {name: getattr(self, name) for name in _READ if self.cell not in _READ[name]}
        refuse_ignored(TokenLayer, ignored, why=f"with cell = {self.cell!r}")
        if self.cell == "mean":
            return None, dim
        if self.cell == "cnn":
            convolution = TokenConvolution(dim=dim, filters=self.hidden, widths=self.widths)
            return convolution, self.hidden * len(self.widths)
        if self.cell == "keras-gru":
            return KerasGRU(dim=dim, hidden=self.hidden, activation=self.activation), self.hidden
        layer = Recurrent(
            cell="lstm" if self.cell.endswith("lstm") else "gru",
            dim=dim,
            hidden=self.hidden,
            layers=self.layers,
            bidirectional=self.cell.startswith("bi"),
            dropout=dropout,
        )
        return layer, layer.width
