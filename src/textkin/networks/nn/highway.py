"""Layers that can pass their input through."""

from torch import Tensor, nn

from textkin.base.errors import UsageError


class Highway(nn.Module):
    """Layers y = g * x + (1 - g) * relu(W x + b) with gates g = sigmoid(V x + c): [..., D] to [..., D].

    After Srivastava et al. 2015, "Highway Networks", written with the gate that carries the input. Initially
    it carries most of it (c = 1), so that later layers train from the start, as they advise.

    Args:
        dim: D.
        layers: the number of layers; 0 is the identity.

    Raises:
        UsageError: the number of layers is negative.
    """

    def __init__(self, *, dim: int, layers: int = 1) -> None:
        super().__init__()
        if layers < 0:
            raise UsageError(f"there are {layers} highway layers, expected 0 or more")
        # One product computes the candidates and the gates.
        self.layers = nn.ModuleList(nn.Linear(dim, 2 * dim) for _ in range(layers))
        for name, bias in self.layers.named_parameters():
            if name.endswith("bias"):
                nn.init.ones_(bias[dim:])

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the layers in sequence."""
        for layer in self.layers:
            candidates, gates = layer(inputs).chunk(2, dim=-1)
            new = candidates.relu()
            inputs = new + gates.sigmoid() * (inputs - new)
        return inputs
