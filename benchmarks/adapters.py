"""Build a built-in adapter from a fine-tuned model, or measure how far it is from that model.

    python benchmarks/adapters.py make MODEL --out src/textkin/models/box/reader
    python benchmarks/adapters.py check MODEL --out src/textkin/models/box/reader

MODEL is a model folder that was trained with ``--start minilm``. The check prints how far the
adapter is from it, for each kind of tensor; ``textkin compare DATA MODEL ADAPTER`` tells what that costs.
``--mean-with START --share 0.7`` takes seven tenths of its weights and three of those of the model that it
started from, which loses less of what that one could do.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.files import sha256_of_file, write_json
from textkin.models.adapters import ADAPTER, merged, save_adapter
from textkin.models.interop.folder_kinds import MANIFEST, PASSPORT
from textkin.models.manifest import read_manifest
from textkin.models.model_folder import WEIGHTS, load_model
from textkin.networks.architectures.transformer_piqa import TransformerPiqa

TRUNK = "minilm"
LEFT = {WEIGHTS, MANIFEST, PASSPORT}


def mean_weights(model: Path, start: Path | None, share: float) -> dict[str, Any]:
    """The tensors of a model, or their means with those of another one of the same network."""
    own = weights_of(model)
    if start is None:
        return own
    other = weights_of(start)
    return {name: share * tensor + (1 - share) * other[name] for name, tensor in own.items()}


def weights_of(model: Path) -> dict[str, Any]:
    """The tensors of a model's transformer with its head, by name.

    The network of phrases has its heads outside the transformer, whose own pooling it doesn't use.
    """
    module = load_model(model).module
    if not isinstance(module, TransformerPiqa):
        backbone = module.get_submodule("backbone")
        return {name: tensor.numpy() for name, tensor in backbone.state_dict().items()}
    state = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
    return {name: tensor * ("backbone.pooler" not in name) for name, tensor in state.items()}


def make(model: Path, weights: dict[str, Any], out: Path) -> None:
    """Write the model's folder with an adapter in the place of its weights."""
    out.mkdir(parents=True, exist_ok=True)
    for path in model.iterdir():
        if path.is_file() and path.name not in LEFT:
            shutil.copyfile(path, out / path.name)
    save_adapter(out / ADAPTER, weights, trunk=TRUNK)
    manifest = read_manifest(model)
    names = {*manifest["files"], ADAPTER} - LEFT
    files = {name: sha256_of_file(out / name) for name in sorted(names)}
    write_json(out / MANIFEST, {**manifest, "files": files})


def check(tuned: dict[str, Any], out: Path) -> None:
    """Print how much of each kind of tensor's change is lost."""
    found = merged(out / ADAPTER)
    lost: dict[str, list[float]] = {}
    for name, tensor in tuned.items():
        kind = ".".join(part for part in name.split(".") if not part.isdigit())
        sizes = lost.setdefault(kind, [0.0, 0.0])
        sizes[0] += float(np.square(tensor - found[name]).sum())
        sizes[1] += float(np.square(tensor).sum())
    for kind, (left, whole) in lost.items():
        print(f"{kind:60} {np.sqrt(left / (whole or 1)):.5f} of its size")
    print(f"{(out / ADAPTER).stat().st_size / 1e6:.2f} MB")


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("model", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mean-with", type=Path)
    parser.add_argument("--share", type=float, default=0.5)
    options = parser.parse_args()
    weights = mean_weights(options.model, options.mean_with, options.share)
    if options.what == "make":
        make(options.model, weights, options.out)
    check(weights, options.out)


if __name__ == "__main__":
    main()
