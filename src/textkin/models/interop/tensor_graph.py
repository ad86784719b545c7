"""Networks as tensor graphs, for runtimes independent of textkin.

A graph takes the tokenizer's outputs, ids and attention mask, and returns a unit vector for each text, or for
a cross-encoder the logits of each pair.
"""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import ModelError
from textkin.data.protocols import Side
from textkin.models.interop.folder_kinds import MODULES
from textkin.models.interop.hugging_face import silenced
from textkin.models.interop.word_models import as_static
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.pooling import masked_mean, unit
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate

IDS, MASK, TYPES = "input_ids", "attention_mask", "token_type_ids"
VECTORS, LOGITS = "sentence_embedding", "logits"

Run = Callable[[Mapping[str, Ints]], Floats32]
"""Applies a runtime to a graph's inputs."""

Rows = Callable[[Sequence[Any]], Floats32]
"""Applies an opened model to texts, or pairs of texts, one row each."""


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A network without its text pipeline, and the tokenizer that feeds it.

    Attributes:
        module: takes the inputs in order, each int64 of shape [texts, length], padded on the right.
        inputs: their names.
        output: the name of the output.
        tokenizer: the text of a ``tokenizer.json`` that adds special tokens, truncates and pads by itself.
        prompts: the prompt for the texts of each side.
    """

    module: nn.Module
    inputs: tuple[str, ...]
    output: str
    tokenizer: str
    prompts: Mapping[Side, str] = field(default_factory=dict)


def graph_of(module: Network, pipeline: TextPipeline) -> Graph:
    """The graph of a network.

    Raises:
        ModelError: other runtimes don't support the network, or its text pipeline.
    """
    if isinstance(module, CrossEncoder) and isinstance(pipeline, PairPipeline):
        inputs = (IDS, MASK, TYPES) if module.token_types else (IDS, MASK)
        return Graph(
            _Pairs(module.backbone).eval(),
            inputs,
            LOGITS,
            _tokenizer(pipeline.whole, pad_id=module.join.pad_id, special=True),
        )
    if not isinstance(pipeline, TokenizerPipeline) or pipeline.spelling is not None:
        raise ModelError(
            "its texts are cut by textkin's own rules, which other runtimes don't know",
            fix="give a transformer, a cross-encoder or a static encoder, which have a tokenizer.json",
        )
    graph, pad = _tower(module, pipeline)
    return Graph(
        graph.eval(),
        (IDS, MASK),
        VECTORS,
        _tokenizer(pipeline, pad_id=pad, special=pipeline.special_tokens is not None),
        pipeline.prompts,
    )


def _tower(module: Network, pipeline: TokenizerPipeline) -> tuple[nn.Module, int]:
    """The graph of an encoder, and the padding token of its texts."""
    if isinstance(module, TransformerEncoder):
        return _Texts(module), pipeline.pad_id
    static = as_static(module, tokens=pipeline.token_count)
    if static is None:
        raise ModelError(
            f"no other runtime has a counterpart of its architecture ({type(module).__name__})",
            fix="give a transformer, a cross-encoder or a static encoder",
        )
    # Padding is masked, so any token will do.
    return _Bag(static, unknown_id=pipeline.unknown_id if pipeline.drop_unknown else None), 0


class _Texts(nn.Module):
    """An encoder on plain tensors."""

    def __init__(self, tower: Tower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return self.tower(TextBatch.unchecked(input_ids, attention_mask.bool()))


class _Bag(nn.Module):
    """A static encoder with weights folded into its table; unknown tokens may count as padding."""

    table: Tensor

    def __init__(self, module: StaticTower, *, unknown_id: int | None) -> None:
        super().__init__()
        table, weights = module.table.detach(), module.token_weights
        self.register_buffer("table", table if weights is None else table * weights.detach()[:, None])
        self.unknown_id = unknown_id

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        mask = attention_mask.bool()
        if self.unknown_id is not None:
            mask = mask & (input_ids != self.unknown_id)
        return unit(masked_mean(nn.functional.embedding(input_ids, self.table), mask))


class _Pairs(nn.Module):
    """A network for sequence classification on plain tensors."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> Tensor:
        told = {} if token_type_ids is None else {TYPES: token_type_ids}
        return self.backbone(input_ids=input_ids, attention_mask=attention_mask, **told).logits


def _tokenizer(pipeline: TokenizerPipeline, *, pad_id: int, special: bool) -> str:
    """A ``tokenizer.json`` whose plain call does all of the pipeline except prompts."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(pipeline.definition)
    tokenizer.no_truncation()
    if pipeline.max_length is not None:
        direction = "right" if pipeline.truncate is Truncate.HEAD else "left"
        tokenizer.enable_truncation(pipeline.max_length, direction=direction)
    tokenizer.enable_padding(pad_id=pad_id, pad_token=pipeline.tokens[pad_id])
    parts: dict[str, Any] = json.loads(tokenizer.to_str())
    if not special:
        parts["post_processor"] = None
    return json.dumps(parts, ensure_ascii=False)


def example(graph: Graph) -> tuple[Tensor, ...]:
    """Inputs to record a graph with: two texts, the second one shorter."""
    ids = torch.ones((2, 8), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    return tuple({IDS: ids, MASK: mask, TYPES: torch.zeros_like(ids)}[name] for name in graph.inputs)


def open_sentence_transformers(folder: Path) -> Rows | None:
    """Open a folder in sentence-transformers: vectors, or logits; None if it isn't installed."""
    try:
        from sentence_transformers import CrossEncoder, SentenceTransformer
    except ImportError:
        return None
    from torch import nn

    where: dict[str, Any] = {"device": "cpu", "local_files_only": True}
    encoder = (folder / MODULES).is_file()
    with silenced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats of older versions
        opened: Any = (SentenceTransformer if encoder else CrossEncoder)(str(folder), **where)

    def rows(texts: Sequence[Any]) -> Floats32:
        if encoder:
            found = opened.encode(list(texts), show_progress_bar=False)
        else:
            found = opened.predict(list(texts), activation_fn=nn.Identity(), show_progress_bar=False)
        return np.asarray(found, dtype=np.float32).reshape(len(texts), -1)

    return rows


def open_model2vec(folder: Path) -> Rows | None:
    """Open a folder in model2vec; None if it isn't installed."""
    try:
        from model2vec import StaticModel
    except ImportError:
        return None
    opened: Any = StaticModel.from_pretrained(folder, force_download=False)

    def rows(texts: Sequence[Any]) -> Floats32:
        return np.asarray(opened.encode(list(texts)), dtype=np.float32)

    return rows
