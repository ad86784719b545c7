"""Flags of options whose names in Python are others, for messages of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

_ALL = {
    "as_json": "--json",
    "code_bytes": "--bytes-per-vector",
    "column": "--text",
    "data": "DATA",
    "fit_texts": "--fit",
    "guards": "--guard",
    "k": "-k",
    "long=accept": "--accept-cut",
    "long=windows": "--windows",
    "measures": "--measure",
    "members": "MODELS",
    "runs": "--run",
    "vectors_in": "--dtype",
}
_FLAGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ensemble": {"rule": "--combine"},
        "phrases": {"keep": "--per-passage", "questions": "--question-file"},
        "serve": {"precision": "--dtype"},
        "watch": {"labels": "--labelled", "reference": "--against"},
    }
)


def flags_of(arguments: Sequence[str]) -> Mapping[str, str]:
    """The flags of the command that these arguments name."""
    command = next((one for one in arguments if not one.startswith("-")), "")
    return {**_ALL, **_FLAGS.get(command, {})}
