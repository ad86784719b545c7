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
    """The trunk's tensors under a prefix: a table and a bias changed, and a head."""
    rng = np.random.default_rng(0)
    found = {f"bert.{name}": tensor for name, tensor in trunk.items()}
    change = 0.01 * rng.normal(size=(384, 384)) * rng.uniform(0.1, 10, size=(384, 1))
    found[f"bert.{TABLE}"] = (found[f"bert.{TABLE}"] + change).astype(np.float32)
    found[f"bert.{BIAS}"] = found[f"bert.{BIAS}"] + np.float32(0.5)
    found["head.weight"] = rng.normal(size=(2, 384)).astype(np.float32)
    return found


def by_hand(change):
    """Each group of 64 numbers by the nearest of eight levels, with the scale of least square error."""
    levels = [sign * size for sign in (-1, 1) for size in (0.2451, 0.756, 1.344, 2.152)]
    found = np.empty_like(change)
    for row in range(len(change)):
        for start in range(0, change.shape[1], 64):
            numbers = change[row, start : start + 64]
            size = np.sqrt((numbers**2).mean())
            nearest = np.array([min(levels, key=lambda level: abs(level - one / size)) for one in numbers])
            found[row, start : start + 64] = nearest * (numbers @ nearest) / (nearest @ nearest)
    return found


@pytest.mark.slow
def test_a_change_comes_back_and_all_else_is_the_trunk(tuned, trunk, tmp_path):
    save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm")
    found = merged(tmp_path / ADAPTER)
    assert found.keys() == tuned.keys()
    assert {name for name in tuned if not np.array_equal(found[name], tuned[name])} == {
        *(f"bert.{TABLE}", f"bert.{BIAS}", "head.weight")
    }
    for name in (f"bert.{BIAS}", "head.weight"):
        np.testing.assert_allclose(found[name], tuned[name], atol=2e-3, err_msg=name)
    change = (tuned[f"bert.{TABLE}"] - trunk[TABLE]).astype(np.float64)
    kept = found[f"bert.{TABLE}"] - trunk[TABLE]
    np.testing.assert_allclose(kept[:9], by_hand(change[:9]), rtol=2e-3, atol=1e-6)
    # A normal distribution loses .0345 of its variance (Max 1960, table I).
    assert np.square(change - kept).sum() / np.square(change).sum() == pytest.approx(0.0345, abs=0.003)
    assert (tmp_path / ADAPTER).stat().st_size < 384 * 384 * 3.25 / 8 + 2 * 3 * 384 + 1_000


def test_words_keep_the_vectors_of_the_trunk(tuned, trunk, tmp_path):
    words = "embeddings.word_embeddings.weight"
    tuned[f"bert.{words}"] = tuned[f"bert.{words}"] + np.float32(0.01)
    save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm")
    assert np.array_equal(merged(tmp_path / ADAPTER)[f"bert.{words}"], trunk[words])


def test_other_networks_have_no_adapter(tuned, tmp_path):
    with pytest.raises(ModelError):
        save_adapter(tmp_path / ADAPTER, {"head.weight": tuned["head.weight"]}, trunk="minilm")
    tuned[f"bert.{TABLE}"] = tuned[f"bert.{TABLE}"][:5]
    with pytest.raises(ModelError):
        save_adapter(tmp_path / ADAPTER, tuned, trunk="minilm")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "change",
    [
        {"trunk": "mini"},
        {"sha256": "0" * 64},
        {f"bert.{TABLE}.scales": None},
        {f"bert.{TABLE}.scales": np.zeros((2, 5), np.float16)},
        {"bert.other.bits": np.zeros((3, 2, 2), np.uint8)},
    ],
    ids=["unknown trunk", "another version", "no scales", "shape", "unknown table"],
)
def test_a_changed_file_is_refused(change, tuned, tmp_path):
    path = tmp_path / ADAPTER
    save_adapter(path, tuned, trunk="minilm")
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
