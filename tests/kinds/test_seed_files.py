import pytest

from textkin.base.errors import DataError
from textkin.kinds.seed_files import file_tags, seed_files, seed_tags, tagged


def test_files_of_systems_have_names_of_their_own():
    assert file_tags(["runs/a/model", "runs/b/model", "bm25", ""])[:3] == ["model", "model-2", "bm25"]
    assert file_tags(["hybrid:runs/a/model", "hybrid:bm25:english+default"]) == [
        "hybrid-bm25-model",
        "hybrid-bm25-english-default",
    ]
    assert seed_tags("m", 1) == ["m"]
    assert seed_tags("m", 3) == ["m-seed0", "m-seed1", "m-seed2"]


def test_files_of_seeds_are_found_again(tmp_path):
    kept = {"bm25": [1], "runs/a/model": [2, 3]}
    for tag, value in tagged(kept):
        (tmp_path / f"{tag}.txt").write_text(str(value))
    found = dict(seed_files(tmp_path, list(kept), ".txt", what="values"))
    assert {name: [int(path.read_text()) for path in paths] for name, paths in found.items()} == kept
    with pytest.raises(DataError) as caught:
        list(seed_files(tmp_path, ["tfidf"], ".txt", what="values"))
    assert caught.value.path == tmp_path
