"""From a recipe, training texts and maybe pretrained vectors to a text pipeline and a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from textkin.config import Recipe, TextConfig
from textkin.errors import ConfigError
from textkin.models.table import build
from textkin.models.tower import Tower
from textkin.nn.embedding import TokenEmbedding
from textkin.text.normalise import normaliser
from textkin.text.pipeline import TextPipeline, TokenizerPipeline, Truncate, WordPipeline
from textkin.text.tokenise import tokeniser
from textkin.text.vocabulary import Oov, Order, build_vocabulary
from textkin.training.data import document_frequencies


@final
@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """An untrained model.

    Attributes:
        pipeline: texts to ids; its vocabulary comes from training texts and pretrained words only.
        module: the network with its initial weights.
        arguments: what the architecture was built with, for the manifest.
    """

    pipeline: TextPipeline
    module: Tower
    arguments: Mapping[str, Any]


def assemble(recipe: Recipe, texts: Sequence[str], *, seed: int, vectors: Path | None = None) -> Assembled:
    """Build the pipeline and the network that a recipe describes.

    Token weights, where the architecture has them, start as inverse document frequencies over ``texts``, so
    that an untrained mean of vectors is close to TF-IDF; the vectors of a model2vec folder carry weights of
    their own already.

    Args:
        recipe: what to build.
        texts: training texts only; the vocabulary is theirs.
        seed: of the initial weights.
        vectors: a text file of word vectors, or a model2vec folder, whose tokenizer then replaces the
            recipe's words; a recipe without whole words leaves them aside.

    Raises:
        ConfigError: the architecture does not take an argument.
        DataError: the vectors can't be read.
    """
    pipeline, matrix = _pipeline(recipe.text, texts, vectors=vectors, seed=seed)
    arguments = dict(recipe.model.arguments)
    arguments |= {"size": pipeline.size, "pad_id": pipeline.pad_id, "zero_ids": _zero_ids(pipeline)}
    if matrix is not None:
        arguments["dim"] = matrix.shape[1]
    torch.manual_seed(seed)
    module = build(recipe.model.architecture, **arguments)
    embedding = getattr(module, "embedding", None)
    if isinstance(embedding, TokenEmbedding):
        if matrix is not None:
            embedding.set_table(_like_initial(matrix, embedding))
        if embedding.weights is not None and not isinstance(pipeline, TokenizerPipeline):
            embedding.set_weights(inverse_document_frequencies(pipeline, texts))
    elif matrix is not None:
        raise ConfigError(f"the architecture {recipe.model.architecture!r} takes no word vectors")
    return Assembled(pipeline, module, arguments)


def inverse_document_frequencies(pipeline: TextPipeline, texts: Sequence[str]) -> NDArray[np.float32]:
    """ln((1 + N) / (1 + df)) + 1 of every id, divided by its mean over the ids that occur. Shape [size]."""
    counts = document_frequencies(tuple(pipeline.ids(texts)), size=pipeline.size)
    values: NDArray[np.float32] = (np.log((1 + len(texts)) / (1 + counts)) + 1).astype(np.float32)
    return values / values[counts > 0].mean() if counts.any() else values


def _pipeline(
    config: TextConfig, texts: Sequence[str], *, vectors: Path | None, seed: int
) -> tuple[TextPipeline, NDArray[np.float32] | None]:
    if not config.whole_words:
        vectors = None  # character n-grams alone have no rows for pretrained words
    if vectors is not None and vectors.is_dir():
        return _static_pipeline(config, vectors)
    split, clean = tokeniser(config.tokenise), normaliser(config.normalise)
    vocabulary = build_vocabulary(
        (split(clean(text)) for text in texts),
        order=Order(config.order),
        min_count=config.min_count,
        max_size=config.max_size if config.whole_words else 0,
        oov=Oov(config.oov),
        buckets=config.oov_buckets,
        oov_first=config.oov_first,
    )
    matrix = None
    if vectors is not None:
        from textkin.text.vectors import Missing, align, load_vectors

        loaded = load_vectors(vectors)
        vocabulary = vocabulary.extended(loaded.words)
        matrix = align(vocabulary, loaded, seed=seed, missing=Missing.HASH)
    ngrams = None if vectors is not None else config.ngrams
    pipeline = WordPipeline(
        vocabulary,
        steps=config.normalise,
        tokenise=config.tokenise,
        ngrams=ngrams,
        ngram_buckets=config.ngram_buckets if ngrams else 0,
        max_length=config.max_length,
        truncate=Truncate(config.truncate),
    )
    return pipeline, matrix


def _static_pipeline(config: TextConfig, folder: Path) -> tuple[TokenizerPipeline, NDArray[np.float32]]:
    from textkin.text.static import load_static

    table = load_static(folder)
    pipeline = TokenizerPipeline(
        table.tokenizer, max_length=config.max_length, truncate=Truncate(config.truncate), drop_unknown=True
    )
    vectors = table.token_vectors
    matrix = np.zeros((pipeline.size, vectors.shape[1]), dtype=np.float32)
    matrix[: len(vectors)] = vectors
    return pipeline, matrix


def _like_initial(matrix: NDArray[np.float32], embedding: TokenEmbedding) -> NDArray[np.float32]:
    """Pretrained vectors stretched to the mean length of those that the embedding was initialised with."""
    lengths = np.linalg.norm(matrix, axis=1)
    known = lengths > 0
    if not known.any():
        return matrix
    wanted = float(embedding.table.detach().norm(dim=1).mean())
    return np.asarray(matrix * (wanted / lengths[known].mean()), dtype=np.float32)


def _zero_ids(pipeline: TextPipeline) -> list[int]:
    return list(pipeline.vocabulary.zero_ids) if isinstance(pipeline, WordPipeline) else []
