"""Messages about invalid bodies."""

import json

import pytest
from pydantic import ValidationError

from textkin.server.body_errors import body_in, invalid
from textkin.server.routes.collections import DocumentsBody, MatchBody, SearchBody
from textkin.server.routes.openai import EmbeddingsBody
from textkin.server.routes.rerank import RerankBody
from textkin.server.routes.tei import DecodeBody, EmbedBody, PredictBody, RootBody
from textkin.server.routes.textkin import ChooseBody, ScoreBody


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
    found = invalid(caught.value, body_in(raw), list(body.model_fields))
    assert (str(found), found.param, found.status) == (said, param, 422)


def test_what_is_no_json_is_status_400():
    with pytest.raises(ValidationError) as caught:
        EmbeddingsBody.model_validate_json(b'{"input": ')
    assert invalid(caught.value, body_in(b'{"input": '), ["input"]).status == 400
