"""Weights as int8 and back: near enough, and rejected if the file is broken."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from textkin.base.errors import ModelError
from textkin.models.packed_weights import GROUP, PACKED, is_packed, packed, unpacked


def rows(scale=1.0):
    return (scale * np.random.default_rng(0).normal(size=(5, 3 * GROUP))).astype(np.float32)


def kept(tensors, folder):
    save_file(packed(tensors), folder / PACKED)
    return unpacked(folder / PACKED)


def test_each_group_of_a_row_is_off_by_half_a_step_at_most(tmp_path):
    table = rows()
    table[2, GROUP : 2 * GROUP] *= 100  # an outlier coarsens its own group alone
    table[4] = 0
    found = kept({"table": table}, tmp_path)["table"]
    groups, errors = table.reshape(5, 3, GROUP), np.abs(found - table).reshape(5, 3, GROUP)
    steps = np.abs(groups).max(axis=2) / 127
    assert (errors.max(axis=2) <= steps * 0.501 + np.abs(groups).max(axis=2) * 2**-11).all()
    assert errors.max() > 0.01 and not found[4].any()


def test_a_quarter_of_the_bytes():
    stored = sum(tensor.nbytes for tensor in packed({"table": rows()}).values())
    assert stored == rows().size * (1 + 2 / GROUP)


def test_what_is_no_table_or_has_an_odd_width_is_kept_in_half_precision(tmp_path):
    tensors = {"bias": rows()[0], "odd": rows()[:, :-1]}
    found = kept(tensors, tmp_path)
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(found[name], tensor.astype(np.float16).astype(np.float32))


def test_a_broken_file_is_refused(tmp_path):
    kept({"table": rows()}, tmp_path)
    assert is_packed(tmp_path)
    whole = (tmp_path / PACKED).read_bytes()
    (tmp_path / PACKED).write_bytes(whole[:-9])
    with pytest.raises(ModelError) as error:
        unpacked(tmp_path / PACKED)
    assert str(error.value.path).endswith("model.int8.safetensors")
    save_file({"table": np.zeros((2, GROUP), np.int8), "table.scales": np.ones((3, 1))}, tmp_path / PACKED)
    with pytest.raises(ModelError) as error:
        unpacked(tmp_path / PACKED)
    assert str(error.value.path).endswith("model.int8.safetensors")
    (tmp_path / PACKED).unlink()
    assert not is_packed(tmp_path)
    with pytest.raises(ModelError) as error:
        unpacked(tmp_path / PACKED)
    assert str(error.value.path).endswith("model.int8.safetensors")
