"""An adapter without torch: its states in order, its layers, the decision to load torch, and damage."""

import json
import shutil

import numpy as np
import pytest

from textkin.base.errors import ModelError
from textkin.base.hub import MINILM, RANKER, located
from textkin.models import light_adapter
from textkin.models.adapters import ADAPTER
from textkin.models.light_adapter import LightAdapter, adapted_architecture

pytestmark = [pytest.mark.torch, pytest.mark.slow]


def test_states_come_in_the_order_of_the_texts():
    adapter = LightAdapter(located(RANKER))
    ids = adapter.pipeline.ids(["The mill was built in 1820.", "a", "When was it built?"])
    found = adapter.each(ids, lambda states: states)
    assert [each.shape for each in found] == [(len(one), adapter.dim) for one in ids]
    for one, states in zip(ids, found, strict=True):
        np.testing.assert_allclose(adapter.each([one], lambda each: each)[0], states, atol=1e-5)
    second = adapter.each(ids[1:2], lambda states: states, types=[np.ones_like(ids[1])])[0]
    assert np.abs(second - found[1]).max() > 5e-5


def test_torch_pays_once_much_was_read(monkeypatch):
    monkeypatch.setattr(light_adapter, "_REPAY", 20)
    adapter = LightAdapter(located(RANKER))
    adapter.each([np.arange(14, dtype=np.int32)], len)
    assert [adapter.loading.pays(more) for more in (0, 6, 7)] == [False, False, True]


def test_damage_is_named(tmp_path):
    folder = tmp_path / "ranker"
    shutil.copytree(located(RANKER), folder)
    assert adapted_architecture(folder) == "cross-encoder"
    assert adapted_architecture(located(MINILM)) is None
    with pytest.raises(ModelError) as error:
        LightAdapter(folder).layer("classifier", outputs=3)
    assert error.value.path == folder / ADAPTER
    manifest = json.loads((folder / "textkin.json").read_text())
    (folder / "textkin.json").write_text(json.dumps({**manifest, "arguments": {}}))
    with pytest.raises(ModelError):
        LightAdapter(folder)
    (folder / ADAPTER).write_bytes((folder / ADAPTER).read_bytes()[:-9])
    (folder / "textkin.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError) as error:
        LightAdapter(folder)
    assert error.value.path == folder / ADAPTER
