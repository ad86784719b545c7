"""Models opened once, and used by several threads simultaneously."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import TEXTS
from textkin.base.errors import ModelError
from textkin.base.extras import has_torch
from textkin.base.hub import located
from textkin.models.inference.scorers import NeuralEncoder
from textkin.models.packed_encoder import PackedEncoder
from textkin.server import served_model
from textkin.server.open_service import Served, open_service
from textkin.server.served_model import OpenedModels

pytestmark = pytest.mark.torch

MODELS = ["default", *(["minilm"] if has_torch() else [])]


def test_a_collection_uses_the_model_that_is_served(folder: Path) -> None:
    service = open_service(Served(models=("default",), collections=(str(folder),)))
    try:
        collection = service.collection(None)
        opened = {id(turns.thing.model.opened()) for turns in (collection._reading, collection._writing)}
        assert opened == {id(service.models["default"].system)}
    finally:
        service.close()


@pytest.mark.parametrize("name", MODELS)
def test_threads_share_a_model(name: str) -> None:
    model = tk.load_encoder(name)
    texts = [f"{text} {place} naïve Ünïcode {'word ' * (place % 9)}" for place in range(60) for text in TEXTS]
    expected = model.encode(texts)
    parts = [slice(start, start + 30) for start in range(0, len(texts), 30)] * 3
    with ThreadPoolExecutor(4) as pool:
        for part, found in zip(parts, pool.map(lambda one: model.encode(texts[one]), parts), strict=True):
            np.testing.assert_allclose(found, expected[part], atol=1e-5)


@pytest.mark.skipif(not has_torch(), reason="minilm needs torch")
@pytest.mark.parametrize(("may", "kind"), [(False, PackedEncoder), (True, NeuralEncoder)])
def test_torch_is_loaded_at_the_start_or_never(
    monkeypatch: pytest.MonkeyPatch, may: bool, kind: type
) -> None:
    if not may:  # or it is there already
        monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(served_model, "may_have_bf16", lambda: may)
    monkeypatch.setattr("textkin.models.packed_encoder.may_have_bf16", lambda: may)
    monkeypatch.setattr("textkin.models.packed_encoder._REPAY_IN_FP32", 0)
    system = OpenedModels().of(located("minilm"))
    assert isinstance(system, kind)
    assert system.encode(["How old are you?"]).shape == (1, 384)
    assert "network" not in vars(system)


def test_what_has_changed_is_opened_again_and_the_rest_stays(tmp_path: Path) -> None:
    box = located("default")
    kept, changed = tmp_path / "kept", tmp_path / "changed"
    for place in (kept, changed):
        shutil.copytree(box, place)
    models = OpenedModels()
    first = {place: models.of(place) for place in (kept, changed)}
    assert models.of(changed) is first[changed]
    config = changed / "config.json"
    config.write_text(config.read_text().replace("{", '{"more": 1,', 1))
    again = models.renewed()
    assert models.of(changed) is first[changed], "who has it keeps it"
    assert again.of(kept) is first[kept] and again.of(changed) is not first[changed]
    with pytest.raises(ModelError):
        models.of(tmp_path)


@pytest.mark.parametrize("name", ["sentence-bm25", "reader=sentence-bm25", "bm25"])
def test_baselines_are_refused_in_words(name: str) -> None:
    with pytest.raises(ModelError, match="is a baseline, which takes what it knows"):
        Served(models=("default", name))
