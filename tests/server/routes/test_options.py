"""Clients' options for texts: each takes effect on every route, or is rejected by name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from textkin.server.middleware import Access
from textkin.server.open_service import Served, open_service
from textkin.server.service import Service

PAIR = {"source_sentence": "refund", "sentences": ["The quick brown fox", "zebra"]}
LONG = {"source_sentence": "refund", "sentences": ["zebra " * 400]}
_DOWN = ("parameters", "top")


@pytest.fixture(scope="module")
def prompted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A tiny transformer with prompts for queries and documents, and a limit of 38 tokens."""
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    from tests.models.interop.tiny import write_theirs

    prompts = {"query": "query: ", "document": "passage: "}
    folder = write_theirs(tmp_path_factory.mktemp("prompted") / "tiny", "bert", prompts=prompts)
    service = open_service(Served(models=(str(folder),)))
    yield client_of(service)
    service.close()


def asked(path: str, where: str, **options: Any) -> tuple[str, dict[str, Any]]:
    return path, ({"parameters": options} if where == "parameters" else options)


def vectors(client: Client, texts: list[str], **options: Any) -> Any:
    answer = client.post("/embed", {"inputs": texts, **options})
    assert answer.status_code == 200, answer.text
    return np.array(answer.json())


@pytest.mark.torch
@pytest.mark.parametrize("path", ["/similarity", "/"])
@pytest.mark.parametrize("where", _DOWN)
def test_sentences_are_compared_as_asked(prompted: Client, path: str, where: str) -> None:
    texts = [PAIR["source_sentence"], *PAIR["sentences"]]
    found = {}
    for options in ({}, {"prompt_name": "query"}, {"dimensions": 8}, {"normalize": True}):
        told = prompted.post(path, {"inputs": PAIR, **asked(path, where, **options)[1]})
        rows = vectors(prompted, texts, **options)
        np.testing.assert_allclose(told.json(), rows[1:] @ rows[0], atol=1e-6)
        found[str(options)] = told.json()
    assert not np.allclose(found["{}"], found["{'prompt_name': 'query'}"], atol=1e-3)
    assert prompted.post(path, {"inputs": LONG}).status_code == 413
    for truncate, status in ((True, 200), (False, 413)):
        _, body = asked(path, where, truncate=truncate)
        assert prompted.post(path, {"inputs": LONG, **body}).status_code == status


@pytest.mark.parametrize("path", ["/similarity", "/", "/embed", "/embed_all"])
@pytest.mark.parametrize(
    "options",
    [
        {"truncation_direction": "left"},
        {"truncation_direction": "Left"},
        {"truncation_direction": "up"},
        {"normalize": False},
        {"prompt_name": "nothing"},
        {"dimensions": 0},
        {"dimensions": 10_000},
        {"truncate": "perhaps"},
    ],
)
def test_what_can_not_be_done_is_refused(client: Client, path: str, options: dict[str, Any]) -> None:
    bodies = [{"inputs": PAIR if path == "/similarity" else "one", **options}]
    if path in ("/similarity", "/"):
        bodies += [{"inputs": PAIR, **options}, {"inputs": PAIR, "parameters": options}]
    for body in bodies:
        answer = client.post(path, body)
        assert (answer.status_code, answer.json()["error_type"]) == (422, "Validation"), body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/embed_all", {"inputs": "one", "dimensions": 8}),
        ("/embed_all", {"inputs": "one", "normalize": True}),
        ("/similarity", {"inputs": PAIR, "parameters": {"top_k": 3}}),
        ("/", {"inputs": "one", "parameters": {"truncat": True}}),
        ("/", {"inputs": "one", "truncate": True, "parameters": {"truncate": True}}),
        ("/rerank", {"query": "a", "texts": ["b"], "truncation_direction": "left"}),
        ("/v1/rerank", {"query": "a", "documents": ["b"], "rank_fields": ["title"]}),
        ("/v2/rerank", {"query": "a", "documents": ["b"], "max_tokens_per_doc": 9}),
        ("/tokenize", {"inputs": "one", "prompt_name": "nothing"}),
        ("/v1/embeddings", {"input": "one", "prompt_name": "nothing"}),
        ("/explain", {"query": "park", "ids": ["a"], "model": "default"}),
        ("/explain", {"a": "one", "b": "two", "collection": "notes"}),
        ("/search", {"query": "park", "mode": "words", "probe": 3}),
        ("/search", {"query": "park", "mode": "words", "min_probability": 0.5}),
    ],
)
def test_options_that_do_not_go_together(client: Client, path: str, body: dict[str, Any]) -> None:
    answer = client.post(path, body)
    assert answer.status_code == 422, answer.text


