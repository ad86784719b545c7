"""From a recipe, training texts and maybe pretrained vectors to a text pipeline and a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from textkin.config import PRETRAINED, Recipe, TextConfig
from textkin.errors import ConfigError
from textkin.interop.hugging_face import most_tokens
from textkin.model_dir import Model
from textkin.models.cross_encoder import CrossEncoder
from textkin.models.late_interaction import LateInteraction
from textkin.models.matcher import Matcher
from textkin.models.siamese import Siamese
from textkin.models.table import Network, architecture, build
from textkin.models.transformer import TransformerEncoder
from textkin.nn.embedding import TokenEmbedding
from textkin.nn.token_weights import InverseDocumentFrequency
from textkin.nn.word_vectors import WordVectors
from textkin.text.normalise import normaliser
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.spelling import Spelling, Units
from textkin.text.tokenise import tokeniser
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncate import Truncate
from textkin.text.vocabulary import Oov, Order, build_vocabulary
from textkin.training.begin import begin
from textkin.training.data import document_frequencies
from textkin.training.lora import add_adapters


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
    module: Network
    arguments: Mapping[str, Any]


def assemble(
    recipe: Recipe, texts: Sequence[str], *, seed: int, vectors: Path | None = None, outputs: int = 1
) -> Assembled:
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
        outputs: of a model that scores pairs: 1 for a score, else the number of classes.

    Raises:
        ConfigError: the architecture does not take an argument, or starts from a pretrained model only.
        DataError: the vectors can't be read.
    """
    if recipe.model.architecture in PRETRAINED:
        raise ConfigError(
            f"recipe {recipe.name}: the architecture {recipe.model.architecture!r} starts from a "
            "pretrained model",
            fix="name its folder with --start",
        )
    if recipe.model.lora is not None:
        raise ConfigError(
            f"recipe {recipe.name}: [model.lora] adds to weights, and this model starts from none",
            fix="leave it out, or give a transformer with --start",
        )
    pipeline, matrix = _pipeline(recipe.text, texts, vectors=vectors, seed=seed)
    arguments = dict(recipe.model.arguments)
    arguments |= {"size": pipeline.size, "pad_id": pipeline.pad_id, "zero_ids": _zero_ids(pipeline)}
    if matrix is not None:
        arguments["dim"] = matrix.shape[1]
    kind = architecture(recipe.model.architecture)
    if issubclass(kind, Matcher):
        arguments["outputs"] = outputs
        if recipe.model.overlap:
            arguments["overlap"] = True
        if pipeline.spelling is not None:
            arguments["unit_size"] = pipeline.spelling.rows
    elif recipe.model.overlap or outputs > 1:
        raise ConfigError(
            f"the architecture {recipe.model.architecture!r} is an encoder: it takes no overlap features and "
            "tells no classes apart",
            fix="use an architecture that looks at two texts together, such as compare-aggregate",
        )
    torch.manual_seed(seed)
    module = build(recipe.model.architecture, **arguments)
    if isinstance(module, Siamese):
        _fill_tower(module, pipeline, texts, matrix)
    else:
        _fill_matcher(module, pipeline, texts, matrix)
    return Assembled(pipeline, module, arguments)


def continued(recipe: Recipe, start: Model, *, seed: int, outputs: int = 1) -> Assembled:
    """The pipeline of a trained model, and a network with its weights.

    Cross-encoders and late interaction start from sentence encoders too
    (:func:`textkin.training.begin.begin`). Weights of another shape than the recipe's network has, such as
    those of the last layer when the number of classes differs, start anew (Min et al. 2017, "Question
    Answering through Transfer Learning").

    Args:
        recipe: of the same architecture, or of one that begins with an encoder's network.
        start: the trained model.
        seed: of the weights that start anew.
        outputs: as in :func:`assemble`.

    Raises:
        ConfigError: the architecture is another, or none of the weights fits.
    """
    start = begin(recipe.model.architecture, start, seed=seed)
    if recipe.model.architecture != start.architecture:
        raise ConfigError(
            f"recipe {recipe.name} has the architecture {recipe.model.architecture!r}, the model to start "
            f"from {start.architecture!r}",
            fix="start from a model of the same architecture",
        )
    # The width of word vectors is the model's, whatever the recipe would take without vectors.
    kept = {"dim"} & start.arguments.keys()
    wanted = {key: value for key, value in recipe.model.arguments.items() if key not in kept}
    arguments = dict(start.arguments) | wanted
    pipeline = _shortened(start.pipeline, start.module, recipe.text.max_length)
    if isinstance(pipeline, PairPipeline):
        arguments["max_length"] = pipeline.max_length
    if "outputs" in arguments:
        arguments["outputs"] = outputs
    if recipe.model.overlap:
        arguments["overlap"] = True
    torch.manual_seed(seed)
    module = build(recipe.model.architecture, **arguments)
    weights = module.state_dict()
    known = {
        name: tensor
        for name, tensor in start.module.state_dict().items()
        if name in weights and weights[name].shape == tensor.shape
    }
    if not known:
        raise ConfigError(
            f"no weight of {start.name} fits recipe {recipe.name}", fix="compare their arguments"
        )
    module.load_state_dict(weights | known)
    if recipe.model.lora is not None:
        add_adapters(module, recipe.model.lora)
    return Assembled(pipeline, module, arguments)


def _shortened(pipeline: TextPipeline, module: Network, max_length: int | None) -> TextPipeline:
    """A transformer's pipeline with the length of the recipe, as far as the network can take it."""
    networks = TransformerEncoder | CrossEncoder | LateInteraction
    if max_length is None or not isinstance(module, networks):
        return pipeline
    if not isinstance(pipeline, TokenizerPipeline | PairPipeline):
        return pipeline
    most = most_tokens(module.backbone)
    return pipeline.shortened(max_length if most is None else min(max_length, most))


def _fill_tower(
    module: Siamese, pipeline: TextPipeline, texts: Sequence[str], matrix: NDArray[np.float32] | None
) -> None:
    embedding = module.embedding
    if matrix is not None:
        embedding.set_table(_like_initial(matrix, embedding))
    if embedding.weights is not None and not isinstance(pipeline, TokenizerPipeline):
        embedding.set_weights(inverse_document_frequencies(pipeline, texts))


def _fill_matcher(
    module: Network, pipeline: TextPipeline, texts: Sequence[str], matrix: NDArray[np.float32] | None
) -> None:
    frequencies: NDArray[np.float32] | None = None
    for part in module.modules():
        if isinstance(part, WordVectors) and matrix is not None:
            part.embedding.set_table(_like_initial(matrix, part.embedding))
        elif isinstance(part, InverseDocumentFrequency):
            if frequencies is None:
                frequencies = inverse_document_frequencies(pipeline, texts)
            part.set(frequencies)


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
        spelling=_spelling(config),
    )
    return pipeline, matrix


def _spelling(config: TextConfig) -> Spelling | None:
    if config.spelling == "none":
        return None
    return Spelling(
        Units(config.spelling),
        rows=config.spelling_rows,
        most=config.spelling_units,
        lengths=config.spelling_lengths,
    )


def _static_pipeline(config: TextConfig, folder: Path) -> tuple[TokenizerPipeline, NDArray[np.float32]]:
    from textkin.text.static import load_static

    table = load_static(folder)
    pipeline = TokenizerPipeline(
        table.tokenizer,
        max_length=config.max_length,
        truncate=Truncate(config.truncate),
        drop_unknown=True,
        spelling=_spelling(config),
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
