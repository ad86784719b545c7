import numpy as np
import pytest

from tests.collection.phrases.drawn import clustered
from textkin.base.errors import DataError
from textkin.collection.phrases import bound_rows as short_rows
from textkin.collection.phrases.bound_rows import ShortRows, write_short_rows
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.prepared_rows import by_product
from textkin.vectors.join.score_bounds import rotation_for


@pytest.mark.torch
@pytest.mark.parametrize("bf16", [False, True])
@pytest.mark.parametrize("width", [17, 256])
def test_any_plan_is_kept_and_exact(tmp_path, monkeypatch, width, bf16):
    # Nearly all of each row is in its first 8 directions.
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.standard_normal((256, 256)))[0]
    strength = np.where(np.arange(256) < 8, 1, 1e-3)
    rows = (rng.standard_normal((1 << 15, 256)) * strength @ turned).astype(np.float32)
    rotation = rotation_for([by_product(rows)]) if width < 256 else None
    monkeypatch.setattr(short_rows, "make_plan", lambda *_: Plan(width, bf16, rotation))
    about = write_short_rows(tmp_path, rows, rows[:512])
    assert (about["width"], about["bf16"]) == (width, bf16)
    found = ShortRows(tmp_path, about, rows=len(rows), dim=256).searcher(rows, slice(100, 20_000))
    best = found.nearest(rows[:3], 5).documents + 100
    scores = rows[:3].astype(float) @ rows[100:20_000].astype(float).T
    assert best.tolist() == (np.argsort(-scores, axis=1)[:, :5] + 100).tolist()


@pytest.mark.parametrize("name", ["short.npy", "bounds.npy"])
def test_files_that_were_cut_off(tmp_path, name):
    rows = clustered(1 << 15, 32)
    about = write_short_rows(tmp_path, rows, rows[:512])
    np.save(tmp_path / name, np.load(tmp_path / name)[:-1])
    with pytest.raises(DataError, match=name):
        ShortRows(tmp_path, about, rows=len(rows), dim=32)
