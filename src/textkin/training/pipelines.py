"""The first step from a recipe to a network: text pipeline, token vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, conflict, inapplicable
from textkin.models.interop.hugging_face import most_tokens
from textkin.networks.architectures.contextual_piqa import ContextualPiqa
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.architectures.transformer_piqa import TransformerPiqa
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.recipes.recipe import TextConfig
from textkin.text.normalisation import normaliser
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenisers import tokeniser
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.vocabulary import Oov, Order, Vocabulary, build_vocabulary, read_word_list

_TRANSFORMERS = TransformerEncoder | CrossEncoder | LateInteraction | TransformerReader | TransformerPiqa


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a network.

    Attributes:
        pipeline: texts to ids; its vocabulary comes from training texts and pretrained words only, or from a
            list of words.
        vectors: pretrained vectors of all ids, if any. Shape [ids, dim].
    """

    pipeline: TextPipeline
    vectors: Floats32 | None = None


def fit_pipeline(
    config: TextConfig,
    texts: Sequence[str],
    *,
    vectors: Path | None,
    seed: int,
    vocabulary: Path | None = None,
) -> Tokens:
    """The pipeline of a recipe, with the words of texts and pretrained vectors, or of a list.

    Args:
        config: the recipe's text settings.
        texts: training texts only.
        vectors: a text file of word vectors, or a model2vec folder, whose tokenizer then replaces the
            recipe's words; a recipe without whole words ignores them.
        seed: the seed of vectors for words missing from the file.
        vocabulary: a file with one word per line, which replaces the words of texts and vectors.

    Raises:
        DataError: the vectors or the words can't be read, or no training text has one of the words.
        UsageError: words are given for a recipe without whole words, or together with a model2vec folder.
    """
    if vocabulary is not None:
        _require_words(config, vectors)
    if not config.whole_words:
        vectors = None  # character n-grams alone have no rows for pretrained words
    if vectors is not None and vectors.is_dir():
        return _static_pipeline(config, vectors)
    split, clean = tokeniser(config.tokenise), normaliser(config.normalise)
    tokenised = (split(clean(text)) for text in texts)
    words = _words_of(config, tokenised) if vocabulary is None else _listed(config, tokenised, vocabulary)
    matrix = None
    if vectors is not None:
        from textkin.text.word_vectors import Missing, align, load_vectors

        loaded = load_vectors(vectors)
        words = words.extended(loaded.words) if vocabulary is None else words
        matrix = align(words, loaded, seed=seed, missing=Missing.HASH)
    ngrams = None if vectors is not None else config.ngrams
    pipeline = WordPipeline(
        words,
        steps=config.normalise,
        tokenise=config.tokenise,
        ngrams=ngrams,
        ngram_buckets=config.ngram_buckets if ngrams else 0,
        max_length=config.max_length,
        truncate=Truncate(config.truncate),
        spelling=spelling_of(config),
    )
    return Tokens(pipeline, matrix)


def _words_of(config: TextConfig, texts: Iterable[Sequence[str]]) -> Vocabulary:
    """The words of training texts, as counted and numbered by the recipe."""
    return build_vocabulary(
        texts,
        order=Order(config.order),
        min_count=config.min_count,
        max_size=config.max_size if config.whole_words else 0,
        oov=Oov(config.oov),
        buckets=config.oov_buckets,
        oov_first=config.oov_first,
    )


def _listed(config: TextConfig, texts: Iterable[Sequence[str]], path: Path) -> Vocabulary:
    """The words of a file, in order."""
    words = read_word_list(path)
    known = set(words)
    if not any(word in known for text in texts for word in text):
        raise DataError(
            f"no training text has a word of {path}, such as {words[0]!r}",
            fix="give words as the recipe's normalise and tokenise spell them",
        )
    return Vocabulary(
        words, len(words), oov=Oov(config.oov), buckets=config.oov_buckets, oov_first=config.oov_first
    )


def _require_words(config: TextConfig, vectors: Path | None) -> None:
    if not config.whole_words:
        raise inapplicable("vocabulary", to="a recipe with whole_words = false")
    if vectors is not None and vectors.is_dir():
        raise conflict("vocabulary", "vectors", why=f"{vectors} has its own words")


def shortened(pipeline: TextPipeline, module: Network, max_length: int | None) -> TextPipeline:
    """A transformer's pipeline with the recipe's maximum length, as far as the network supports it."""
    if max_length is None or not isinstance(pipeline, TokenizerPipeline | PairPipeline):
        return pipeline
    if isinstance(module, ContextualPiqa):
        backbone = module.states.backbone
    elif isinstance(module, _TRANSFORMERS):
        backbone = module.backbone
    else:
        return pipeline
    most = most_tokens(backbone)
    return pipeline.shortened(max_length if most is None else min(max_length, most))


def spelling_of(config: TextConfig) -> TokenSpelling | None:
    """The spelling of tokens, or None."""
    if config.spelling == "none":
        return None
    return TokenSpelling(
        Units(config.spelling),
        rows=config.spelling_rows,
        most=config.spelling_units,
        lengths=config.spelling_lengths,
    )


def _static_pipeline(config: TextConfig, folder: Path) -> Tokens:
    from textkin.text.static_embeddings import load_static

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
