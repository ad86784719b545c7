"""The layer over the tokens of one text: recurrent, convolutional, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from torch import nn

from textkin.base.errors import wrong_setting
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.ignored_options import refuse_ignored
from textkin.networks.nn.keras_cells import Activation
from textkin.networks.nn.recurrent import Cell as OneWay
from textkin.networks.nn.recurrent import Recurrent

Cell = Literal[
    "mean",
    "lstm",
    "bilstm",
    "gru",
    "bigru",
    "keras-lstm",
    "keras-bilstm",
    "keras-gru",
    "keras-bigru",
    "cnn",
]

_KERAS: tuple[Cell, ...] = ("keras-lstm", "keras-bilstm", "keras-gru", "keras-bigru")
_RECURRENT: tuple[Cell, ...] = ("lstm", "bilstm", "gru", "bigru", *_KERAS)
_READ: Mapping[str, tuple[Cell, ...]] = {
    "hidden": (*_RECURRENT, "cnn"),
    "layers": _RECURRENT,
    "widths": ("cnn",),
    "activation": _KERAS,
}
"""The cells for which an attribute has an effect."""
_ONE_WAY: Mapping[Cell, OneWay] = {
    "lstm": "lstm",
    "bilstm": "lstm",
    "gru": "gru",
    "bigru": "gru",
    "keras-lstm": "keras-lstm",
    "keras-bilstm": "keras-lstm",
    "keras-gru": "keras-gru",
    "keras-bigru": "keras-gru",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLayer:
    """The settings of a layer over the tokens, before it has weights.

    Attributes:
        cell: its kind; "mean" means none.
        hidden: width in one direction; for a convolution, the filters of each width.
        layers: the number of recurrent layers.
        widths: widths of the convolution's filters.
        activation: activation of a cell of Keras; None for its default.
    """

    cell: Cell = "lstm"
    hidden: int = 128
    layers: int = 1
    widths: Sequence[int] = (2, 3, 4)
    activation: Activation | None = None

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
        layer = Recurrent(
            cell=_ONE_WAY[self.cell],
            dim=dim,
            hidden=self.hidden,
            layers=self.layers,
            bidirectional="bi" in self.cell,
            dropout=dropout,
            activation=self.activation,
        )
        return layer, layer.width
