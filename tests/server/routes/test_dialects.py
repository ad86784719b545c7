"""The APIs of OpenAI, text-embeddings-inference, Cohere and Jina: requests and responses."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import Client, another_folder, client_of
from textkin.base.errors import ModelError
from textkin.server.open_service import Served, open_service
from textkin.server.served_model import ServedModel
from textkin.server.service import Service

LONG = "word " * 400


@pytest.fixture(scope="module")
def minilm() -> Iterator[Client]:
    """A transformer with a token limit, after a table."""
    service = open_service(Served(models=("default", "minilm"), precision="fp32"))
    yield client_of(service)
    service.close()


def vectors_of(client: Client, texts: list[str]) -> Any:
    return client.service.models["default"].encoder.encode(texts)


def test_openai_gives_floats_or_base64_of_the_encoders_vectors(client: Client) -> None:
    texts = ["Where can I park?", "When do you open?"]
    plain = client.post("/v1/embeddings", {"input": texts, "model": "default"}).json()
    packed = client.post("/v1/embeddings", {"input": texts, "encoding_format": "base64"}).json()
    expected = vectors_of(client, texts)
    assert np.array_equal(np.float32([one["embedding"] for one in plain["data"]]), expected)
    decoded = [np.frombuffer(base64.b64decode(one["embedding"]), "<f4") for one in packed["data"]]
    assert np.array_equal(decoded, expected)
    assert [one["index"] for one in plain["data"]] == [0, 1] and plain["object"] == "list"
    assert (
        plain["model"] == "default"
        and plain["usage"]["prompt_tokens"] == plain["usage"]["total_tokens"] == 10
    )
    one = client.post("/v1/embeddings", {"input": texts[0], "dimensions": 16}).json()["data"][0]["embedding"]
    assert np.allclose(one, expected[0, :16] / np.linalg.norm(expected[0, :16]), atol=1e-6)
    listed = client.ask("GET", "/v1/models").json()
    assert listed["data"][0]["id"] == "default" and listed["data"][0]["object"] == "model"


def test_openai_describes_a_model_by_its_name(client: Client) -> None:
    listed = client.ask("GET", "/v1/models").json()["data"][0]
    assert client.ask("GET", "/v1/models/default").json() == listed
    for name in ("defualt", "some/other%20model"):
        found = client.ask("GET", f"/v1/models/{name}")
        error = found.json()["error"]
        assert found.status_code == 404 and error["param"] == "model"
        assert error["code"] == "model_not_found" and error["type"] == "invalid_request_error"
    assert "some/other model" in error["message"]
    wrong = client.ask("DELETE", "/v1/models/default")
    assert wrong.headers["allow"] == "GET" and "takes GET" in wrong.json()["error"]["message"]
    assert client.ask("GET", "/v1/models/").json()["error_type"] == "NotFound"
    told = client.ask("GET", "/openapi.json").json()["paths"]["/v1/models/{model}"]["get"]
    assert told["parameters"][0]["in"] == "path" and told["operationId"] == "get_v1_models_model"


@pytest.mark.parametrize("given", [[1, 2], [[1, 2], [3]]])
def test_token_ids_of_another_tokenizer_are_refused_with_the_switch_to_set(
    client: Client, given: Any
) -> None:
    found = client.post("/v1/embeddings", {"input": given})
    assert found.status_code == 422 and "check_embedding_ctx_length=False" in found.json()["error"]["message"]


@pytest.mark.parametrize("given", ["", [], ["a", ""]])
def test_openai_refuses_what_is_empty(client: Client, given: Any) -> None:
    found = client.post("/v1/embeddings", {"input": given})
    assert found.status_code == 400 and found.json()["error"]["type"] == "invalid_request_error"


def test_a_blank_text_has_a_vector_as_in_python_and_costs_nobody_else_theirs(client: Client) -> None:
    (one, blank) = client.post("/embed", {"inputs": ["one", " "]}).json()
    assert np.array_equal(np.float32([one]), vectors_of(client, ["one"])) and not np.any(blank)


def test_embed_gives_bare_vectors(client: Client) -> None:
    assert np.array_equal(
        np.float32(client.post("/embed", {"inputs": "one"}).json()), vectors_of(client, ["one"])
    )
    many = client.post("/embed", {"inputs": ["one", "two"], "dimensions": 8, "prompt_name": "query"}).json()
    assert np.shape(many) == (2, 8)
    for wrong in (
        {"normalize": False},
        {"prompt_name": "nothing"},
        {"dimensions": 129},
        {"dimensions": 0},
        {"truncation_direction": "left"},
    ):
        assert client.post("/embed", {"inputs": "one", **wrong}).status_code == 422, wrong


@pytest.mark.torch
def test_long_texts_are_refused_or_cut_and_counted(minilm: Client) -> None:
    refused = minilm.post("/embed", {"inputs": ["a", LONG], "model": "minilm"})
    assert refused.status_code == 413 and "longer than the 254 tokens" in refused.text
    cut = minilm.post("/embed", {"inputs": ["a", LONG], "model": "minilm", "truncate": True})
    assert cut.status_code == 200 and cut.headers["x-textkin-truncated"] == "1"
    assert minilm.post("/v1/embeddings", {"input": LONG, "model": "minilm"}).status_code == 413
    assert 'textkin_truncated_texts_total{model="minilm"} 1.0' in minilm.ask("GET", "/metrics").text
    forgiving = open_service(Served(models=("minilm",)), auto_truncate=True)
    asking = client_of(forgiving)
    assert asking.post("/v1/embeddings", {"input": LONG}).headers["x-textkin-truncated"] == "1"
    assert asking.post("/embed", {"inputs": LONG, "truncate": False}).status_code == 413
    forgiving.close()


@pytest.mark.torch
def test_the_tokens_of_texts_have_vectors_whose_mean_is_the_texts(minilm: Client) -> None:
    (rows,) = minilm.post("/embed_all", {"inputs": "Where can I park?", "model": "minilm"}).json()
    (whole,) = minilm.post("/embed", {"inputs": "Where can I park?", "model": "minilm"}).json()
    (tokens,) = minilm.post("/tokenize", {"inputs": "Where can I park?", "model": "minilm"}).json()
    assert len(rows) == len(tokens) == 7 and tokens[0]["special"] and tokens[0]["start"] is None
    mean = np.mean(rows, axis=0)
    assert np.allclose(mean / np.linalg.norm(mean), whole, atol=1e-5)
    assert "Where can I park?"[tokens[1]["start"] : tokens[1]["stop"]] == "Where"
    ids = [one["id"] for one in tokens]
    decoded = minilm.post("/decode", {"ids": ids, "model": "minilm"}).json()
    assert decoded == ["where can i park?"]
    assert minilm.post("/decode", {"ids": [10**9], "model": "minilm"}).status_code == 422
    assert minilm.post("/decode", {"ids": [-1], "model": "minilm"}).status_code == 422


def test_similarity_and_the_root_of_the_server(client: Client) -> None:
    inputs = {"source_sentence": "car park", "sentences": ["Where can I park?", "When do you open?"]}
    expected = vectors_of(client, inputs["sentences"]) @ vectors_of(client, ["car park"])[0]
    for path in ("/similarity", "/"):
        assert np.allclose(
            client.post(path, {"inputs": inputs, "parameters": {}}).json(), expected, atol=1e-6
        )
    assert np.shape(client.post("/", {"inputs": "one", "parameters": {"dimensions": 4}}).json()) == (1, 4)


@pytest.mark.torch
def test_info_says_what_clients_look_for(minilm: Client) -> None:
    found = minilm.ask("GET", "/info").json()
    assert found["model_id"] == "default" and found["model_type"] == {"embedding": {"pooling": "mean"}}
    assert found["max_input_length"] is None and found["max_client_batch_size"] == 2_048
    alone = open_service(Served(models=("minilm",)))
    assert client_of(alone).ask("GET", "/info").json()["max_input_length"] == 256
    alone.close()


def test_rerank_speaks_both_dialects_by_their_key(client: Client) -> None:
    texts = ["When do you open?", "Where can I park?", "Parking is free."]
    cosines = vectors_of(client, texts) @ vectors_of(client, ["Where to park?"])[0]
    order = np.argsort(-cosines).tolist()
    tei = client.post("/rerank", {"query": "Where to park?", "texts": texts, "raw_scores": True}).json()
    assert [one["index"] for one in tei] == order
    assert np.allclose([one["score"] for one in tei], cosines[order], atol=1e-6) and "text" not in tei[0]
    told = client.post("/rerank", {"query": "Where to park?", "texts": texts, "return_text": True}).json()
    assert told[0]["text"] == texts[order[0]] and all(0 <= one["score"] <= 1 for one in told)
    for path in ("/rerank", "/v1/rerank", "/v2/rerank"):
        body = {"query": "Where to park?", "documents": [{"text": one} for one in texts], "top_n": 2}
        cohere = client.post(path, {**body, "return_documents": True}).json()
        assert [one["index"] for one in cohere["results"]] == order[:2] and cohere["id"]
        assert cohere["results"][0]["document"] == {"text": texts[order[0]]}
    both = {"texts": ["a"], "documents": ["b"]}
    for wrong in ({}, both, {"texts": []}, {"texts": [" "]}, {"documents": ["a"], "top_n": 0}):
        assert client.post("/rerank", {"query": "a", **wrong}).status_code == 422, wrong
    assert client.post("/rerank", {"query": " ", "texts": ["a"]}).status_code == 422


@pytest.mark.parametrize("raw", [False, True])
def test_blank_documents_are_ranked_last(client: Client, raw: bool) -> None:
    texts = ["", "Where can I park?", "When do you open?", " "]
    body = {"query": "Where to park?", "raw_scores": raw}
    found = client.post("/rerank", {**body, "texts": texts}).json()
    filled = client.post("/rerank", {**body, "texts": texts[1:3]}).json()
    assert [one["index"] for one in found] == [1, 2, 0, 3]
    assert [one["score"] for one in found[:2]] == [one["score"] for one in filled]
    assert {one["score"] for one in found[2:]} == {filled[-1]["score"] if raw else 0}


class Classes:
    """Predicts entailment if the texts begin alike."""

    name, labels = "classes", ("contradiction", "entailment", "neutral")

    def classify(self, pairs: Any) -> Any:
        return np.float32([[0.1, 0.7, 0.2] if a[0] == b[0] else [0.6, 0.1, 0.3] for a, b in pairs])


def test_predict_sorts_pairs_into_classes(
    monkeypatch: pytest.MonkeyPatch, service: Service, tmp_path: Path
) -> None:
    monkeypatch.setattr("textkin.server.served_model.open_model", lambda place: Classes())
    model = ServedModel("nli", another_folder(tmp_path / "classes"))
    asking = client_of(Service([model]))
    (best, *_) = asking.post("/predict", {"inputs": ["a b", "a c"]}).json()
    assert best["label"] == "entailment" and best["score"] == pytest.approx(0.7)
    both = asking.post("/predict", {"inputs": [["a b", "a c"], ["a", "b"]], "raw_scores": True}).json()
    assert [one[0]["label"] for one in both] == ["entailment", "contradiction"]
    assert both[0][0]["score"] == pytest.approx(np.log(0.7))
    assert asking.post("/predict", {"inputs": "single"}).status_code == 422
    assert asking.post("/predict", {"inputs": [["single"]]}).status_code == 422
    assert asking.post("/embed", {"inputs": "a"}).status_code == 424, "it gives no vectors"
    scored = asking.post("/score", {"pairs": [["a b", "a c"], ["a", "b"]], "model": "nli"}).json()
    python = tk.score([("a b", "a c"), ("a", "b")], Classes()).as_dict()
    for one, other in zip(scored["pairs"], python["pairs"], strict=True):
        assert (one["class"], one["score"]) == (other["class"], pytest.approx(other["score"]))
    assert asking.post("/score", {"pairs": [["a", "b"]]}).status_code == 424, (
        "it gives no scores unless named"
    )
    info = asking.ask("GET", "/info").json()["model_type"]["classifier"]
    assert info["id2label"]["1"] == "entailment" and info["label2id"]["neutral"] == 2
    asking.service.close()


def test_a_model_that_is_not_there(service: Service) -> None:
    with pytest.raises(ModelError):
        ServedModel("none", "no/such/folder")
