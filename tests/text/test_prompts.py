"""Prompts in sentence-transformers' format."""

from pathlib import Path

import pytest

from textkin.base.errors import ModelError
from textkin.data.protocols import Side
from textkin.text.prompts import prompt_settings, prompts_of

PATH = Path("config_sentence_transformers.json")


@pytest.mark.parametrize(
    ("prompts", "default", "expected"),
    [
        ({"query": "q", "document": "d"}, None, {Side.QUERY: "q", Side.DOCUMENT: "d"}),
        ({"query": "q", "document": "d"}, "query", {Side.TEXT: "q", Side.QUERY: "q", Side.DOCUMENT: "d"}),
        ({"query": "q", "passage": "p"}, "", {Side.QUERY: "q", Side.DOCUMENT: "p"}),
        ({"sts": "s"}, "sts", {Side.TEXT: "s"}),
        ({"query": "", "document": None}, "query", {}),
        ({}, None, {}),
    ],
)
def test_a_prompt_of_each_side(prompts, default, expected):
    settings = {"prompts": prompts, "default_prompt_name": default}
    assert prompts_of(settings, PATH) == expected
    assert prompts_of(prompt_settings(expected), PATH) == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"prompts": {"query": 5}},
        {"prompts": ["q"]},
        {"default_prompt_name": 5},
        {"prompts": {"query": "q"}, "default_prompt_name": "sts"},
    ],
)
def test_others_are_refused(settings):
    with pytest.raises(ModelError):
        prompts_of(settings, PATH)
