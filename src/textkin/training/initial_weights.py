"""The last step from a recipe to a network: its initial weights."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from textkin.base.arrays import Floats32
from textkin.base.errors import ConfigError
from textkin.networks.architectures.own import Own
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.table import Network
from textkin.networks.nn.embedding import TokenEmbedding
from textkin.networks.nn.token_weights import InverseDocumentFrequency
from textkin.networks.nn.word_vectors import WordVectors
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.training.pair_data import document_frequencies
from textkin.training.pipelines import Tokens
from textkin.training.transfer import Begun
from textkin.training.transferred_parts import TakenOver


def initialise(module: Network, tokens: Tokens, texts: Sequence[str]) -> None:
    """Initialise a new network with prior knowledge: pretrained vectors, token frequencies.

    Token weights, if the architecture has them, are initialised with inverse document frequencies over
    ``texts``, so that an untrained mean of vectors is close to TF-IDF. The vectors of a model2vec folder
    already contain weights.

    Args:
        module: the network, whose other weights aren't changed.
        tokens: its tokens.
        texts: training texts only.
    """
    if isinstance(module, Siamese):
        _fill_tower(module, tokens.pipeline, texts, tokens.vectors)
    else:
        _fill_matcher(module, tokens.pipeline, texts, tokens.vectors)


def take_over(module: Network, begun: Begun, *, name: str) -> TakenOver:
    """Copy a trained model's weights to a network, if shapes match.

    Weights of another shape, such as those of the last layer if the number of classes differs, are newly
    initialised (Min et al. 2017, "Question Answering through Transfer Learning").

    Args:
        module: the network.
        begun: the trained model, possibly converted to another architecture.
        name: the name of the recipe that continues from it.

    Raises:
        ConfigError: none of the weights fit.
    """
    start, weights = begun.model, module.state_dict()
    given = {key: tensor for key, tensor in start.module.state_dict().items() if key not in begun.fresh}
    known = {
        key: tensor for key, tensor in given.items() if key in weights and weights[key].shape == tensor.shape
    }
    if not known:
        raise ConfigError(
            f"no weight of {start.name} fits recipe {name}",
            fix="compare their arguments",
            params=("start",),
            value=start.name,
        )
    module.load_state_dict(weights | known)
    return TakenOver(
        start.name,
        loaded=len(known),
        anew=tuple(key for key in weights if key not in known),
        left=(*begun.left, *(key for key in given if key not in known and key not in begun.spare)),
    )


def _fill_tower(
    module: Siamese, pipeline: TextPipeline, texts: Sequence[str], matrix: Floats32 | None
) -> None:
    embedding = module.embedding
    if matrix is not None:
        embedding.set_table(_like_initial(matrix, embedding))
    if embedding.weights is not None and not isinstance(pipeline, TokenizerPipeline):
        embedding.set_weights(inverse_document_frequencies(pipeline, texts))


def _fill_matcher(
    module: Network, pipeline: TextPipeline, texts: Sequence[str], matrix: Floats32 | None
) -> None:
    frequencies: Floats32 | None = None
    if matrix is not None and isinstance(module, Own):
        _fill_own(module, matrix)
    for part in module.modules():
        if isinstance(part, WordVectors) and matrix is not None:
            part.embedding.set_table(_like_initial(matrix, part.embedding))
        elif isinstance(part, InverseDocumentFrequency):
            if frequencies is None:
                frequencies = inverse_document_frequencies(pipeline, texts)
            part.set(frequencies)


def _fill_own(module: Own, matrix: Floats32) -> None:
    """Fill the embeddings of a user's network that have a row for every id.

    Raises:
        ConfigError: there is none.
    """
    parts = list(module.modules())
    fitting = [one for one in parts if isinstance(one, nn.Embedding) and one.weight.shape == matrix.shape]
    if not fitting and not any(isinstance(one, WordVectors) for one in parts):
        raise ConfigError(
            f"the architecture {module.path!r} has no nn.Embedding of {list(matrix.shape)} for the vectors",
            fix="give it the arguments size and dim, or train without vectors",
        )
    with torch.no_grad():
        for part in fitting:
            part.weight.copy_(torch.from_numpy(matrix))


def inverse_document_frequencies(pipeline: TextPipeline, texts: Sequence[str]) -> Floats32:
    """ln((1 + N) / (1 + df)) + 1 of every id, divided by its mean over the ids that occur. Shape [size]."""
    counts = document_frequencies(tuple(pipeline.ids(texts)), size=pipeline.size)
    values: Floats32 = (np.log((1 + len(texts)) / (1 + counts)) + 1).astype(np.float32)
    return values / values[counts > 0].mean() if counts.any() else values


def _like_initial(matrix: Floats32, embedding: TokenEmbedding) -> Floats32:
    """Pretrained vectors scaled to the mean length of the embedding's initial ones."""
    lengths = np.linalg.norm(matrix, axis=1)
    known = lengths > 0
    if not known.any():
        return matrix
    wanted = float(embedding.table.detach().norm(dim=1).mean())
    return np.asarray(matrix * (wanted / lengths[known].mean()), dtype=np.float32)
