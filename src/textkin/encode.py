"""Texts through a trained network: the only place that batches for inference and knows devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.model_dir import Model, load_model
from textkin.models.matcher import Matcher
from textkin.models.table import Network
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
        """One unit vector a text, shape [texts, dim]; sides differ where the model has prompts for them.

        Each distinct text is encoded once, so equal texts have equal vectors to the last bit, and tie.
        """
        places: dict[str, int] = {}
        rows = [places.setdefault(text, len(places)) for text in texts]
        ids = self._pipeline.ids(list(places), side=side)
        return encode_ids(self._module, ids, pad_id=self._pipeline.pad_id)[np.array(rows, dtype=np.int64)]

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The cosine of each pair, both texts taken as documents. Shape [pairs]."""
        a, b = np.split(self.encode([a for a, _ in pairs] + [b for _, b in pairs]), 2)
        scores: NDArray[np.float32] = np.einsum("ij,ij->i", a, b)
        return scores


@final
class NeuralScorer:
    """A trained matcher with one output as a ``Scorer``.

    Args:
        module: the matcher; it is put into evaluation mode while it scores.
        pipeline: texts to ids.
        name: how tables call it.
        model: the model directory's content, where it comes from one.
    """

    def __init__(
        self, module: Matcher, pipeline: TextPipeline, *, name: str, model: Model | None = None
    ) -> None:
        self._module, self._pipeline, self._name = module, pipeline, name
        self.model = model

    @property
    def name(self) -> str:
        """How tables call it."""
        return self._name

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The score of each pair, any real number. Shape [pairs]."""
        return match_texts(self._module, self._pipeline, pairs)[:, 0]


@final
class NeuralClassifier:
    """A trained matcher with an output for each class as a ``Classifier``; of two classes also a ``Scorer``.

    Args:
        module: the matcher; it is put into evaluation mode while it classifies.
        pipeline: texts to ids.
        name: how tables call it.
        labels: the classes in the order of the outputs.
        model: the model directory's content, where it comes from one.
    """

    def __init__(
        self,
        module: Matcher,
        pipeline: TextPipeline,
        *,
        name: str,
        labels: Sequence[str],
        model: Model | None = None,
    ) -> None:
        self._module, self._pipeline, self._name = module, pipeline, name
        self._labels = tuple(labels)
        self.model = model

    @property
    def name(self) -> str:
        """How tables call it."""
        return self._name

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self._labels

    def classify(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The probability of each class. Shape [pairs, labels]."""
        return softmax(match_texts(self._module, self._pipeline, pairs))

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The log-odds of the second of two classes. Shape [pairs].

        Raises:
            UsageError: there are more than two classes, so that nothing says what is similar.
        """
        if len(self._labels) != 2:
            raise UsageError(
                f"{self._name} tells {len(self._labels)} classes apart ({', '.join(self._labels)}) and "
                "gives no similarity",
                fix="measure it on pairs labelled with these classes",
            )
        outputs = match_texts(self._module, self._pipeline, pairs)
        return outputs[:, 1] - outputs[:, 0]


def load_scorer(folder: Path | str) -> NeuralEncoder | NeuralScorer | NeuralClassifier:
    """What the model in a folder is: an encoder, a scorer of pairs, or a classifier.

    Args:
        folder: a textkin model directory, or a sentence encoder's folder of another library.

    Raises:
        ModelError: the directory is missing, incomplete, truncated, foreign, or written by a newer textkin.
    """
    model = load_model(folder)
    if isinstance(model.module, Tower):
        return NeuralEncoder(model.module, model.pipeline, name=model.name, model=model)
    if model.classes:
        return NeuralClassifier(
            model.module, model.pipeline, name=model.name, labels=model.classes, model=model
        )
    return NeuralScorer(model.module, model.pipeline, name=model.name, model=model)


def softmax(outputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Class logits to probabilities. Shape [pairs, classes]."""
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True, initial=-np.inf))
    probabilities: NDArray[np.float32] = powers / powers.sum(axis=1, keepdims=True)
    return probabilities


def match_texts(
    module: Matcher, pipeline: TextPipeline, pairs: Sequence[tuple[str, str]]
) -> NDArray[np.float32]:
    """What a matcher says of pairs of texts, shape [pairs, outputs].

    Each distinct pair is scored once, so equal pairs tie.
    """
    places: dict[tuple[str, str], int] = {}
    rows = [places.setdefault((a, b), len(places)) for a, b in pairs]
    texts = list(dict.fromkeys(text for pair in places for text in pair))
    ids = dict(zip(texts, pipeline.ids(texts), strict=True))
    sides = ([ids[a] for a, _ in places], [ids[b] for _, b in places])
    return match_ids(module, *sides, pad_id=pipeline.pad_id)[np.array(rows, dtype=np.int64)]


def compare_ids(
    network: Network, a: Sequence[NDArray[np.int32]], b: Sequence[NDArray[np.int32]], *, pad_id: int
) -> NDArray[np.float32]:
    """What any network says of tokenised pairs: a matcher's outputs, or a tower's cosines as one column.

    Shape [pairs, outputs]. Arguments are those of :func:`match_ids`.
    """
    if isinstance(network, Matcher):
        return match_ids(network, a, b, pad_id=pad_id)
    vectors = encode_ids(network, [*a, *b], pad_id=pad_id)
    cosines: NDArray[np.float32] = np.einsum("ij,ij->i", vectors[: len(a)], vectors[len(a) :])
    return cosines[:, None]


def match_ids(
    module: Matcher, a: Sequence[NDArray[np.int32]], b: Sequence[NDArray[np.int32]], *, pad_id: int
) -> NDArray[np.float32]:
    """What a matcher says of tokenised pairs, in their order, shape [pairs, outputs].

    Args:
        module: the matcher; its training mode is restored afterwards.
        a: token ids of the first texts.
        b: token ids of the second texts.
        pad_id: what fills up the batches.
    """
    device = next(module.parameters()).device
    lengths = np.array([(len(x), len(y)) for x, y in zip(a, b, strict=True)], dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((lengths[:, 0], lengths[:, 1]))
    outputs = np.empty((len(a), module.outputs), dtype=np.float32)
    training = module.training
    module.eval()
    try:
        with torch.inference_mode():
            for rows in _by_tokens(order, lengths.sum(axis=1)):
                sides = (
                    TextBatch.from_ids([side[row] for row in rows], pad_id=pad_id).to(device)
                    for side in (a, b)
                )
                outputs[rows] = module(*sides).float().cpu().numpy()
    finally:
        module.train(training)
    return outputs


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
