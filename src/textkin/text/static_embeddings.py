"""Static embeddings in model2vec's format: one vector per token, without a network.

The cost is linear in the length of a text, so texts are read whole, ignoring any limit in a folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import ModelError
from textkin.base.files import write_bytes, write_json, write_text
from textkin.base.json_fields import AGAIN, blaming, flag, read_json, read_object, whole
from textkin.data.protocols import Side
from textkin.text.prompts import prompt_settings, prompts_of
from textkin.text.tokenizer_pipeline import TOKENIZER_FILE, TokenizerPipeline, read_tokenizer
from textkin.text.unknown_vectors import NgramRows, UnknownVectors, median_length

Stored = Literal["float32", "float16", "int8"]

NGRAMS = "ngrams.safetensors"

_WEIGHTS = "model.safetensors"
_THEIRS = "embedding.weight"
_TENSORS = ("embeddings", _THEIRS)
_SETTINGS, _CONFIG = "config_sentence_transformers.json", "config.json"
_SMALLEST, _LARGEST = 1e-15, 1e9  # other numbers underflow or overflow when vectors are squared and summed
_KINDS = ("StaticEmbedding", "Normalize")


@dataclass(frozen=True, eq=False)
class StaticTable:
    """A static embedding as stored on disk.

    Attributes:
        tokenizer: the text of its ``tokenizer.json``.
        matrix: shape [rows, dim]; row t is token t's, unless ``mapping`` says otherwise.
        weights: factor of each token's vector, shape [tokens], or None.
        mapping: the row of each token, shape [tokens], or None.
        normalize: True if other libraries normalise the vectors of texts; textkin always does.
        drop_unknown: True if unknown tokens don't count, as in model2vec; in sentence-transformers they do.
        ngrams: rows for the character n-grams of unknown words, or None.
        prompts: prompt of each side.
    """

    tokenizer: str
    matrix: Floats32
    weights: Floats32 | None = None
    mapping: Ints | None = None
    normalize: bool = False
    drop_unknown: bool = True
    ngrams: NgramRows | None = None
    prompts: Mapping[Side, str] = field(default_factory=dict)

    @cached_property
    def token_vectors(self) -> Floats32:
        """The weighted vector of every token, shape [tokens, dim]."""
        vectors = self.matrix if self.mapping is None else self.matrix[self.mapping]
        return vectors if self.weights is None else vectors * self.weights[:, None]

    @cached_property
    def unknown_vectors(self) -> UnknownVectors:
        """Vectors for unknown tokens, with the median length of token vectors."""
        length = median_length(self.token_vectors)
        return UnknownVectors(self.matrix.shape[1], length=length, fitted=self.ngrams)

    @cached_property
    def pipeline(self) -> TokenizerPipeline:
        """The pipeline from texts to the ids of all tokens; cached, as loading a tokenizer is slow."""
        return TokenizerPipeline(self.tokenizer, drop_unknown=self.drop_unknown, prompts=self.prompts)


def load_static(folder: Path | str) -> StaticTable:
    """Read a model2vec folder, or a static embedding saved by sentence-transformers.

    8-bit matrices have no scale. None is applied, since scaling doesn't change the direction of a mean.

    Raises:
        ModelError: a file is missing, truncated, or not a static embedding.
    """
    folder = Path(folder)
    with blaming(folder):
        return _read(folder)


def _read(folder: Path) -> StaticTable:
    modules = _modules(folder)
    nested = folder / "0_StaticEmbedding"
    home = nested if nested.is_dir() else folder
    settings, config = read_object(folder / _SETTINGS), read_object(folder / _CONFIG)
    tensors = _read_tensors(home / _WEIGHTS)
    theirs = _THEIRS in tensors
    name = _THEIRS if theirs else "embeddings"
    if name not in tensors:
        raise ModelError(f"has no tensor {name!r}", path=home / _WEIGHTS, fix=AGAIN)
    matrix = _floats(tensors[name])
    dim = None
    if settings.get("truncate_dim") is not None:
        dim = whole(settings, "truncate_dim", folder / _SETTINGS)
    matrix, ngrams = matrix[..., :dim], _read_ngrams(home / NGRAMS)
    return _checked(
        StaticTable(
            tokenizer=read_tokenizer(home / TOKENIZER_FILE),
            matrix=matrix,
            weights=_floats(tensors["weights"]) if "weights" in tensors else None,
            mapping=tensors["mapping"].astype(np.int64) if "mapping" in tensors else None,
            normalize=flag(config, "normalize", folder / _CONFIG, default="Normalize" in modules),
            drop_unknown=not theirs,
            ngrams=None if ngrams is None else NgramRows(ngrams.matrix[:, :dim], ngrams.lengths),
            prompts=prompts_of(settings, folder / _SETTINGS),
        ),
        home,
    )


def save_static(table: StaticTable, folder: Path | str, *, stored: Stored = "float32") -> None:
    """Write a folder of a static embedding that model2vec and sentence-transformers can load too.

    Rows for n-grams go into a separate file, which these libraries ignore. If the unknown token doesn't
    count, its vector becomes zero: sentence-transformers counts it, and then gets the same direction. If it
    counts, the embedding is written in sentence-transformers' layout.

    Args:
        table: the embedding.
        folder: existing folder to write to.
        stored: type of the matrix; "int8" keeps the vectors up to a common factor, like model2vec.

    Raises:
        OutputError: the folder can't be written to.
    """
    from safetensors.numpy import save

    folder = Path(folder)
    if table.drop_unknown:
        matrix, mapping = _without_unknown(table)
        tensors = {"embeddings": _as_stored(matrix, stored), "weights": table.weights, "mapping": mapping}
        config: dict[str, Any] = {
            "model_type": "model2vec",
            "architectures": ["StaticModel"],
            "normalize": table.normalize,
            "max_length": None,
            "embedding_dtype": stored,
        }
        if mapping is not None:
            config["vocabulary_quantization"] = len(matrix)
        write_json(folder / "config.json", config)
    else:
        tensors = {_THEIRS: _as_stored(table.token_vectors, stored)}
        write_json(folder / _SETTINGS, {})
    write_bytes(
        folder / _WEIGHTS,
        save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items() if tensor is not None}),
    )
    if table.ngrams is not None:
        write_bytes(folder / NGRAMS, save(_ngram_tensors(table.ngrams, table.token_vectors, stored)))
    if table.prompts:
        write_json(folder / _SETTINGS, prompt_settings(table.prompts))
    write_text(folder / TOKENIZER_FILE, table.tokenizer)
    paths = (".", "1_Normalize")
    kinds = _KINDS if table.normalize else _KINDS[:1]
    write_json(
        folder / "modules.json",
        [
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for place, (path, kind) in enumerate(zip(paths, kinds, strict=False))
        ],
    )


def _without_unknown(table: StaticTable) -> tuple[Floats32, Ints | None]:
    """Matrix and mapping with a zero vector for the unknown token, if it doesn't count."""
    unknown = table.pipeline.unknown_id
    if unknown is None or not table.drop_unknown:
        return table.matrix, table.mapping
    if table.mapping is None:
        matrix = table.matrix.copy()
        matrix[unknown] = 0
        return matrix, None
    mapping = table.mapping.copy()
    mapping[unknown] = len(table.matrix)
    return np.concatenate([table.matrix, np.zeros_like(table.matrix[:1])]), mapping


