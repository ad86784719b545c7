"""Static embeddings in model2vec's folders: one vector a token, no network behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import ModelError
from textkin.text.pipeline import TOKENIZER_FILE, TokenizerPipeline, read_tokenizer

_TENSORS = ("embeddings", "embedding.weight")
_WHOLE = "copy the model folder again, whole"


@final
@dataclass(frozen=True, slots=True, eq=False)
class StaticTable:
    """A static embedding as it lies on disk.

    Attributes:
        tokenizer: the text of its ``tokenizer.json``.
        matrix: shape [rows, dim]; row t is token t's, unless ``mapping`` says otherwise.
        weights: what each token's vector is multiplied by, shape [tokens], or None.
        mapping: the row of each token, shape [tokens], or None.
        normalize: whether a text's vector is brought to unit length.
        max_length: the most tokens of a text; None for all.
    """

    tokenizer: str
    matrix: NDArray[np.float32]
    weights: NDArray[np.float32] | None = None
    mapping: NDArray[np.int64] | None = None
    normalize: bool = False
    max_length: int | None = 512

    @property
    def token_vectors(self) -> NDArray[np.float32]:
        """The weighted vector of every token, shape [tokens, dim]."""
        vectors = self.matrix if self.mapping is None else self.matrix[self.mapping]
        return vectors if self.weights is None else vectors * self.weights[:, None]

    def pipeline(self) -> TokenizerPipeline:
        """From texts to the ids of tokens."""
        return TokenizerPipeline(self.tokenizer, max_length=self.max_length, drop_unknown=True)


def load_static(folder: Path | str) -> StaticTable:
    """Read a model2vec folder, or the same model saved by sentence-transformers.

    8-bit matrices come without a scale: the mean over tokens is what counts, so none is applied.

    Raises:
        ModelError: a file is missing, truncated, or not a static embedding.
    """
    folder = Path(folder)
    nested = folder / "0_StaticEmbedding"
    home = nested if nested.is_dir() else folder
    config = _read_json(folder / "config.json")
    if config is None:
        config = _read_json(folder / "config_sentence_transformers.json") or {}
    tensors = _read_tensors(home / "model.safetensors")
    max_length = config.get("max_length", 512)
    return _checked(
        StaticTable(
            tokenizer=read_tokenizer(home / TOKENIZER_FILE),
            matrix=tensors["matrix"].astype(np.float32),
            weights=tensors["weights"].astype(np.float32) if "weights" in tensors else None,
            mapping=tensors["mapping"].astype(np.int64) if "mapping" in tensors else None,
            normalize=bool(config["normalize"]) if "normalize" in config else _has_normalize(folder),
            max_length=None if max_length is None else int(max_length),
        ),
        home,
    )


def _has_normalize(folder: Path) -> bool:
    modules = _read_json(folder / "modules.json") or []
    return any(str(module.get("type", "")).endswith(".Normalize") for module in modules)


def _read_json(path: Path) -> Any:
    """What the file says, or None if there is no such file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} can't be read as JSON: {error}", fix=_WHOLE) from error


def _read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing", fix="give a model2vec folder") from error
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is truncated or no safetensors file: {error}", fix=_WHOLE) from error
    name = next((name for name in _TENSORS if name in tensors), None)
    if name is None:
        found = ", ".join(sorted(tensors)[:3]) or "nothing"
        raise ModelError(
            f"{path} holds no static embedding: expected the tensor {' or '.join(_TENSORS)}, found {found}",
            fix="give a model2vec folder",
        )
    return {
        **{key: tensors[key] for key in ("weights", "mapping") if key in tensors},
        "matrix": tensors[name],
    }


def _checked(table: StaticTable, home: Path) -> StaticTable:
    """The same table, once its parts are known to fit each other."""
    path = home / "model.safetensors"
    if table.matrix.ndim != 2 or not np.isfinite(table.matrix).all():
        raise ModelError(
            f"{path}: the embedding must be a finite matrix, its shape is {table.matrix.shape}", fix=_WHOLE
        )
    try:
        tokens = len(table.pipeline().tokens)
    except ModelError as error:
        raise ModelError(f"{home / TOKENIZER_FILE}: {error.message}", fix=_WHOLE) from error
    per_token = (
        {"embeddings": len(table.matrix)} if table.mapping is None else {"mapping": len(table.mapping)}
    )
    if table.weights is not None:
        per_token["weights"] = len(table.weights)
    for name, count in per_token.items():
        if count != tokens:
            raise ModelError(f"{path}: {name} has {count} rows, the tokenizer {tokens} tokens", fix=_WHOLE)
    if table.mapping is not None and not (
        table.mapping.min() >= 0 and table.mapping.max() < len(table.matrix)
    ):
        raise ModelError(f"{path}: mapping names rows beyond the {len(table.matrix)} there are", fix=_WHOLE)
    return table
