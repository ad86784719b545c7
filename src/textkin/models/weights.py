"""Tensors on disk, in safetensors files only."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from textkin.base.errors import ModelError, said
from textkin.base.files import write_bytes
from textkin.base.json_fields import AGAIN, read_object, table

SMALLEST, LARGEST = 1e-15, 1e9
"""Bounds on a tensor's largest number, unless all are 0: others vanish or overflow when squared."""

_FEW = 64  # layers that may share their weights
_REPEATED = re.compile("layer|block|stage|depth|group|expert|num_labels|outputs|hops|repeat")


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors as a safetensors file.

    Raises:
        OutputError: the folder isn't writable.
    """
    from safetensors.torch import save

    plain: dict[str, Tensor] = {}
    places = set()
    for name, tensor in tensors.items():
        plain[name] = tensor.detach().cpu().contiguous()
        place = plain[name].untyped_storage().data_ptr()
        if place in places:  # one weight under two names, as in T5; the format requires separate ones
            plain[name] = plain[name].clone()
        places.add(place)
    # Through bytes: the library's own writer has its own errors for a full disk.
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
        raise ModelError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error


def load_weights(module: nn.Module, path: Path) -> None:
    """Load a network's weights from a safetensors file.

    Raises:
        ModelError: the file is missing or truncated, its tensors aren't the network's, or a number in it
            isn't finite or is absurdly large.
    """
    weights = load_tensors(path)
    _compare(module, weights, path)
    module.load_state_dict(weights)
    check_numbers(module, path)


def check_depth(config: Any, tensors: int, path: Path) -> None:
    """Reject a configuration with more layers than there are tensors, before creating them.

    Args:
        config: any JSON value; its numbers of layers, blocks and the like are checked.
        tensors: the number of tensors.
        path: the configuration's file.

    Raises:
        ModelError: a number is larger.
    """
    for key, value in config.items() if isinstance(config, Mapping) else enumerate(config):
        if isinstance(value, dict | list):
            check_depth(value, tensors, path)
        elif isinstance(value, int | float) and _REPEATED.search(str(key)) and value > max(_FEW, tensors):
            raise ModelError(f"{key} is {value:g}, and there are {tensors} tensors", path=path, fix=AGAIN)


def tensors_in(path: Path) -> int:
    """The number of tensors in a safetensors file, or in the files of an index.

    Raises:
        ModelError: it can't be read.
    """
    if path.suffix == ".json":
        return len(table(read_object(path), "weight_map", path))
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            return len(file.keys())
    except (OSError, SafetensorError) as error:
        raise ModelError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error


def check_shapes(make: Callable[[], nn.Module], weights: Mapping[str, Tensor], path: Path) -> None:
    """Check that tensors fit a network, without allocating memory for it.

    Args:
        make: builds the network, here without memory.
        weights: the tensors by name.
        path: their file.

    Raises:
        ModelError: they don't.
    """
    with torch.device("meta"):
        _compare(make(), weights, path)


def check_numbers(module: nn.Module, path: Path) -> None:
    """Reject weights that can't give finite vectors.

    Raises:
        ModelError: a weight isn't finite, or is absurdly large, or a network has none.
    """
    for name, parameter in module.named_parameters():
        if not parameter.numel():
            raise ModelError(f"tensor {name!r} is empty", path=path, fix=AGAIN)
        low, high = (float(end) for end in parameter.detach().aminmax())
        largest = max(abs(low), abs(high)) if low == low else low  # NaN differs from itself
        if largest != 0 and not SMALLEST <= largest <= LARGEST:
            raise ModelError(
                f"the largest number of tensor {name!r} is {largest:g}, expected {SMALLEST:g} to {LARGEST:g}",
                path=path,
                fix=AGAIN,
            )


def _compare(module: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    state = module.state_dict()
    expected = {name: list(tensor.shape) for name, tensor in state.items()}
    found = {name: list(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise ModelError(
                f"tensor {name!r} has shape {found.get(name)}, the architecture wants {expected.get(name)}",
                path=path,
                fix=AGAIN,
            )
        if weights[name].is_floating_point() != state[name].is_floating_point():
            raise ModelError(f"tensor {name!r} is of type {weights[name].dtype}", path=path, fix=AGAIN)
