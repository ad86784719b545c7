"""Adapters: a fine-tuned network comes back from its difference, and from nothing else."""

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from textkin.base.errors import ModelError
from textkin.base.hub import located
from textkin.models.adapters import ADAPTER, merged, save_adapter
from textkin.models.packed_weights import PACKED, unpacked

TABLE, BIAS = "encoder.layer.0.attention.self.query.weight", "encoder.layer.0.output.dense.bias"


@pytest.fixture(scope="module")
def trunk():
    return unpacked(located("minilm") / PACKED)


@pytest.fixture
def tuned(trunk):
    """The trunk's tensors under a prefix, a table changed in rank 2, a bias, and a head."""
    rng = np.random.default_rng(0)
    change = rng.normal(size=(384, 2)) @ rng.normal(size=(2, 384))
    found = {f"bert.{name}": tensor for name, tensor in trunk.items()}
    found[f"bert.{TABLE}"] = (found[f"bert.{TABLE}"] + 0.01 * change).astype(np.float32)
    found[f"bert.{BIAS}"] = found[f"bert.{BIAS}"] + np.float32(0.5)
    found["head.weight"] = rng.normal(size=(2, 384)).astype(np.float32)
    return found


def test_a_change_of_low_rank_comes_back_and_all_else_is_the_trunk(tuned, tmp_path):
    save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm", rank=2)
    found = merged(tmp_path / ADAPTER)
    assert found.keys() == tuned.keys()
    assert {name for name in tuned if not np.array_equal(found[name], tuned[name])} == {
        *(f"bert.{TABLE}", f"bert.{BIAS}", "head.weight")
    }
    for name, tensor in tuned.items():
        np.testing.assert_allclose(found[name], tensor, atol=2e-3, err_msg=name)
    assert (tmp_path / ADAPTER).stat().st_size < 2 * (2 * 2 * 384 + 3 * 384) + 1_000


def test_a_smaller_rank_leaves_the_largest_part(tuned, trunk, tmp_path):
    save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm", rank=1)
    change = tuned[f"bert.{TABLE}"] - trunk[TABLE]
    up, sizes, down = np.linalg.svd(change)
    nearest = sizes[0] * np.outer(up[:, 0], down[0])
    np.testing.assert_allclose(merged(tmp_path / ADAPTER)[f"bert.{TABLE}"] - trunk[TABLE], nearest, atol=1e-3)


def test_other_networks_have_no_adapter(tuned, tmp_path):
    with pytest.raises(ModelError):
        save_adapter(tmp_path / ADAPTER, {"head.weight": tuned["head.weight"]}, trunk="minilm", rank=2)
    tuned[f"bert.{TABLE}"] = tuned[f"bert.{TABLE}"][:5]
    with pytest.raises(ModelError):
        save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm", rank=2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "change",
    [
        {"trunk": "mini"},
        {"sha256": "0" * 64},
        {f"bert.{TABLE}.down": None},
        {f"bert.{TABLE}.down": np.zeros((2, 5), np.float16)},
        {"bert.other.up": np.zeros((2, 2), np.float16)},
    ],
    ids=["unknown trunk", "another version", "one factor", "shape", "unknown table"],
)
def test_a_changed_file_is_refused(change, tuned, tmp_path):
    path = tmp_path / ADAPTER
    save_adapter(path, tuned, trunk="minilm", rank=2)
    with safe_open(path, framework="np") as file:
        about = file.metadata()
    tensors = load_file(path)
    for name, value in change.items():
        (about if name in about else tensors)[name] = value
    save_file({name: tensor for name, tensor in tensors.items() if tensor is not None}, path, metadata=about)
    with pytest.raises(ModelError):
        merged(path)


def test_a_file_without_names_or_cut_is_refused(tuned, tmp_path):
    path = tmp_path / ADAPTER
    save_file({"bias": np.zeros(3, np.float16)}, path)
    with pytest.raises(ModelError):
        merged(path)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(ModelError):
        merged(path)
