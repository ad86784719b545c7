"""Tensors on disk: safetensors and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from textkin.base.errors import ModelError, said
from textkin.base.files import write_bytes
from textkin.base.json_fields import read_object, table

SMALLEST, LARGEST = 1e-15, 1e9
"""The largest number of a tensor lies between, unless all are 0: others vanish or overflow when squared."""

_FEW = 64  # layers that may share their weights
_REPEATED = re.compile("layer|block|stage|depth|group|expert|num_labels|outputs|hops|repeat")
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
        raise ModelError(f"{path} can't be read: {said(error)}", fix=_AGAIN) from error


def load_weights(module: nn.Module, path: Path) -> None:
    """Fill a network from a safetensors file.

    Raises:
        ModelError: the file is missing or truncated, its tensors are not the network's, or a number in it is
            not finite or absurdly large.
    """
    weights = load_tensors(path)
    _compare(module, weights, path)
    module.load_state_dict(weights)
    check_numbers(module, path)


def check_depth(config: Any, tensors: int, path: Path) -> None:
    """Refuse a configuration with more layers than there are tensors, before anybody makes them.

    Args:
        config: any value of JSON; its numbers of layers, blocks and the like are looked at.
        tensors: how many there are.
        path: the configuration's file.

    Raises:
        ModelError: a number is larger.
    """
    for key, value in config.items() if isinstance(config, Mapping) else enumerate(config):
        if isinstance(value, dict | list):
            check_depth(value, tensors, path)
        elif isinstance(value, int | float) and _REPEATED.search(str(key)) and value > max(_FEW, tensors):
            raise ModelError(f"{path}: {key} is {value:g}, and there are {tensors} tensors", fix=_AGAIN)


def tensors_in(path: Path) -> int:
    """How many tensors a safetensors file holds, or the files that an index names.

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
        raise ModelError(f"{path} can't be read: {said(error)}", fix=_AGAIN) from error


def check_shapes(make: Callable[[], nn.Module], weights: Mapping[str, Tensor], path: Path) -> None:
    """See whether tensors are a network's before it takes any memory.

    Args:
        make: builds the network; it does so without memory here.
        weights: the tensors by their names.
        path: where they come from.

    Raises:
        ModelError: they are not.
    """
    with torch.device("meta"):
        _compare(make(), weights, path)


def check_numbers(module: nn.Module, path: Path) -> None:
    """Refuse weights that give no finite vectors.

    Raises:
        ModelError: a weight is not finite, or absurdly large, or a network has none.
    """
    for name, parameter in module.named_parameters():
        if not parameter.numel():
            raise ModelError(f"{path}: tensor {name!r} is empty", fix=_AGAIN)
        low, high = (float(end) for end in parameter.detach().aminmax())
        largest = max(abs(low), abs(high)) if low == low else low  # NaN is not itself
        if largest != 0 and not SMALLEST <= largest <= LARGEST:
            raise ModelError(
                f"{path}: the largest number of tensor {name!r} is {largest:g}, "
                f"expected {SMALLEST:g} to {LARGEST:g}",
                fix=_AGAIN,
            )


def _compare(module: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    state = module.state_dict()
    expected = {name: list(tensor.shape) for name, tensor in state.items()}
    found = {name: list(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise ModelError(
                f"{path}: tensor {name!r} has shape {found.get(name)}, "
                f"the architecture wants {expected.get(name)}",
                fix=_AGAIN,
            )
        if weights[name].is_floating_point() != state[name].is_floating_point():
            raise ModelError(f"{path}: tensor {name!r} is of type {weights[name].dtype}", fix=_AGAIN)
