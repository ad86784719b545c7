"""The first step from a recipe to a network: text pipeline, tokens' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.config import TextConfig
from textkin.interop.hugging_face import most_tokens
from textkin.models.cross_encoder import CrossEncoder
from textkin.models.late_interaction import LateInteraction
from textkin.models.table import Network
from textkin.models.transformer import TransformerEncoder
from textkin.models.transformer_reader import TransformerReader
from textkin.text.normalise import normaliser
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.spelling import Spelling, Units
from textkin.text.tokenise import tokeniser
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncate import Truncate
from textkin.text.vocabulary import Oov, Order, build_vocabulary


@final
@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """What a network reads.

    Attributes:
        pipeline: texts to ids; its vocabulary comes from training texts and pretrained words only.
        vectors: pretrained ones of all ids, if there are. Shape [ids, dim].
    """

    pipeline: TextPipeline
    vectors: NDArray[np.float32] | None = None


def fit_pipeline(config: TextConfig, texts: Sequence[str], *, vectors: Path | None, seed: int) -> Tokens:
    """The pipeline of a recipe, with the words of texts and pretrained vectors.

    Args:
        config: the recipe's.
        texts: training texts only.
        vectors: a text file of word vectors, or a model2vec folder, whose tokenizer then replaces the
            recipe's words; a recipe without whole words leaves them aside.
        seed: of the vectors of words that the file lacks.

    Raises:
        DataError: the vectors can't be read.
    """
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
        spelling=spelling_of(config),
    )
    return Tokens(pipeline, matrix)


def shortened(pipeline: TextPipeline, module: Network, max_length: int | None) -> TextPipeline:
    """A transformer's pipeline with the length of the recipe, as far as the network can take it."""
    networks = TransformerEncoder | CrossEncoder | LateInteraction | TransformerReader
    if max_length is None or not isinstance(module, networks):
        return pipeline
    if not isinstance(pipeline, TokenizerPipeline | PairPipeline):
        return pipeline
    most = most_tokens(module.backbone)
    return pipeline.shortened(max_length if most is None else min(max_length, most))


def spelling_of(config: TextConfig) -> Spelling | None:
    """What tokens are spelt with, or None."""
    if config.spelling == "none":
        return None
    return Spelling(
        Units(config.spelling),
        rows=config.spelling_rows,
        most=config.spelling_units,
        lengths=config.spelling_lengths,
    )


def _static_pipeline(config: TextConfig, folder: Path) -> Tokens:
    from textkin.text.static import load_static

    table = load_static(folder)
    pipeline = TokenizerPipeline(
        table.tokenizer,
        max_length=config.max_length,
        truncate=Truncate(config.truncate),
        drop_unknown=True,
        spelling=spelling_of(config),
    )
    vectors = table.token_vectors
    matrix = np.zeros((pipeline.size, vectors.shape[1]), dtype=np.float32)
    matrix[: len(vectors)] = vectors
    return Tokens(pipeline, matrix)
