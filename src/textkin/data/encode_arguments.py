"""Common input of encoders: one text or several, and the arguments of sentence-transformers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict, Unpack, cast

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import conflict, invalid
from textkin.base.extras import imported
from textkin.base.first_seen_numbers import enumerated
from textkin.base.progress import track
from textkin.base.python_inputs import count_of, refuse_unknown, texts_of
from textkin.base.python_values import on_cpu
from textkin.data.protocols import Side

_SHOWN_STEPS = 50
_LEAST_STEP = 1_024
_SLOW = 1_024  # texts per call of a transformer, so that progress moves

PROMPT_NAMES = {"query": Side.QUERY, **dict.fromkeys(("document", "passage", "corpus"), Side.DOCUMENT)}


class EncodeArguments(TypedDict, total=False):
    """The common arguments of ``SentenceTransformer.encode``.

    Attributes:
        batch_size: a number from 1; ignored, since batches have the fastest number of tokens.
        normalize_embeddings: True to scale vectors to unit length. Vectors of networks always have it.
        show_progress_bar: True to show progress.
        convert_to_numpy: False to return a list of tensors.
        convert_to_tensor: True to return one tensor.
        prompt: text to put before every text, instead of the model's own prompt.
        prompt_name: "query" or "document": the model's prompt to put before every text.
    """

    batch_size: int
    normalize_embeddings: bool
    show_progress_bar: bool | None
    convert_to_numpy: bool
    convert_to_tensor: bool
    prompt: str | None
    prompt_name: str | None


class EncodesTexts(ABC):
    """An encoder that implements encoding of lists; all other arguments are handled here."""

    @abstractmethod
    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """One vector per text, shape [texts, dim]."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """The dimension of the vectors."""

    def get_sentence_embedding_dimension(self) -> int:
        """The dimension of the vectors, by its name in sentence-transformers."""
        return self.dim

    def similarity(self, a: Any, b: Any) -> Floats32:
        """The cosine of each text of ``a`` with each of ``b``, shape [a, b].

        Args:
            a: texts, or their vectors, of shape [texts, dim].
            b: others, or theirs.

        Raises:
            UsageError: it is neither.
        """
        left, right = (self._directions(side) for side in (a, b))
        cosines: Floats32 = left @ right.T
        return cosines.clip(-1, 1)

    def _directions(self, given: Any) -> Floats32:
        """Unit vectors of texts or of vectors; zero where a vector is. Shape [texts, dim]."""
        values = on_cpu(given)
        if isinstance(given, str) or np.asarray(values).dtype.kind in "OUT":
            values = self.encode([given] if isinstance(given, str) else given)
        return _unit(np.atleast_2d(np.asarray(values, dtype=np.float32)))

    def _without_prompts(self) -> EncodesTexts:
        """The same encoder without prompts."""
        return self

    def prompt_of(self, side: Side) -> str:
        """The prompt before the texts of a side."""
        return ""

    def encode_query(self, texts: Sequence[str], **arguments: Unpack[EncodeArguments]) -> Floats32:
        """:meth:`encode` of queries."""
        return self.encode(texts, side=Side.QUERY, **arguments)

    def encode_document(self, texts: Sequence[str], **arguments: Unpack[EncodeArguments]) -> Floats32:
        """:meth:`encode` of documents that queries search."""
        return self.encode(texts, side=Side.DOCUMENT, **arguments)

    def encode(
        self, texts: Sequence[str], *, side: Side = Side.TEXT, **arguments: Unpack[EncodeArguments]
    ) -> Floats32:
        """Encode texts as vectors, shape [texts, dim]; a single text as one vector, shape [dim].

        Args:
            texts: a text, or a sequence of texts.
            side: the side of the texts, for models with prompts for queries or documents; texts without a
                side get the model's default prompt, if it has one.
            arguments: arguments of sentence-transformers, see :class:`EncodeArguments`.

        Raises:
            TypeError: an argument is unknown.
            UsageError: an item is not a text, or an argument has an unsupported value.
        """
        one = isinstance(texts, str)
        given = texts_of([texts] if one else texts)
        if not arguments:  # the usual call
            vectors = self._encode(given, side)
            return vectors[0] if one else vectors
        found = _encoded(self, given, side, arguments)
        return _as_asked(found[0] if one else found, arguments)


def _encoded(encoder: EncodesTexts, texts: list[str], side: Side, arguments: EncodeArguments) -> Floats32:
    """Encode with arguments. Shape [texts, dim]."""
    refuse_unknown(arguments, EncodeArguments.__annotations__)
    count_of(arguments.get("batch_size", 1), "batch_size")
    prompt, prompt_name = arguments.get("prompt"), arguments.get("prompt_name")
    for name, given in (("prompt", prompt), ("prompt_name", prompt_name)):
        if given is not None and side is not Side.TEXT:
            raise conflict("side", name)
    if prompt is not None:
        encoder, (before,) = encoder._without_prompts(), texts_of([prompt], name="prompt")
        texts = [before + text for text in texts]
    elif prompt_name is not None:
        if prompt_name not in PROMPT_NAMES:
            raise invalid(
                "prompt_name",
                prompt_name,
                expected=f"one of {', '.join(PROMPT_NAMES)}",
                fix="or give the prompt itself as `prompt`",
            )
        side = PROMPT_NAMES[prompt_name]
    if arguments.get("show_progress_bar") and texts:
        rows, distinct = enumerated(texts)  # equal texts have equal vectors, whatever batch they are in
        size = max(_LEAST_STEP, -(-len(distinct) // _SHOWN_STEPS))
        parts = [distinct[start : start + size] for start in range(0, len(distinct), size)]
        vectors = np.concatenate([encoder._encode(part, side) for part in _shown(parts)])[rows]
    else:
        vectors = encoder._encode(texts, side)
    if arguments.get("normalize_embeddings"):
        return _unit(vectors)
    return vectors


def _unit(vectors: Floats32) -> Floats32:
    """Rows scaled to unit length; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _shown(parts: list[list[str]]) -> Iterator[list[str]]:
    yield from track(parts, title="encoding", total=len(parts), requested=True)


def _as_asked(found: Floats32, arguments: EncodeArguments) -> Floats32:
    """The vectors in the requested form.

    The return type ignores that they may be tensors.
    """
    as_tensor = arguments.get("convert_to_tensor", False)
    if not as_tensor and arguments.get("convert_to_numpy", True):
        return found
    tensor: Any = imported("torch", extra="train").from_numpy(found)
    asked: Any = tensor if as_tensor or found.ndim == 1 else list(tensor)
    return cast("Floats32", asked)


def at_once(encoder: object, most: int) -> int:
    """The number of texts per call of an encoder: fewer than ``most`` for a network."""
    return most if getattr(encoder, "is_table", True) else min(most, _SLOW)