def _as_stored(matrix: Floats32, stored: Stored) -> NDArray[Any]:
    if stored != "int8":
        return matrix.astype(stored)
    return np.rint(matrix / _scale(matrix)).astype(np.int8)


def _scale(matrix: Floats32) -> float:
    """The unit of 8-bit values of a matrix."""
    return float(np.abs(matrix).max(initial=0)) / 127 or 1.0


def _ngram_tensors(ngrams: NgramRows, vectors: Floats32, stored: Stored) -> dict[str, NDArray[Any]]:
    """The rows as stored, with the factor that matches them to the stored vectors."""
    scale = _scale(ngrams.matrix) / _scale(vectors) if stored == "int8" else 1.0
    return {
        "ngrams": _as_stored(ngrams.matrix, stored),
        "lengths": np.array(ngrams.lengths, dtype=np.int32),
        "scale": np.array(scale, dtype=np.float32),
    }


def _read_ngrams(path: Path) -> NgramRows | None:
    if not path.is_file():
        return None
    tensors = _load_tensors(path)
    rows, lengths, scale = (tensors.get(name, np.empty(0)) for name in ("ngrams", "lengths", "scale"))
    fits = rows.ndim == 2 and rows.size and lengths.shape == (2,) and scale.shape == ()
    if not fits or not 1 <= lengths[0] <= lengths[1] or not np.isfinite(rows).all() or not scale > 0:
        raise ModelError("holds no rows for n-grams", path=path, fix=AGAIN)
    return NgramRows(rows.astype(np.float32) * np.float32(scale), (int(lengths[0]), int(lengths[1])))


