"""The model of a collection: known again by its hash, opened when vectors are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.collection_records import Span, WindowsOf
from textkin.errors import ModelError, TextkinError, UsageError
from textkin.hub import DEFAULT, located
from textkin.inputs import path_of
from textkin.paths import real
from textkin.protocols import Encoder, ReadsTokens, Side
from textkin.provenance import hash_of_scorer
from textkin.systems import encoder_of
from textkin.text.truncation import Truncation, counted, lengths_of, truncation_of
from textkin.text.windows import windows_of

_ANOTHER = "name the model that the collection was made with, or add the texts to a new collection"

MODEL = "model"
"""The fact under which a collection notes its model; ``passport`` is kept for what else is known of it."""

AnyEncoder = str | Path | Encoder

_LEAST = 8  # tokens of a window


@final
class CollectionModel:
    """What makes the vectors of a collection.

    Args:
        given: what the user named; None for what the collection knows.
        known: what the collection knows of its model: ``name`` and ``sha256``; None if it is new.
        window: the tokens of a window, where the collection has windows; else 0.

    Attributes:
        window: see above.
        truncation: how many of the texts that were encoded are longer than the model reads.

    Raises:
        ModelError: the model that is given is not the one that is known.
    """

    def __init__(self, given: AnyEncoder | None, known: dict[str, Any] | None, *, window: int = 0) -> None:
        self.window = window
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
        """The vectors of entries, or of their windows. Shape [texts, dim]."""
        encoder = self.opened()
        if not self.window:
            self._count(truncation_of(encoder, texts))
        return encoder.encode(texts)

    def windows_of(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """Where the windows of entries stand; a text of no more tokens than a window has is one.

        Raises:
            ModelError: the model isn't there, or has changed.
            UsageError: it doesn't count tokens.
        """
        encoder, most = self.opened(), self.window
        if not isinstance(encoder, ReadsTokens):
            raise _uncounted(encoder)
        if encoder.max_tokens is None:
            told = Truncation(encoder.name, len(texts))
            asked = [place for place, text in enumerate(texts) if len(text) > most]
            lengths = lengths_of(encoder, [texts[place] for place in asked])
        else:
            asked = list(range(len(texts)))
            lengths = lengths_of(encoder, texts)
            told = counted(encoder, lengths)
        found: list[tuple[Span, ...]] = [((0, len(text)),) for text in texts]
        for place, length in zip(asked, lengths.tolist(), strict=True):
            if length > most:
                spans = windows_of(texts[place], most, partial(lengths_of, encoder))
                found[place] = tuple((span.start, span.end) for span in spans)
        self._count(replace(told, windows=sum(len(spans) - 1 for spans in found)))
        return found

    @property
    def parts(self) -> WindowsOf | None:
        """What parts texts into windows; None where the collection has none."""
        return self.windows_of if self.window else None

    def chosen_window(self, asked: int | None) -> int:
        """The tokens of a window of a new collection, 0 for none.

        Args:
            asked: what the user has chosen; None for the model's limit, or none if it reads whole texts.

        Raises:
            UsageError: the model reads no windows of that size.
        """
        if asked == 0:
            return 0
        encoder = self.opened()
        counts = isinstance(encoder, ReadsTokens) and not encoder.reads_pairs
        limit = encoder.max_tokens if isinstance(encoder, ReadsTokens) and counts else None
        if asked is None:
            return limit if limit is not None and limit >= _LEAST else 0
        if not counts:
            raise _uncounted(encoder)
        if asked < _LEAST or (limit is not None and asked > limit):
            most = "" if limit is None else f" to {limit}, which {encoder.name} reads"
            raise UsageError(f"windows of {asked} tokens", fix=f"give {_LEAST} or more{most}, or 0 for none")
        return asked

    def _count(self, told: Truncation | None) -> None:
        if told is not None:
            self.truncation = told if self.truncation is None else self.truncation + told

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


def _uncounted(encoder: Encoder) -> UsageError:
    return UsageError(
        f"{encoder.name} doesn't count the tokens of texts, which windows need",
        fix="leave windows out, or give another model",
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
