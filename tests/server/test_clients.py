"""Other people's clients, unchanged: their requests and their results."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textkin as tk
from tests.server.process import Served, serving
from textkin.server.keys import add_key

pytestmark = pytest.mark.slow

TEXTS = ["Where can I park?", "When do you open?", "How do I reset my password?"]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    place = tmp_path_factory.mktemp("keys") / "keys.toml"
    return place, add_key(place, "tests")


@pytest.fixture(scope="module")
def server(key: tuple[Path, str], folder: Path) -> Iterator[Served]:
    with serving("default", folder, "--api-key-file", key[0], "--log", "errors") as found:
        yield found


@pytest.fixture(scope="module")
def vectors() -> Any:
    return tk.load_encoder().encode(TEXTS)


def test_openai(server: Served, key: tuple[Path, str], vectors: Any) -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=key[1]) as client:
        found = client.embeddings.create(model="default", input=TEXTS)
        assert np.allclose([one.embedding for one in found.data], vectors, atol=1e-6)
        assert found.usage.total_tokens > 0 and [one.id for one in client.models.list()] == ["default"]
        with pytest.raises(openai.NotFoundError, match="no model"):
            client.embeddings.create(model="other", input="a")
    with (
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="wrong") as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.models.list()


def test_cohere(server: Served, key: tuple[Path, str], vectors: Any) -> None:
    cohere = pytest.importorskip("cohere", reason="cohere is not installed")
    with cohere.ClientV2(api_key=key[1], base_url=server.url) as client:
        found = client.rerank(model="default", query="car park", documents=TEXTS, top_n=2)
    cosines = vectors @ tk.load_encoder().encode(["car park"])[0]
    assert [one.index for one in found.results] == np.argsort(-cosines)[:2].tolist()
    assert found.results[0].relevance_score == pytest.approx((1 + cosines.max()) / 2, abs=1e-5)


def test_hugging_face(server: Served, key: tuple[Path, str], vectors: Any) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    asking = hub.InferenceClient(model=server.url, token=key[1])
    with (
        asking if hasattr(asking, "__enter__") else nullcontext(asking) as client
    ):  # before 1.0 nothing to close
        assert np.allclose(client.feature_extraction(TEXTS[0]), vectors[:1], atol=1e-6)
        found = client.sentence_similarity(TEXTS[0], other_sentences=TEXTS[1:])
    assert np.allclose(found, vectors[1:] @ vectors[0], atol=1e-6)


def test_an_assistant_by_http(server: Served, key: tuple[Path, str]) -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    httpx2 = pytest.importorskip("httpx2")

    async def asked() -> tuple[Any, Any, Any, Any]:
        headers = {"authorization": f"Bearer {key[1]}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            return (
                await client.list_tools(),
                await client.call_tool("search", {"query": "parking"}),
                await client.call_tool("fetch", {"id": "a"}),
                await client.call_tool("match", {"text": "where can i park"}),
            )

    tools, found, fetched, matched = asyncio.run(asked())
    assert [one.name for one in tools.tools] == ["search", "fetch", "match"]
    first = found.structured_content["results"][0]
    assert first == {"id": "a", "title": TEXTS[0], "url": "http://example.org/a"}
    assert fetched.structured_content["text"] == TEXTS[0]
    assert matched.structured_content["fitted"] is False
    assert "calibrate" in matched.structured_content["rule"][0]


def test_an_assistant_without_a_key_is_refused(server: Served) -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    from tests.server.asking import httpx

    assert httpx.post(f"{server.url}/mcp", json={}).status_code == 401


def test_an_assistant_has_the_limit_of_its_key(server: Served, key: tuple[Path, str]) -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    from tests.server.asking import httpx

    small = add_key(key[0], "small", texts_per_minute=2)  # while the server runs
    headers = {"authorization": small, "accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    found = [httpx.post(f"{server.url}/mcp", json=body, headers=headers).status_code for _ in range(3)]
    assert 401 not in found[:2] and found[2] == 429


def test_an_assistant_by_standard_input(folder: Path) -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    import sys

    from mcp import ClientSession, StdioServerParameters, stdio_client

    async def asked() -> Any:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "textkin", "serve", "--mcp", str(folder)]
        )
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await session.call_tool("search", {"query": "password"})

    found = asyncio.run(asked())
    assert found.structured_content["results"][0]["id"] == "c"
    assert found.structured_content["results"][0]["url"] == "textkin://notes/c"
