"""Every route gives true cosines and vectors of length 1, also for a folder without a Normalize module."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from tests.text.static_folders import table, write
from textkin.server.open_service import Served, open_service

TEXTS = ["the cats sat", "a dog", "the cat", "the the cats"]


@pytest.fixture(scope="module", params=["embeddings", "embedding.weight"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    return Path(write(folder, {request.param: 3 * table()}, normalize=False))


@pytest.fixture(scope="module")
def client(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    collection = tmp_path_factory.mktemp("collections") / "c.kin"
    with tk.open_collection(collection, create=True, model=place) as notes:
        notes.add(TEXTS)
    service = open_service(Served(models=(str(place),), collections=(str(collection),)))
    yield client_of(service)
    service.close()


@pytest.mark.slow
def test_all_routes_say_the_same(client: Client, place: Path) -> None:
    vectors = tk.load_encoder(place).encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    cosines = vectors[1:] @ vectors[0]
    assert cosines.min() < 0.9 and cosines.max() < 0.999, "nothing is hidden by the ends of the range"
    sentences = {"source_sentence": TEXTS[0], "sentences": TEXTS[1:]}
    for path in ("/similarity", "/"):
        np.testing.assert_allclose(client.post(path, {"inputs": sentences}).json(), cosines, atol=1e-6)
    np.testing.assert_allclose(client.post("/embed", {"inputs": TEXTS}).json(), vectors, atol=1e-6)
    np.testing.assert_allclose(client.post("/", {"inputs": TEXTS}).json(), vectors, atol=1e-6)
    for encoding in ("float", "base64"):
        told = client.post("/v1/embeddings", {"input": TEXTS, "encoding_format": encoding}).json()["data"]
        found = [
            one["embedding"]
            if encoding == "float"
            else np.frombuffer(base64.b64decode(one["embedding"]), dtype="<f4")
            for one in told
        ]
        np.testing.assert_allclose(found, vectors, atol=1e-6)
    short = np.array(client.post("/embed", {"inputs": TEXTS, "dimensions": 3}).json())
    np.testing.assert_allclose(np.linalg.norm(short, axis=1), 1, atol=1e-6)
    pairs = client.post("/score", {"pairs": [[TEXTS[0], one] for one in TEXTS[1:]]}).json()["pairs"]
    np.testing.assert_allclose([one["score"] for one in pairs], cosines, atol=1e-6)
    ranked = client.post("/rerank", {"query": TEXTS[0], "texts": TEXTS[1:], "raw_scores": True}).json()
    np.testing.assert_allclose(
        [one["score"] for one in sorted(ranked, key=lambda one: one["index"])], cosines, atol=1e-6
    )
    hits = client.post("/search", {"query": TEXTS[0], "mode": "vectors"}).json()["hits"]
    told = {hit["text"]: hit["score"] for hit in hits}
    np.testing.assert_allclose([told[one] for one in TEXTS], [1, *cosines], atol=1e-6)
