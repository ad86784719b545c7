"""The list of models on this machine."""

import json

import textkin as tk
from textkin.base.hub import BOX, located


def write(folder, **settings):
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


def test_models_of_the_box_the_environment_and_the_cache_are_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    installed = write(tmp_path / "share" / "textkin" / "models" / "mpnet", model_type="mpnet")
    cached = write(tmp_path / "hub" / "models--team--ours" / "snapshots" / "abc", model_type="bert")
    (tmp_path / "hub" / "models--team--ours" / "refs").mkdir()
    (tmp_path / "hub" / "models--team--ours" / "refs" / "main").write_text("abc")
    found = tk.list_models()
    assert [(row.name, row.place, row.use) for row in found[len(BOX) :]] == [
        ("mpnet", "environment", "mpnet"),
        ("team/ours", "cache", "bert"),
    ]
    assert [row.folder for row in found] == [*map(located, BOX), installed, cached]
    assert all(row.figure and row.licence and row.megabytes > 1 for row in found[: len(BOX)])