def _modules(folder: Path) -> list[str]:
    """The types of the modules that sentence-transformers would run."""
    path = folder / "modules.json"
    found = read_json(path) or []
    if not isinstance(found, list) or not all(isinstance(module, dict) for module in found):
        raise ModelError("is not a list of modules", path=path, fix=AGAIN)
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in found]
    if tuple(kinds) not in ((), _KINDS[:1], _KINDS):
        raise ModelError(
            f"has the modules {', '.join(kinds)}; a static embedding has StaticEmbedding and maybe Normalize",
            path=path,
            fix="fold what follows into the table of vectors, and save that",
        )
    return kinds


def _load_tensors(path: Path) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(path))
    except FileNotFoundError as error:
        raise ModelError("is missing", path=path, fix="give a model2vec folder") from error
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"is truncated or no safetensors file: {error}", path=path, fix=AGAIN) from error


def _read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    tensors = _load_tensors(path)
    if not any(name in tensors for name in _TENSORS):
        found = ", ".join(sorted(tensors)[:3]) or "nothing"
        raise ModelError(
            f"holds no static embedding: expected the tensor {' or '.join(_TENSORS)}, found {found}",
            path=path,
            fix="give a model2vec folder",
        )
    return tensors


def _checked(table: StaticTable, home: Path) -> StaticTable:
    """The table, after checking that its parts fit together."""
    path = home / _WEIGHTS
    if table.matrix.ndim != 2 or not table.matrix.size:
        raise ModelError(
            f"the embedding has shape {list(table.matrix.shape)}, expected rows and columns",
            path=path,
            fix=AGAIN,
        )
    try:
        tokens = table.pipeline.token_count
    except ModelError as error:
        raise ModelError(error.message, path=home / TOKENIZER_FILE, fix=AGAIN) from error
    per_token = (
        {"embeddings": len(table.matrix)} if table.mapping is None else {"mapping": len(table.mapping)}
    )
    if table.weights is not None:
        per_token["weights"] = len(table.weights)
    if any(part is not None and part.ndim != 1 for part in (table.weights, table.mapping)):
        raise ModelError("weights and mapping must be one number a token", path=path, fix=AGAIN)
    for name, count in per_token.items():
        if count != tokens:
            raise ModelError(f"{name} has {count} rows, the tokenizer {tokens} tokens", path=path, fix=AGAIN)
    if table.ngrams is not None and table.ngrams.matrix.shape[1] != table.matrix.shape[1]:
        widths = f"{table.ngrams.matrix.shape[1]}, {path} of width {table.matrix.shape[1]}"
        raise ModelError(f"has rows of width {widths}", path=home / NGRAMS, fix=AGAIN)
    if table.mapping is not None and not (
        table.mapping.min() >= 0 and table.mapping.max() < len(table.matrix)
    ):
        raise ModelError(f"mapping names rows beyond the {len(table.matrix)} there are", path=path, fix=AGAIN)
    with np.errstate(all="ignore"):
        plain, weighted = (_largest(part) for part in (table.matrix, table.token_vectors))
    if not (plain <= _LARGEST and _SMALLEST <= weighted <= _LARGEST):
        raise ModelError(
            f"the largest number of the embedding is {plain:g}, {weighted:g} with weights, "
            f"expected {_SMALLEST:g} to {_LARGEST:g}",
            path=path,
            fix=AGAIN,
        )
    return table


def _largest(matrix: Floats32) -> float:
    """The largest absolute value, without copying the matrix; NaN if one is NaN."""
    return max(float(matrix.max()), -float(matrix.min()))


def _floats(tensor: NDArray[Any]) -> Floats32:
    with np.errstate(all="ignore"):  # values too large for float32 are rejected below
        return tensor.astype(np.float32)
