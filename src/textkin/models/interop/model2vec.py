"""Conversion of static embeddings between folders and trainable networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from textkin.models.interop.model_parts import Parts
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network
from textkin.text.static_embeddings import StaticTable, load_static, save_static
from textkin.text.tokenizer_pipeline import TokenizerPipeline

ARCHITECTURE = "static"


def read_static_encoder(folder: Path) -> Parts:
    """Read a model2vec folder, or a static embedding of sentence-transformers.

    Raises:
        ModelError: as :func:`textkin.text.static_embeddings.load_static`.
    """
    table = load_static(folder)
    pipeline = table.pipeline
    matrix = table.matrix if table.mapping is None else table.matrix[table.mapping]
    arguments: dict[str, Any] = {
        "size": len(matrix),
        "dim": matrix.shape[1],
        "token_weights": table.weights is not None,
        "normalize": table.normalize,
    }
    module = StaticTower(**arguments).eval()
    weights = None if table.weights is None else torch.from_numpy(table.weights)
    module.fill(torch.from_numpy(matrix), weights)
    return Parts(ARCHITECTURE, arguments, module, pipeline)


def save_static_encoder(module: StaticTower, pipeline: TokenizerPipeline, folder: Path) -> None:
    """Write a folder for model2vec and sentence-transformers, with the projection folded into its table.

    Raises:
        OutputError: the folder isn't writable.
    """
    save_static(static_table(module, pipeline), folder)


def static_table(module: StaticTower, pipeline: TokenizerPipeline) -> StaticTable:
    """A static encoder's learnt vectors, as a table."""
    weights = module.token_weights
    return StaticTable(
        tokenizer=pipeline.definition,
        matrix=module.table.detach().cpu().numpy(),
        weights=None if weights is None else weights.detach().cpu().numpy(),
        normalize=module.normalize,
        drop_unknown=pipeline.drop_unknown,
        prompts=pipeline.prompts,
    )


def as_static(module: Network, *, tokens: int) -> StaticTower | None:
    """The network as a static encoder; None if a token table can't express it."""
    if isinstance(module, StaticTower):
        return module
    if not isinstance(module, Siamese) or module.pooling != "mean" or not module.mask:
        return None
    if module.layer is not None or module.dense is not None:
        return None
    embedding = module.embedding
    made = StaticTower(size=tokens, dim=module.dim, token_weights=embedding.weights is not None)
    weights = None if embedding.weights is None else embedding.weights.detach()[:tokens]
    made.fill((embedding.table.detach() * embedding.kept)[:tokens], weights)
    return made.eval()
