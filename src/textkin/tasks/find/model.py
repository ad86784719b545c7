"""The model of a collection: known again by its hash, opened when vectors are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import ModelError, TextkinError
from textkin.hub import DEFAULT, located
from textkin.inputs import path_of
from textkin.paths import real
from textkin.protocols import Encoder, Side
from textkin.provenance import hash_of_scorer
from textkin.systems import encoder_of
from textkin.text.truncation import Truncation, truncation_of

_ANOTHER = "name the model that the collection was made with, or add the texts to a new collection"

MODEL = "model"
"""The fact under which a collection notes its model; ``passport`` is kept for what else is known of it."""

AnyEncoder = str | Path | Encoder


@final
class CollectionModel:
    """What makes the vectors of a collection.

    Args:
        given: what the user named; None for what the collection knows.
        known: what the collection knows of its model: ``name`` and ``sha256``; None if it is new.

    Attributes:
        truncation: how many of the texts that were encoded are longer than the model reads.

    Raises:
        ModelError: the model that is given is not the one that is known.
    """

    def __init__(self, given: AnyEncoder | None, known: dict[str, Any] | None) -> None:
        self.truncation: Truncation | None = None
        self._encoder: Encoder | None = None
        self._given = given
        self._known = known
        if known is not None and given is not None:
            self._require(facts_of(given), known)

    @property
    def name(self) -> str:
        """How it is called."""
        known = self._known or facts_of(DEFAULT if self._given is None else self._given)
        return str(known["name"])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of entries. Shape [texts, dim]."""
        encoder = self.opened()
        told = truncation_of(encoder, texts)
        if told is not None:
            self.truncation = told if self.truncation is None else self.truncation + told
        return encoder.encode(texts)

    def encode_queries(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of queries. Shape [queries, dim]."""
        return self.opened().encode(queries, side=Side.QUERY)

    def opened(self) -> Encoder:
        """The encoder.

        Raises:
            ModelError: it isn't there, or has changed.
        """
        if self._encoder is None:
            word = self._given
            if word is None:
                word = DEFAULT if self._known is None else self._place(self._known)
                if self._known is not None:
                    self._require(_facts_or_none(word) or {}, self._known)
            self._encoder = encoder_of(word)
        return self._encoder

    def _place(self, known: dict[str, Any]) -> str:
        if known["sha256"] is None:
            raise ModelError(
                f"the collection was made with an object called {known['name']}", fix="give it as the model"
            )
        return str(known["name"])

    def _require(self, found: dict[str, Any], known: dict[str, Any]) -> None:
        same = found.get("sha256") == known["sha256"]
        if not same or (known["sha256"] is None and found.get("name") != known["name"]):
            raise ModelError(
                f"{found.get('name', known['name'])} is not the model that the collection's vectors are of: "
                f"SHA-256 {str(found.get('sha256'))[:12]}, expected {str(known['sha256'])[:12]} "
                f"({known['name']})",
                fix=_ANOTHER,
            )


def facts_of(model: AnyEncoder) -> dict[str, Any]:
    """What a collection notes of its model: name or place, and the hash of what its vectors depend on.

    An object has no hash, and is known by its name alone.

    Raises:
        ModelError: there is no such model.
    """
    path = path_of(model)
    if path is None:
        return {"name": getattr(model, "name", type(model).__name__), "sha256": None}
    located(model)  # type: ignore[arg-type]
    name = str(real(path)) if path.is_dir() and str(model) != DEFAULT else str(model)
    return {"name": name, "sha256": hash_of_scorer(model)}  # type: ignore[arg-type]


def _facts_or_none(model: str) -> dict[str, Any] | None:
    """The facts of a model that was found once; None if it is gone."""
    try:
        return facts_of(model)
    except TextkinError:
        return None
