"""Texts through a trained network: the only place that batches for inference and knows devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray

from textkin.batches.padded import TextBatch
from textkin.model_dir import Model, load_model
from textkin.models.tower import Tower
from textkin.protocols import Side
from textkin.text.pipeline import TextPipeline

_TOKENS_PER_BATCH = 16_384


@final
class NeuralEncoder:
    """A trained tower as an ``Encoder``: unit vectors, cosine scores.

    Args:
        module: the tower; it is put into evaluation mode while it encodes.
        pipeline: texts to ids.
        name: how tables call it.
        model: the model directory's content, where it comes from one.
    """

    def __init__(
        self, module: Tower, pipeline: TextPipeline, *, name: str, model: Model | None = None
    ) -> None:
        self._module = module
        self._pipeline = pipeline
        self._name = name
        self.model = model

    @property
    def name(self) -> str:
        """How tables call it."""
        return self._name

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._module.dim

    def encode(self, texts: Sequence[str], *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        """One unit vector a text, shape [texts, dim]; both sides are alike.

        Each distinct text is encoded once, so equal texts have equal vectors to the last bit, and tie.
        """
        del side
        places: dict[str, int] = {}
        rows = [places.setdefault(text, len(places)) for text in texts]
        ids = self._pipeline.ids(list(places))
        return encode_ids(self._module, ids, pad_id=self._pipeline.pad_id)[np.array(rows, dtype=np.int64)]

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The cosine of each pair, shape [pairs]."""
        a, b = np.split(self.encode([a for a, _ in pairs] + [b for _, b in pairs]), 2)
        scores: NDArray[np.float32] = np.einsum("ij,ij->i", a, b)
        return scores


def load_encoder(folder: Path | str) -> NeuralEncoder:
    """The encoder in a textkin model directory.

    Raises:
        ModelError: the directory is missing, incomplete, truncated, foreign, or written by a newer textkin.
    """
    model = load_model(folder)
    return NeuralEncoder(model.module, model.pipeline, name=model.name, model=model)


def encode_ids(module: Tower, ids: Sequence[NDArray[np.int32]], *, pad_id: int) -> NDArray[np.float32]:
    """Vectors of tokenised texts in their order, shape [texts, dim].

    Texts of about the same length share a batch, and a batch holds about so many tokens, however long they
    are.

    Args:
        module: the tower; its training mode is restored afterwards.
        ids: token ids of each text.
        pad_id: what fills up the batches.
    """
    device = next(module.parameters()).device
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    order = np.argsort(lengths, kind="stable")
    vectors = np.empty((len(ids), module.dim), dtype=np.float32)
    training = module.training
    module.eval()
    try:
        with torch.inference_mode():
            for rows in _by_tokens(order, lengths):
                batch = TextBatch.from_ids([ids[row] for row in rows], pad_id=pad_id).to(device)
                vectors[rows] = module(batch).float().cpu().numpy()
    finally:
        module.train(training)
    return vectors


def _by_tokens(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut the texts of ascending lengths into batches; one text alone may be longer than a batch is."""
    batches, start = [], 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * max(1, lengths[order[stop]]) <= _TOKENS_PER_BATCH:
            stop += 1
        batches.append(order[start:stop])
        start = stop
    return batches