def test_an_option_in_a_query_is_given_once(client: Client) -> None:
    answer = client.ask("GET", "/documents?id=a&collection=notes&collection=others")
    assert answer.status_code == 422 and "collection is given 2 times" in answer.text
    assert client.ask("GET", "/documents?id=a&id=b").status_code == 200


@pytest.mark.torch
def test_tokens_come_with_their_prompt(prompted: Client) -> None:
    def tokens(**options: Any) -> list[str]:
        (found,) = prompted.post("/tokenize", {"inputs": "refund", **options}).json()
        return [one["text"] for one in found]

    plain, query, document = tokens(), tokens(prompt_name="query"), tokens(prompt_name="document")
    assert plain[0] == query[0] and plain[-2:] == query[-2:] == document[-2:]
    assert len({tuple(one) for one in (plain, query, document)}) == 3


@pytest.mark.torch
def test_openai_s_route_knows_them_too(prompted: Client) -> None:
    told = prompted.post("/v1/embeddings", {"input": ["refund"], "prompt_name": "query"}).json()
    expected = vectors(prompted, ["refund"], prompt_name="query")[0]
    np.testing.assert_allclose(told["data"][0]["embedding"], expected, atol=1e-6)
    long = {"input": LONG["sentences"]}
    assert prompted.post("/v1/embeddings", long).status_code == 413
    assert prompted.post("/v1/embeddings", {**long, "truncate": True}).status_code == 200


@pytest.mark.parametrize("word", ["return_text", "return_documents"])
def test_rerankers_give_texts_and_raw_scores_in_every_dialect(client: Client, word: str) -> None:
    asked = {"query": "park", word: True, "raw_scores": True}
    (tei,) = client.post("/rerank", {**asked, "texts": ["Where can I park?"]}).json()
    (cohere,) = client.post("/v1/rerank", {**asked, "documents": ["Where can I park?"]}).json()["results"]
    assert tei["text"] == cohere["document"]["text"] == "Where can I park?"
    (score,) = client.post("/score", {"pairs": [["park", "Where can I park?"]]}).json()["pairs"]
    for found in (tei["score"], cohere["relevance_score"]):
        assert found == pytest.approx(score["score"], abs=1e-6)


