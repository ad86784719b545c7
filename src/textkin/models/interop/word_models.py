"""Word vectors, LSTM and pooling without transformers; static embeddings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, flag, read_object, strings, whole
from textkin.models.interop.folder_kinds import CONFIG, MODULES
from textkin.models.interop.hugging_face import Parts
from textkin.models.interop.sentence_transformers import (
    ModuleEntry,
    pooling_of,
    read_dense,
    read_steps,
    weights_in,
)
from textkin.models.weights import check_numbers, check_shapes, load_tensors
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network, build
from textkin.text.static_embeddings import StaticTable, load_static, save_static
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline

_WEIGHTS = "model.safetensors"
_CONFIG = "wordembedding_config.json"
_TOKENIZER = "whitespacetokenizer_config.json"


def read_word_model(folder: Path) -> Parts:
    """Read word vectors and the modules after them as a Siamese encoder.

    Raises:
        ModelError: a file is missing or broken, or a module or a setting isn't supported.
    """
    steps = {step.kind: step for step in read_steps(folder)}
    order = ["WordEmbeddings", "LSTM", "Pooling", "Dense", "Normalize"]
    needed = {"WordEmbeddings", "Pooling"}
    if not needed <= steps.keys() or list(steps) != [kind for kind in order if kind in steps]:
        raise ModelError(
            f"has the modules {', '.join(steps)}; textkin reads WordEmbeddings, maybe "
            "LSTM, Pooling, maybe Dense and Normalize, in this order",
            path=folder / MODULES,
            fix="choose another model",
        )
    words = steps["WordEmbeddings"].folder
    config = read_object(words / _CONFIG)
    pipeline = _pipeline(words, config)
    table = _tensors(words).get("emb_layer.weight")
    if table is None:
        raise ModelError("has no tensor 'emb_layer.weight'", path=words / _WEIGHTS, fix=AGAIN)
    if table.ndim != 2 or len(table) != len(pipeline.words) or not table.numel():
        raise ModelError(
            f"{len(pipeline.words)} words have vectors of shape {list(table.shape)}", path=words, fix=AGAIN
        )
    arguments: dict[str, Any] = {
        "size": pipeline.size,
        "pad_id": pipeline.pad_id,
        "dim": table.shape[1],
        "train_embedding": flag(config, "update_embeddings", words / _CONFIG),
        "pooling": _one_pooling(steps["Pooling"].folder / CONFIG),
        **_layer(steps.get("LSTM")),
        **_dense(steps.get("Dense")),
    }
    known = _known(table, steps)
    check_shapes(lambda: build("siamese", **arguments), known, words)
    module = build("siamese", **arguments).eval()
    module.load_state_dict(known)
    check_numbers(module, words)
    return Parts("siamese", arguments, module, pipeline)


def _pipeline(folder: Path, config: Mapping[str, Any]) -> StopWordPipeline:
    kind = str(config.get("tokenizer_class", "")).rpartition(".")[2]
    if kind != "WhitespaceTokenizer":
        raise ModelError(
            f"the tokenizer {kind!r} has no counterpart in textkin", path=folder, fix="choose another model"
        )
    words = read_object(folder / _TOKENIZER)
    path = folder / _TOKENIZER
    longest = None
    if config.get("max_seq_length"):
        longest = whole(config, "max_seq_length", folder / _CONFIG)
    return StopWordPipeline(
        strings(words, "vocab", path),
        stop_words=strings(words, "stop_words", path),
        lower=flag(words, "do_lower_case", path),
        max_length=longest,
    )


def _one_pooling(path: Path) -> str:
    modes = pooling_of(path, prompts={})
    if len(modes) > 1:
        raise ModelError(
            f"joins {len(modes)} poolings, which textkin does for transformers only",
            path=path,
            fix="choose another model",
        )
    return modes[0]


def _layer(step: ModuleEntry | None) -> dict[str, Any]:
    if step is None:
        return {"cell": "mean"}
    path = step.folder / "lstm_config.json"
    config = read_object(path)
    return {
        "cell": "bilstm" if flag(config, "bidirectional", path) else "lstm",
        "hidden": whole(config, "hidden_dim", path),
        "layers": whole(config, "num_layers", path),
    }


def _dense(step: ModuleEntry | None) -> dict[str, Any]:
    if step is None:
        return {}
    layer = read_dense(step.folder / CONFIG)
    if not layer["bias"] or layer["activation"] != "tanh":
        raise ModelError(
            "over word vectors, textkin has dense layers with bias and tanh only",
            path=step.folder,
            fix="choose another model",
        )
    return {"dense": layer["width"]}


def _known(table: Tensor, steps: Mapping[str, ModuleEntry]) -> dict[str, Tensor]:
    """The weights of a folder by our names.

    Raises:
        ModelError: a weight file is missing or broken.
    """
    known = {"embedding.table": torch.cat([table.float(), torch.zeros_like(table[:1], dtype=torch.float32)])}
    if (step := steps.get("LSTM")) is not None:
        known |= {_our_name(name): tensor for name, tensor in _tensors(step.folder).items()}
    if (step := steps.get("Dense")) is not None:
        known |= {name.replace("linear", "dense"): tensor for name, tensor in _tensors(step.folder).items()}
    return known


def _our_name(name: str) -> str:
    """Our per-layer name for a weight such as ``encoder.weight_ih_l1_reverse``."""
    what, _, layer = name.removeprefix("encoder.").rpartition("_l")
    number, _, backwards = layer.partition("_")
    return f"layer.{'backwards' if backwards else 'forwards'}.{number}.{what}_l0"


def _tensors(folder: Path) -> dict[str, Tensor]:
    return load_tensors(weights_in(folder))


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
