"""Errors of the library as the service answers them: options by their fields in JSON."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import ValidationError

from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.spelling import Spelling, spelling_as
from textkin.server.request_errors import Dialect, RequestError, body_error, body_in, body_of, refusal_of
from textkin.server.routes.collections import DocumentsBody, MatchBody, SearchBody
from textkin.server.routes.openai import EmbeddingsBody
from textkin.server.routes.rerank import RerankBody
from textkin.server.routes.tei import DecodeBody, EmbedBody, PredictBody, RootBody
from textkin.server.routes.textkin import ChooseBody, ScoreBody


@pytest.mark.parametrize("dialect", [Dialect.TEI, Dialect.OPENAI, Dialect.COHERE])
def test_an_answer_names_the_wrong_field(dialect):
    body = body_of(refusal_of(invalid("min_score", 2, expected="a cosine")), dialect)
    told = body["error"] if dialect is Dialect.OPENAI else body
    assert told["param"] == "min_score"
    said = told.get("message") or told.get("error")
    assert said == '"min_score" is 2, expected a cosine'


def test_what_concerns_no_field_names_none():
    assert "param" not in body_of(refusal_of(DataError("broken")), Dialect.TEI)
    assert "param" not in body_of(RequestError("broken"), Dialect.COHERE)


def test_an_error_of_another_thread_is_spelt_where_it_is_answered():
    def failing():
        raise UsageError("`mode` is wrong; `truncate=True` helps", params=("mode",))

    with spelling_as(Spelling("command")), ThreadPoolExecutor(1) as threads:
        error = threads.submit(failing).exception()
        body = body_of(refusal_of(error), Dialect.TEI)
    assert body["error"] == '"mode" is wrong; "truncate": true helps'


@pytest.mark.parametrize(
    ("body", "given", "said", "param"),
    [
        (EmbeddingsBody, {"input": ["a", None]}, "input[1] is null, expected a text", "input[1]"),
        (EmbeddingsBody, {"input": ["a", 3]}, "input[1] is 3, expected a text", "input[1]"),
        (EmbeddingsBody, {"input": None}, "input is null, expected a text", "input"),
        (EmbeddingsBody, {"input": {"a": 1}}, "input is an object, expected a text", "input"),
        (
            EmbeddingsBody,
            {"input": [[1, None]]},
            "input[0][1] is null, expected a whole number",
            "input[0][1]",
        ),
        (EmbeddingsBody, {}, "input is missing", "input"),
        (
            EmbeddingsBody,
            {"input": "a", "encoding_format": "x"},
            "encoding_format is \"x\", expected 'float' or 'base64'",
            "encoding_format",
        ),
        (EmbedBody, {"inputs": ["a", True]}, "inputs[1] is true, expected a text", "inputs[1]"),
        (
            RootBody,
            {"inputs": {"source_sentence": "a", "sentences": ["b", None]}},
            "inputs.sentences[1] is null, expected a text",
            "inputs.sentences[1]",
        ),
        (PredictBody, {"inputs": [["a", None]]}, "inputs[0][1] is null, expected a text", "inputs[0][1]"),
        (DecodeBody, {"ids": [1, None]}, "ids[1] is null, expected a whole number", "ids[1]"),
        (RerankBody, {"query": "a", "texts": ["b", []]}, "texts[1] is a list, expected a text", "texts[1]"),
        (
            RerankBody,
            {"query": "a", "documents": ["b", {"text": None}]},
            "documents[1].text is null, expected a text",
            "documents[1].text",
        ),
        (ScoreBody, {"pairs": [["a"]]}, "pairs[0][1] is missing", "pairs[0][1]"),
        (MatchBody, {"texts": ["a", None]}, "texts[1] is null, expected a text", "texts[1]"),
        (
            DocumentsBody,
            {"documents": [{"text": None}]},
            "documents[0].text is null, expected a text",
            "documents[0].text",
        ),
        (SearchBody, {"query": "a", "k": "x"}, 'k is "x", expected a whole number', "k"),
        (SearchBody, {"query": "a", "k": 0}, "k is 0, expected at least 1", "k"),
        (SearchBody, {"query": "a", "kk": 1}, "unknown field 'kk'; did you mean 'k'?", "kk"),
        (
            ChooseBody,
            {"questions": [{"question": "a", "choices": ["b", None]}]},
            "questions[0].choices[1] is null, expected a text",
            "questions[0].choices[1]",
        ),
    ],
)
def test_the_place_and_the_value_are_named(body, given, said, param):
    raw = json.dumps(given).encode()
    with pytest.raises(ValidationError) as caught:
        body.model_validate_json(raw)
    found = body_error(caught.value, body_in(raw), list(body.model_fields))
    assert (str(found), found.param, found.status) == (said, param, 422)


def test_what_is_no_json_is_status_400():
    with pytest.raises(ValidationError) as caught:
        EmbeddingsBody.model_validate_json(b'{"input": ')
    assert body_error(caught.value, body_in(b'{"input": '), ["input"]).status == 400