@pytest.mark.slow
def test_an_assistant_s_tools_do_as_asked(service: Service) -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    from mcp import Client as Assistant

    from textkin.server.mcp_tools import agent_server

    async def called(name: str, arguments: dict[str, Any]) -> Any:
        async with Assistant(agent_server(service)) as assistant:
            return await assistant.call_tool(name, arguments)

    def ids(**arguments: Any) -> list[str]:
        found = asyncio.run(called("search", {"query": "when do I park", **arguments}))
        assert not found.is_error, found.content
        assert found.structured_content["remarks"] == []
        return [one["id"] for one in found.structured_content["results"]]

    assert len(ids()) == 3 and len(ids(k=2)) == 2
    assert ids(where="n = 1") == ["c"] and len(ids(mode="words", k=1)) == 1
    for name, arguments, why in (
        ("search", {"query": "park", "k": 0}, "k is 0, expected at least 1"),
        ("search", {"query": 5}, "query is 5, expected a text"),
        ("search", {"query": "park", "where": "n ="}, "the filter 'n =' has its end at character 4"),
        ("search", {"query": "park", "filter": "n = 1"}, "unknown field 'filter'"),
        ("search", {"query": "park", "modes": "words"}, "unknown field 'modes'; did you mean 'mode'?"),
        ("fetch", {"id": "a", "k": 3}, "unknown field 'k'"),
        ("fetch", {}, "id is missing"),
        ("match", {"text": "park", "threshold": 2}, "threshold is 2, expected at most 1"),
    ):
        refused = asyncio.run(called(name, arguments))
        (told,) = refused.content
        assert refused.is_error and told.text.startswith(f"Error executing tool {name}: {why}"), arguments
        assert "pydantic" not in told.text
    for arguments, remark in (
        ({"query": "?", "mode": "words"}, "nothing found: the query has no words to search for"),
        ({"query": "park", "where": "m = 1"}, "no entry has the metadata 'm'"),
    ):
        found = asyncio.run(called("search", arguments)).structured_content
        assert found["results"] == [] and any(remark in one for one in found["remarks"]), found
    matched = asyncio.run(called("match", {"text": "Where can I park 3?"})).structured_content
    assert matched["verdict"] == "new" and matched["guards"] == ["numbers"] and matched["score"] > 0.7
    assert matched["nearest_id"] == "a" and "textkin match" in matched["rule"][0], "no call of Python"


@pytest.mark.parametrize("path", ["/v1/embeddings", "/search", "/mcp"])
def test_clients_of_other_services_may_ask_from_a_browser(service: Service, path: str) -> None:
    """OpenAI's client sends headers about itself, which a browser requests permission for first."""
    client = client_of(service, access=Access(origins=["https://app.example"]))
    wanted = "authorization,content-type,openai-organization,user-agent,x-stainless-arch,x-stainless-lang"
    headers = {
        "origin": "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": wanted,
        "access-control-request-private-network": "true",
    }
    answer = client.ask("OPTIONS", path, headers=headers)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    assert answer.headers["access-control-allow-headers"] == wanted
    assert answer.headers["access-control-allow-private-network"] == "true"
    assert "POST" in answer.headers["access-control-allow-methods"]
    for odd in ("a b", "x\u00e9", "a:b", ",", "x" * 200):
        told = client.ask(
            "OPTIONS", path, headers={**headers, "access-control-request-headers": odd.encode()}
        )
        assert told.headers["access-control-allow-headers"].startswith("authorization")
    assert client.ask("OPTIONS", path, headers={**headers, "origin": "https://other"}).status_code == 403


def test_what_is_asked_from_a_page_can_be_read_there(service: Service) -> None:
    client = client_of(service, access=Access(origins=["https://app.example"]))
    told = client.post(
        "/v1/embeddings",
        {"input": "one"},
        headers={"origin": "https://app.example", "x-stainless-os": "Linux", "user-agent": "OpenAI/JS 6"},
    )
    assert told.status_code == 200 and told.headers["access-control-allow-origin"] == "https://app.example"
    wrong = client.post("/v1/embeddings", {"input": []}, headers={"origin": "https://app.example"})
    assert wrong.headers["access-control-allow-origin"] == "https://app.example"


@pytest.mark.torch
def test_passages_or_a_collection(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    from tests.models.interop.tiny_readers import write_bare

    with tk.open_collection(tmp_path / "c.kin", create=True) as notes:
        notes.add(["Where can I park?"])
    service = open_service(
        Served(models=(str(write_bare(tmp_path / "reader")),), collections=(str(tmp_path / "c.kin"),))
    )
    asked = {"question": "where", "passages": ["Park here."]}
    client = client_of(service)
    assert client.post("/answer", asked).status_code == 200
    for name, value in (("collection", "c"), ("where", "n = 1")):
        assert client.post("/answer", {**asked, name: value}).status_code == 422
    service.close()
