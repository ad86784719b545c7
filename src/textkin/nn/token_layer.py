"""The layer over the tokens of one text: recurrent, convolutional, or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

from torch import nn

from textkin.errors import UsageError
from textkin.nn.convolution import TokenConvolution
from textkin.nn.keras_gru import Activation, KerasGRU
from textkin.nn.recurrent import Recurrent

Cell = Literal["mean", "lstm", "bilstm", "gru", "bigru", "keras-gru", "cnn"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLayer:
    """What a layer over the tokens is like, before it has weights.

    Attributes:
        cell: its kind; "mean" is none.
        hidden: width in one direction; of a convolution, the filters of each width.
        layers: recurrent layers.
        widths: of the convolution's filters.
        activation: of a "keras-gru".
    """

    cell: Cell = "lstm"
    hidden: int = 128
    layers: int = 1
    widths: Sequence[int] = (2, 3, 4)
    activation: Activation = "sigmoid"

    def make(self, *, dim: int, dropout: float) -> tuple[nn.Module | None, int]:
        """The layer, if there is one, and the width of its states.

        Args:
            dim: width of the tokens' vectors.
            dropout: between recurrent layers.

        Raises:
            UsageError: a cell or activation of that name is not known.
        """
        if self.cell == "mean":
            return None, dim
        if self.cell == "cnn":
            convolution = TokenConvolution(dim=dim, filters=self.hidden, widths=self.widths)
            return convolution, self.hidden * len(self.widths)
        if self.cell == "keras-gru":
            return KerasGRU(dim=dim, hidden=self.hidden, activation=self.activation), self.hidden
        if self.cell in ("lstm", "bilstm", "gru", "bigru"):
            layer = Recurrent(
                cell="lstm" if self.cell.endswith("lstm") else "gru",
                dim=dim,
                hidden=self.hidden,
                layers=self.layers,
                bidirectional=self.cell.startswith("bi"),
                dropout=dropout,
            )
            return layer, layer.width
        raise UsageError(f"cell is {self.cell!r}, expected mean, lstm, bilstm, gru, bigru, keras-gru or cnn")
