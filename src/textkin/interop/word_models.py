"""Word vectors, LSTM and pooling: sentence-transformers without transformers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from textkin.errors import ModelError, UsageError
from textkin.interop.kinds import AGAIN, CONFIG, MODULES, read_object
from textkin.interop.parts import Parts
from textkin.interop.sentence_transformers import ModuleEntry, pooling_of, read_dense, read_steps
from textkin.models.siamese import Siamese
from textkin.models.table import build
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.weights import load_tensors

_WEIGHTS = "model.safetensors"
_TOKENIZER = "whitespacetokenizer_config.json"


def read_word_model(folder: Path) -> Parts:
    """Read word vectors and the modules after them as a Siamese encoder.

    Raises:
        ModelError: a file is missing or broken, or a module or a setting has no counterpart here.
    """
    steps = {step.kind: step for step in read_steps(folder)}
    order = ["WordEmbeddings", "LSTM", "Pooling", "Dense", "Normalize"]
    needed = {"WordEmbeddings", "Pooling"}
    if not needed <= steps.keys() or list(steps) != [kind for kind in order if kind in steps]:
        raise ModelError(
            f"{folder / MODULES} has the modules {', '.join(steps)}; textkin reads WordEmbeddings, maybe "
            "LSTM, Pooling, maybe Dense and Normalize, in this order",
            fix="choose another model",
        )
    words = steps["WordEmbeddings"].folder
    config = read_object(words / "wordembedding_config.json")
    pipeline = _pipeline(words, config)
    table = _tensors(words)["emb_layer.weight"]
    if table.ndim != 2 or len(table) != len(pipeline.words):
        raise ModelError(
            f"{words}: {len(pipeline.words)} words have vectors of shape {list(table.shape)}", fix=AGAIN
        )
    arguments: dict[str, Any] = {
        "size": pipeline.size,
        "pad_id": pipeline.pad_id,
        "dim": table.shape[1],
        "train_embedding": bool(config.get("update_embeddings")),
        "pooling": _one_pooling(steps["Pooling"].folder / CONFIG),
        **_layer(steps.get("LSTM")),
        **_dense(steps.get("Dense")),
    }
    module = build("siamese", **arguments).eval()
    assert isinstance(module, Siamese)  # noqa: S101 - what the table of architectures says
    _fill(module, table, steps)
    return Parts("siamese", arguments, module, pipeline)


def _pipeline(folder: Path, config: Mapping[str, Any]) -> StopWordPipeline:
    kind = str(config.get("tokenizer_class", "")).rpartition(".")[2]
    if kind != "WhitespaceTokenizer":
        raise ModelError(
            f"{folder}: the tokenizer {kind!r} has no counterpart in textkin", fix="choose another model"
        )
    words = read_object(folder / _TOKENIZER)
    longest = int(config.get("max_seq_length", 0))
    try:
        return StopWordPipeline(
            words["vocab"],
            stop_words=words["stop_words"],
            lower=words["do_lower_case"],
            max_length=longest or None,
        )
    except (KeyError, TypeError, UsageError) as error:
        raise ModelError(f"{folder / _TOKENIZER} is broken: {error!r}", fix=AGAIN) from error


def _one_pooling(path: Path) -> str:
    modes = pooling_of(path, prompts={})
    if len(modes) > 1:
        raise ModelError(
            f"{path} joins {len(modes)} poolings, which textkin does for transformers only",
            fix="choose another model",
        )
    return modes[0]


def _layer(step: ModuleEntry | None) -> dict[str, Any]:
    if step is None:
        return {"cell": "mean"}
    config = read_object(step.folder / "lstm_config.json")
    try:
        return {
            "cell": "bilstm" if config["bidirectional"] else "lstm",
            "hidden": int(config["hidden_dim"]),
            "layers": int(config["num_layers"]),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{step.folder} has no lstm_config.json, or a broken one", fix=AGAIN) from error


def _dense(step: ModuleEntry | None) -> dict[str, Any]:
    if step is None:
        return {}
    layer = read_dense(step.folder / CONFIG)
    if not layer["bias"] or layer["activation"] != "tanh":
        raise ModelError(
            f"{step.folder}: over word vectors, textkin has dense layers with bias and tanh only",
            fix="choose another model",
        )
    return {"dense": layer["width"]}


def _fill(module: Siamese, table: Tensor, steps: Mapping[str, ModuleEntry]) -> None:
    """Put the weights of a folder into a network.

    Raises:
        ModelError: they are missing, or of another shape.
    """
    known = {"embedding.table": torch.cat([table.float(), torch.zeros_like(table[:1])])}
    if (step := steps.get("LSTM")) is not None:
        known |= {_our_name(name): tensor for name, tensor in _tensors(step.folder).items()}
    if (step := steps.get("Dense")) is not None:
        known |= {name.replace("linear", "dense"): tensor for name, tensor in _tensors(step.folder).items()}
    try:
        module.load_state_dict(known)
    except RuntimeError as error:
        said = " ".join(str(error).split())
        raise ModelError(f"the weights don't fit the modules: {said[:400]}", fix=AGAIN) from error


def _our_name(name: str) -> str:
    """``encoder.weight_ih_l1_reverse``, of all layers at once, by our one layer a module."""
    what, _, layer = name.removeprefix("encoder.").rpartition("_l")
    number, _, backwards = layer.partition("_")
    return f"layer.{'backwards' if backwards else 'forwards'}.{number}.{what}_l0"


def _tensors(folder: Path) -> dict[str, Tensor]:
    if not (folder / _WEIGHTS).is_file():
        raise ModelError(
            f"{folder / _WEIGHTS} is missing; textkin loads no pickled weights",
            fix="convert it to safetensors",
        )
    return load_tensors(folder / _WEIGHTS)
