"""A static encoder with 8-bit rows, as the tables that JavaScript reads."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.collection.one_file.tokenizer_tables import tokenizer_tables
from textkin.collection.one_file.word_tables import unknown_tables
from textkin.data.protocols import Encoder, Side
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.static_embeddings import StaticTable
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_vectors import NgramRows

_LARGEST = 127  # of 8 bits with a sign

Tensors = dict[str, np.ndarray[Any, Any]]


class SmallEncoder(NamedTuple):
    """An encoder with 8-bit rows.

    Attributes:
        encoder: the encoder with these rows, whose vectors JavaScript computes.
        tensors: the rows, and their scales if they have any.
        facts: its other tables.
    """

    encoder: StaticEncoder
    tensors: Tensors
    facts: dict[str, Any]


def small_encoder(encoder: Encoder) -> SmallEncoder:
    """The tables of a static encoder.

    Raises:
        ModelError: it isn't static, or its tokenizer has no counterpart in JavaScript.
    """
    encoder = _static(encoder)
    rows, scales = _in_8_bits(encoder.table)
    ngrams = encoder.table.ngrams
    tensors: Tensors = {"rows": rows} | ({} if scales is None else {"scales": scales})
    facts: dict[str, Any] = {
        "dim": encoder.dim,
        "query": encoder.prompt_of(Side.QUERY),
        "text": encoder.prompt_of(Side.DOCUMENT),
        "tokenizer": tokenizer_tables(encoder.pipeline),
        "unknown": unknown_tables(),
    }
    if ngrams is not None:
        tensors["ngrams"], scale = _scaled(ngrams.matrix)
        facts["ngrams"] = {"scale": scale, "lengths": list(ngrams.lengths), "buckets": len(ngrams.matrix)}
        ngrams = NgramRows(tensors["ngrams"].astype(np.float32) * np.float32(scale), ngrams.lengths)
    small = StaticEncoder(
        replace(
            encoder.table,
            matrix=rows.astype(np.float32),
            weights=scales,
            mapping=None,
            ngrams=ngrams,
        ),
        name=encoder.name,
    )
    facts["length"] = small.table.unknown_vectors.length
    return SmallEncoder(small, tensors, facts)


def _static(encoder: Encoder) -> StaticEncoder:
    """The encoder as a table of tokens' vectors; also one that was trained as such.

    Raises:
        ModelError: it is none.
    """
    if isinstance(encoder, StaticEncoder):
        return encoder
    model = getattr(encoder, "loaded", None)
    pipeline = getattr(model, "pipeline", None)
    if model is not None and isinstance(pipeline, TokenizerPipeline) and pipeline.spelling is None:
        from textkin.models.interop.word_models import as_static, static_table

        tower = as_static(model.module, tokens=pipeline.token_count)
        if tower is not None:
            return StaticEncoder(static_table(tower, pipeline), name=encoder.name)
    raise ModelError(
        f"{encoder.name} is not a static encoder, and a file that searches can't run a network",
        fix="make a static encoder of it with `distil()`, and export a collection of the texts with that",
    )


def _in_8_bits(table: StaticTable) -> tuple[np.ndarray[Any, Any], Floats32 | None]:
    """The rows of all tokens, and the scale of each if they aren't whole numbers with equal weights."""
    whole = (table.matrix == np.rint(table.matrix)).all() and np.abs(table.matrix).max() <= _LARGEST
    if whole:
        rows = table.matrix if table.mapping is None else table.matrix[table.mapping]
        return rows.astype(np.int8), table.weights
    vectors = table.token_vectors
    scales = (np.abs(vectors).max(axis=1) / _LARGEST).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def _scaled(matrix: Floats32) -> tuple[np.ndarray[Any, Any], float]:
    """A matrix in 8 bits with one scale; exact for one that was read from 8 bits."""
    steps = np.abs(matrix[matrix != 0])
    scale = float(np.float32(np.abs(matrix).max(initial=0) / _LARGEST)) or 1.0
    if steps.size:
        smallest = float(steps.min())
        if np.allclose(matrix / smallest, np.rint(matrix / smallest)) and steps.max() <= smallest * _LARGEST:
            scale = smallest
    return np.rint(matrix / np.float32(scale)).astype(np.int8), scale
