"""Tensors on disk: safetensors and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from textkin.errors import ModelError
from textkin.files import write_bytes

_AGAIN = "copy the model directory again, whole"


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors as a safetensors file.

    Raises:
        OutputError: the folder can't be written to.
    """
    from safetensors.torch import save

    plain: dict[str, Tensor] = {}
    places = set()
    for name, tensor in tensors.items():
        plain[name] = tensor.detach().cpu().contiguous()
        place = plain[name].untyped_storage().data_ptr()
        if place in places:  # one weight by two names, as in T5; the format wants each by itself
            plain[name] = plain[name].clone()
        places.add(place)
    # Through bytes: the library's own writer gives errors of its own for a full disk.
    write_bytes(path, save(plain))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file.

    Raises:
        ModelError: the file is missing or truncated.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} can't be read: {error}", fix=_AGAIN) from error


def load_weights(module: nn.Module, path: Path) -> None:
    """Fill a network from a safetensors file.

    Raises:
        ModelError: the file is missing or truncated, or its tensors are not the network's.
    """
    weights = load_tensors(path)
    expected = {name: list(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: list(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise ModelError(
                f"{path}: tensor {name!r} has shape {found.get(name)}, "
                f"the architecture wants {expected.get(name)}",
                fix=_AGAIN,
            )
    module.load_state_dict(weights)
