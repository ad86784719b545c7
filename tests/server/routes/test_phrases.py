"""Phrase index searches over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.asking import Client, client_of
from textkin.base.errors import DataError
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.data.readers.texts import Texts
from textkin.server.served_phrases import ServedPhrases
from textkin.server.service import ServedBeside, Service
from textkin.verbs.phrases.indexing import AskedIndex, index_phrases

PASSAGES = (
    "Clemency Hurst designed the town hall in 1931.",
    "\N{GRINNING FACE} The library opens at nine. <script>alert(1)</script>",
)
QUESTION = "Who designed the town hall?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("phrases") / "town"
    index_phrases(Texts(("hall", "library"), PASSAGES), found, "tfidf")
    return found


@pytest.fixture
def asked(place: Path) -> Iterator[Client]:
    service = Service([], beside=ServedBeside(phrases=[ServedPhrases(place)]))
    yield client_of(service)
    service.close()


def test_phrases_come_in_their_passages(asked: Client, place: Path) -> None:
    found = asked.post("/phrases/search", {"question": QUESTION, "k": 3}).json()
    with AskedIndex(place) as index:
        (alone,) = index.ask([QUESTION], 3)
    assert [(one["text"], one["score"]) for one in found["hits"]] == [
        (one.phrase, one.score) for one in alone.hits
    ]
    for one in found["hits"]:
        assert one["passage"] in PASSAGES and one["passage"][one["start"] : one["end"]] == one["text"]
    assert found["hits"][0]["passage_id"] == "hall"
    assert (found["index"], found["model"], found["cells"], found["probe"]) == ("town", "tfidf", 0, 0)
    assert found["passages"] == 2 and found["phrases"] > 10 and found["bytes_per_phrase"] > 0
    assert found["milliseconds"] > 0 and found["is_none"] is False and len(found["passport"]) == 64
    both = asked.post("/phrases/search", {"questions": [QUESTION, "Xyzzy?"], "index": "town"}).json()
    assert [len(one["hits"]) for one in both["results"]] == [5, 0]


@pytest.mark.torch
def test_an_index_with_cells_says_how_it_searches(tmp_path: Path) -> None:
    pytest.importorskip("faiss", reason="faiss is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    from tests.making_phrases import tiny_phrases

    tiny_phrases(tmp_path / "model")
    texts = tuple(f"Emma married the Normans {n} times" for n in range(40))
    options = PhraseIndexOptions(cells=2, probe=1)
    ids = tuple(map(str, range(40)))
    index_phrases(Texts(ids, texts), tmp_path / "cells", str(tmp_path / "model"), options=options)
    service = Service([], beside=ServedBeside(phrases=[ServedPhrases(tmp_path / "cells", name="small")]))
    found = client_of(service).post("/phrases/search", {"question": "Who married?"}).json()
    service.close()
    assert (found["index"], found["cells"], found["probe"], found["bytes_per_vector"]) == ("small", 2, 1, 0)
    assert found["recall"][0].startswith("recall@1 ")
    assert len(found["hits"]) == 5


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"question": "a", "questions": ["b"]}, 422),
        ({"question": ""}, 422),
        ({"question": "a", "k": 0}, 422),
        ({"question": "a", "index": "other"}, 404),
    ],
)
def test_wrong_questions(asked: Client, body: dict[str, Any], status: int) -> None:
    assert asked.post("/phrases/search", body).status_code == status


@pytest.mark.slow
def test_what_is_served_is_told(asked: Client, client: Client) -> None:
    (one,) = asked.ask("GET", "/about").json()["phrases"]
    assert one["index"] == "town" and one["metric"] == "ip"
    assert client.ask("GET", "/about").json()["phrases"] == []
    missing = client.post("/phrases/search", {"question": "a"})
    assert missing.status_code == 404 and 'with \\"phrases\\"' in missing.text
    described = client.ask("GET", "/openapi.json").json()
    assert "post" in described["paths"]["/phrases/search"]
    assert {"question", "questions", "index", "k"} == set(
        described["components"]["schemas"]["PhrasesBody"]["properties"]
    )


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        ServedPhrases(tmp_path)
    assert error.value.path == tmp_path
