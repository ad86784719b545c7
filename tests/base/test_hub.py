"""Model names: folders, then the cache; the network only on request."""

import socket
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import textkin as tk
from tests.text.static_folders import table, write
from textkin.base import hub
from textkin.base.errors import ModelError, TextkinError
from textkin.cli import main
from textkin.kinds.systems import chooser_of, reader_of, resolve
from textkin.verbs.experiments.study_models import entrants_of

ENVIRONMENT = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, an empty working folder, and no network."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path / "home" / "hub"


def cached(cache, name, version="abc"):
    repository = cache / f"models--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(version)
    return write(repository / "snapshots" / version, {"embeddings": table()})


def test_a_folder_comes_before_the_cache(cache, tmp_path):
    inside = cached(cache, "owner/small")
    assert hub.located("owner/small") == inside
    assert tk.load("owner/small").name == "owner/small"
    (tmp_path / "here" / "owner" / "small").mkdir(parents=True)
    assert hub.located("owner/small").resolve() == tmp_path / "here" / "owner" / "small"


def test_names_without_an_owner(cache):
    inside = cached(cache, "sentence-transformers/small")
    assert hub.located("small") == inside
    plain = cached(cache, "small")
    assert hub.located("small") == plain
    assert np.array_equal(
        tk.load("small").encode(["the cat"]), resolve("small", fit_texts=[]).encode(["the cat"])
    )


def test_a_version_that_is_not_whole_is_none(cache):
    cached(cache, "owner/small")
    (cache / "models--owner--small" / "refs" / "main").write_text("other")
    assert hub.locate("owner/small") is None
    assert hub.locate("../secret") is None is hub.locate("a/b/c")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"HF_HUB_CACHE": "/a"}, "/a"),
        ({"HUGGINGFACE_HUB_CACHE": "/b", "HF_HOME": "/c"}, "/b"),
        ({"HF_HOME": "/c", "XDG_CACHE_HOME": "/d"}, "/c/hub"),
        ({"XDG_CACHE_HOME": "/d"}, "/d/huggingface/hub"),
        ({"HOME": "/e"}, "/e/.cache/huggingface/hub"),
    ],
)
def test_where_the_cache_is(settings, expected, monkeypatch):
    monkeypatch.delenv("HF_HOME")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert hub.cache().as_posix() == expected


def test_a_missing_model_is_a_quick_error_that_says_where_was_looked(cache, tmp_path, monkeypatch):
    monkeypatch.setattr("socket.getaddrinfo", None)
    monkeypatch.setattr("socket.socket.connect", None)
    started = time.process_time()
    for call in (lambda: tk.load("owner/nosuch"), lambda: tk.load_encoder("owner/nosuch")):
        with pytest.raises(ModelError) as caught:
            call()
        assert str(tmp_path / "here" / "owner" / "nosuch") in str(caught.value)
        assert str(cache) in str(caught.value) and "fetch the model with download" in str(caught.value)
    with pytest.raises(ModelError) as error:
        resolve("owner/nosuch", fit_texts=[])
    assert error.value.value == "owner/nosuch"
    # Processor time, which other load hardly changes; only network access would wait, and there is none.
    assert time.process_time() - started < 1


@pytest.mark.parametrize("name", ["minlm", "MiniLM"])
def test_a_mistyped_name_of_the_box_is_told(name):
    others = SimpleNamespace(chooser=lambda word: None)
    for call in (
        tk.load,
        lambda word: resolve(word, fit_texts=[]),
        lambda word: chooser_of(word, fit_texts=[], others=others),
    ):
        with pytest.raises(ModelError, match="did you mean 'minilm'"):
            call(name)


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_what_the_transformer_in_the_box_was_made_of_leads_to_it(cache, name):
    for call in (tk.load, lambda word: resolve(word, fit_texts=[]), lambda word: entrants_of([word])):
        with pytest.raises(TextkinError, match="take 'minilm', which is that model, built in"):
            call(name)
    with pytest.raises(ModelError, match="choose one of: no-answer"):
        reader_of(name, fit_texts=[])  # no encoder answers questions
    here = cached(cache, "sentence-transformers/all-MiniLM-L6-v2")
    assert hub.located(name) == here != hub.located("minilm")


def test_a_strange_name_is_answered_by_all_names_but_those_of_languages():
    known = ["default", "tfidf", "bm25", "tfidf:german", "bm25:german"]
    assert hub.did_you_mean_model("nosuch", known) == "choose one of: default, tfidf, bm25"
    assert hub.did_you_mean_model("tfidf:germn", known) == "did you mean 'tfidf:german'?"


def test_a_file_is_no_model(tmp_path):
    (tmp_path / "here" / "file").touch()
    with pytest.raises(ModelError) as error:
        tk.load("file")
    assert str(error.value.path).endswith("file")


def download(cache, seen):
    def snapshot_download(repository, *, cache_dir, allow_patterns, ignore_patterns):
        seen.append((repository, cache_dir, allow_patterns))
        if repository != "sentence-transformers/small":
            raise OSError(f"404: there is no {repository}")
        return str(cached(cache, repository))

    return SimpleNamespace(snapshot_download=snapshot_download)


def test_the_hub_is_asked_only_for_what_is_not_there(cache, monkeypatch):
    seen = []
    monkeypatch.setitem(sys.modules, "huggingface_hub", download(cache, seen))
    assert hub.fetch("small") == hub.located("small") == hub.fetch("small")
    assert [one[0] for one in seen] == ["small", "sentence-transformers/small"]
    assert seen[0][1] == cache and not any("bin" in pattern or pattern == "*" for pattern in seen[0][2])
    with pytest.raises(ModelError, match=r"'owner/nosuch' can't be fetched .* 404: there is no owner/nosuch"):
        hub.fetch("owner/nosuch")


@pytest.mark.slow
def test_the_command_line_downloads_when_told(cache, monkeypatch, capsys):
    seen = []
    monkeypatch.setitem(sys.modules, "huggingface_hub", download(cache, seen))
    assert main(["score", "the cat", "the dog", "--model", "small"]) == 5
    assert not seen and str(cache) in capsys.readouterr().err
    assert main(["score", "the cat", "the dog", "--model", "small", "--download"]) == 0
    assert len(seen) == 2
    assert main(["score", "the cat", "the dog", "--model", "constant", "--download"]) == 0
    assert len(seen) == 2


def test_models_of_the_environment_are_found_by_name_after_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert hub.installed() == {} and hub.locate("small") is None
    place = write(tmp_path / "share" / "textkin" / "models" / "small", {"embeddings": table()})
    assert hub.installed() == {"small": place} and hub.located("small") == place
    assert hub.name_of(place) == "small" == tk.load("small").name
    (tmp_path / "here" / "small").mkdir()
    assert hub.located("small").resolve() == tmp_path / "here" / "small"
