"""The meaning of model names in a study, and a study that trains on pretrained models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.models.interop.tiny import write_theirs
from tests.text.static_folders import table, write
from tests.verbs.making import rows, write_pairs, write_recipe
from textkin.base.errors import ConfigError, UsageError
from textkin.base.hub import MINILM, located
from textkin.measures.intervals.sampling import Sampling
from textkin.models.provenance import hash_of_model
from textkin.networks.recipes.recipe import load_recipe
from textkin.verbs.experiments.study_file import study_file
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.study_models import entrants_of, to_fetch, words_of
from textkin.verbs.experiments.verify import verify_run

pytestmark = pytest.mark.torch


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a working folder without models."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def test_recipes_and_encoders_by_name(cache: Path, tmp_path: Path) -> None:
    own = write_recipe(tmp_path)
    encoder = write_theirs(tmp_path / "mine")
    static = write(tmp_path / "words", {"embeddings": table()})
    found = entrants_of(
        ["siamese-lstm", "static", own, str(encoder), str(static), f"cross-encoder={encoder}"]
    )
    assert list(found) == ["siamese-lstm", "static", "tiny", "mine", "words", "cross-encoder"]
    assert {name: one.start for name, one in found.items()} == {
        **dict.fromkeys(("siamese-lstm", "static", "tiny")),
        **{"mine": encoder, "words": static, "cross-encoder": encoder},
    }
    assert found["siamese-lstm"].to_dict() == load_recipe("siamese-lstm").to_dict()
    assert {name: one.recipe.model.architecture for name, one in found.items() if one.start} == {
        **{"mine": "transformer", "words": "static", "cross-encoder": "cross-encoder"}
    }
    assert found["mine"].to_dict()["start_sha256"] != found["words"].to_dict()["start_sha256"]


@pytest.mark.parametrize(
    "models", ["static,theirs=a.trec,b.trec", ["theirs=a.csv"], {"theirs": [0.5]}, object()]
)
def test_a_system_that_nothing_can_train_belongs_to_compare(models: object) -> None:
    assert words_of("static, minilm") == words_of(["static", Path("minilm")]) == ("static", "minilm")
    assert words_of(iter(["static", "minilm"])) == ("static", "minilm")
    with pytest.raises(UsageError) as error:
        words_of(models)
    assert (error.value.params, "compare" in str(error.value)) == (("models",), True)


def test_a_recipe_with_a_base_is_studied_and_compared_as_what_it_resolves_to(tmp_path: Path) -> None:
    write_recipe(tmp_path, epochs=3)
    path = tmp_path / "longer.toml"
    path.write_text('base = "tiny.toml"\ntraining.epochs = 7\n')
    whole = load_recipe(write_recipe(tmp_path, "whole", epochs=7)).model_copy(update={"name": "longer"})
    assert entrants_of([str(path)])["longer"].to_dict() == whole.to_dict()


@pytest.mark.parametrize("word", ["minilm", "cross-encoder", "pairs-cross-encoder"])
def test_the_transformer_in_the_box_is_where_others_start(cache: Path, word: str) -> None:
    write_theirs(cache / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots" / "1")
    assert entrants_of([word])[word].start == located(MINILM)
    assert entrants_of([word])[word].to_dict()["start_sha256"] == hash_of_model(located(MINILM))


def test_cached_weights_are_found(cache: Path) -> None:
    repository = cache / "models--sentence-transformers--small"
    write_theirs(repository / "snapshots" / "1")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("1")
    found = entrants_of(["small", "cross-encoder=small"])
    assert list(found) == ["small", "cross-encoder"]
    assert {one.start for one in found.values()} == {repository / "snapshots" / "1"}


def test_words_that_mean_nothing(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as wrong:
        entrants_of(["minlm"])
    assert (wrong.value.params, wrong.value.value) == (("models",), "minlm")
    assert "'minilm'" in str(wrong.value.fix)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as error:
        entrants_of(["empty"])
    assert error.value.params == ("models",)
    with pytest.raises(UsageError) as error:
        entrants_of(["static", "static"])
    assert error.value.params == ("models",)


def test_what_a_download_needs() -> None:
    words = ["siamese-lstm", "static", "minilm", "cross-encoder=some/model", "other/encoder"]
    assert to_fetch(words) == ["some/model", "other/encoder"]


def test_a_study_trains_on_pretrained_models(tmp_path: Path) -> None:
    source = write_pairs(tmp_path / "pairs.tsv", rows(40))
    start = write_theirs(tmp_path / "start")
    options = StudyOptions(
        models=(f"minilm={start}", f"cross-encoder={start}"), seeds=1, sampling=Sampling(20, 20), device="cpu"
    )
    result = study_file(source, tmp_path / "study", options=options)
    names = {row.name for row in result.report.systems.rows if row.trained}
    assert names == {"minilm", "cross-encoder"}
    assert sum("started from start" in note for note in result.report.notes) == 2
    assert verify_run(result.folder).scores > 0
    settings = json.loads((result.folder / "study.json").read_text())
    assert settings["models"]["minilm"]["start_sha256"]
    write_theirs(tmp_path / "start", max_length=7)
    with pytest.raises(UsageError) as error:
        study_file(source, tmp_path / "study", options=options)
    assert error.value.params == ("out",)


def test_small_files_are_studied_with_the_transformer_in_the_box(tmp_path: Path, monkeypatch, capsys) -> None:
    taken = []
    monkeypatch.setattr(
        "textkin.verbs.experiments.study_file._studied", lambda _, __, found, *rest: taken.append(list(found))
    )
    monkeypatch.setattr("textkin.verbs.experiments.study_defaults.SMALL", 40)
    monkeypatch.setattr("textkin.verbs.experiments.study_file.SMALL", 40)
    pairs = rows(24)[:41]
    for count in (40, 41):
        study_file(write_pairs(tmp_path / f"{count}.tsv", pairs[:count]), tmp_path / f"of {count}")
    assert taken == [
        ["static", "siamese-lstm", "siamese-bag", "minilm"],
        ["static", "siamese-lstm", "siamese-bag"],
    ]
    told = " ".join(capsys.readouterr().err.split())
    assert told.count("minilm") == 2
    assert "models='static,siamese-lstm,siamese-bag,minilm'" in told
