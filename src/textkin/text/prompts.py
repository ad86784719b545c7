"""Prompts of sentence-transformers models, from their settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError
from textkin.base.json_fields import table
from textkin.data.protocols import Side

_AGAIN = "save the model again"
_OF_DOCUMENTS = ("document", "passage", "corpus")
_OF_TEXTS = "text"


def prompts_of(settings: Mapping[str, Any], path: Path) -> dict[Side, str]:
    """The prompt of each side, as applied by sentence-transformers 5 and 6.

    Texts without a side get the default prompt, queries and documents only their own.

    Args:
        settings: content of ``config_sentence_transformers.json``.
        path: path of that file, for errors.

    Raises:
        ModelError: a prompt or a name is not a string, or the default prompt is missing.
    """
    prompts, default = table(settings, "prompts", path), settings.get("default_prompt_name") or ""
    if not all(isinstance(text, str | None) for text in (*prompts.values(), default)):
        raise ModelError("prompts and their names must be strings", path=path, fix=_AGAIN)
    if default and default not in prompts and default not in (*_OF_DOCUMENTS, Side.QUERY):
        raise ModelError(f"there is no prompt of the name {default!r}", path=path, fix=_AGAIN)
    document = next((prompts[name] for name in _OF_DOCUMENTS if prompts.get(name)), "")
    found = {
        Side.TEXT: prompts.get(default),
        Side.QUERY: prompts.get("query"),
        Side.DOCUMENT: document,
    }
    return {side: prompt for side, prompt in found.items() if prompt}


def prompt_settings(prompts: Mapping[Side, str]) -> dict[str, Any]:
    """Prompts in the form of sentence-transformers' settings."""
    named = {side.value: prompts.get(side, "") for side in (Side.QUERY, Side.DOCUMENT)}
    if not (default := prompts.get(Side.TEXT)):
        return {"prompts": named, "default_prompt_name": None}
    same = next((name for name, prompt in named.items() if prompt == default), None)
    return {
        "prompts": named if same else {**named, _OF_TEXTS: default},
        "default_prompt_name": same or _OF_TEXTS,
    }
