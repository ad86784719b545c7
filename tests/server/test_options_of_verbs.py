"""Options of ``search`` and ``match``: the same in Python, commands, request bodies and MCP tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import textkin as tk
from tests.collection.making import judged
from tests.server.asking import Client, client_of
from textkin.base.options import options_of
from textkin.cli.app import commands
from textkin.server.mcp_tools import MATCH_FIELDS, SEARCH_FIELDS
from textkin.server.middleware import Access
from textkin.server.open_service import Served, open_service
from textkin.server.routes import all_routes
from textkin.server.routes.collections import MATCH_OPTIONS, SEARCH_OPTIONS, MatchBody, SearchBody

OF_FILES = {"text", "id", "metadata", "quoting", "encoding", "out", "decision"}
OF_CODES = {"bands", "embeddings", "sample"}
OF_THE_SERVER = {"model", "accept_drift", "download", "on", "address", "wait"}
ELSEWHERE = {"explain", "add"}
"""Options with a route of their own."""


@pytest.mark.parametrize(
    ("verb", "names", "body", "tool"),
    [
        (tk.search, SEARCH_OPTIONS, SearchBody, SEARCH_FIELDS),
        (tk.match, MATCH_OPTIONS, MatchBody, MATCH_FIELDS),
    ],
)
def test_every_interface_has_the_options_of_the_verb(
    verb: Callable[..., Any], names: tuple[str, ...], body: Any, tool: dict[str, Any]
) -> None:
    options = {one.name: one for one in options_of(verb) if not one.positional}
    assert set(options) - OF_FILES - OF_CODES - OF_THE_SERVER - ELSEWHERE == set(names)
    assert set(inspect.signature(verb).parameters) == {one.name for one in options_of(verb)}
    [command] = commands([verb.__name__])
    for name in names:
        [flag] = [one for one in command.options if one.name == name]
        assert flag == options[name]
        assert body.model_fields[name].default == tool[name][1].default == options[name].default
        assert body.model_fields[name].description == options[name].option.help


@pytest.mark.parametrize(
    ("path", "verb"),
    [
        ("/search", tk.search),
        ("/match", tk.match),
        ("/match/add", tk.match),
        ("/documents", tk.add),
        ("/score", tk.score),
        ("/predict", tk.score),
        ("/rerank", tk.score),
        ("/explain", tk.explain),
        ("/answer", tk.answer),
        ("/choose", tk.answer),
        ("/phrases/search", tk.phrases.search),
        ("/embed", tk.encode),
        ("/v1/embeddings", tk.encode),
        ("/similarity", tk.score),
    ],
)
def test_routes_have_the_defaults_of_the_verb(path: str, verb: Callable[..., Any]) -> None:
    [body] = {one.body for one in all_routes() if one.path == path and one.method == "POST"}
    own = {"model"}  # of the server, the first one that can
    options = {one.name: one for one in options_of(verb) if one.name not in own}
    for name, field in body.model_fields.items():
        if name in options and not field.is_required():
            declared = options[name]
            unsaid = None, inspect.Parameter.empty, (), ""
            assert field.default == declared.default or {field.default, declared.default} <= set(unsaid), name
    assert {"k", "most_passages"} <= set(body.model_fields) or path != "/answer"


@pytest.mark.parametrize("field", ["k", "min_probability", "rerank_depth"])
def test_bounds_are_those_of_the_option(client: Client, field: str) -> None:
    answer = client.post("/search", {"query": "park", field: -5})
    assert (answer.status_code, answer.json()["param"]) == (422, field)


@pytest.mark.parametrize(
    ("path", "body", "near"),
    [
        ("/search", {"query": "park", "min_probabilty": 0.5}, "min_probability"),
        ("/match", {"texts": ["park"], "thresold": 0.5}, "threshold"),
    ],
)
def test_an_unknown_field_is_an_error_with_a_suggestion(
    client: Client, path: str, body: dict[str, Any], near: str
) -> None:
    answer = client.post(path, body)
    wrong = list(body)[-1]
    assert (answer.status_code, answer.json()["param"]) == (422, wrong)
    assert f"did you mean '{near}'?" in answer.json()["error"]


def test_a_search_is_reranked_by_a_served_model(client: Client) -> None:
    plain = client.post("/search", {"query": "car park", "mode": "words", "k": 2}).json()
    again = client.post("/search", {"query": "car park", "mode": "words", "k": 2, "rerank": "default"})
    assert again.status_code == 200, again.text
    assert "reranked by default" in again.json()["ranked_by"]
    assert again.json()["hits"][0]["score"] != plain["hits"][0]["score"]
    refused = client.post("/search", {"query": "car park", "rerank": "/etc"})
    assert (refused.status_code, refused.json()["param"]) == (404, "rerank")


@pytest.mark.slow
def test_a_search_is_reranked_by_the_weights_that_were_fitted(tmp_path: Path) -> None:
    entries, queries, qrels = judged()
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(entries)
        made.calibrate(qrels, queries=queries, rerank="default", rerank_depth=20)
        wanted = made.search("ice snow bread", k=3, rerank="default", rerank_depth=20)
    service = open_service(Served(models=("default",), collections=(str(tmp_path / "c"),)))
    asked = {"query": "ice snow bread", "k": 3, "rerank": "default", "rerank_depth": 20}
    found = client_of(service, access=Access()).post("/search", asked).json()
    service.close()
    assert found["ranked_by"] == wanted.ranked_by and "by fitted weights" in wanted.ranked_by
    for ours, theirs in zip(found["hits"], wanted.hits[0], strict=True):
        assert (ours["id"], ours["score"]) == (theirs.entry_id, pytest.approx(theirs.score))
        assert (ours["probability"], ours["reranker"]) == pytest.approx((theirs.probability, theirs.reranker))
