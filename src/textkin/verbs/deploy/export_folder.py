"""The folder of an export: how each target's is written, and opened again."""

from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.base.files import write_text
from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, load_scorer
from textkin.models.interop.exported import PACKAGES, Runtime, check_packages, open_exported, write_exported
from textkin.models.interop.folder_kinds import CERTIFICATE, PASSPORT
from textkin.models.interop.folders import OF_SENTENCE_TRANSFORMERS, save_folder
from textkin.models.interop.tensor_graph import Rows, graph_of, open_model2vec, open_sentence_transformers
from textkin.models.interop.word_models import as_static, static_table
from textkin.models.model_folder import CARD, Model
from textkin.text.static_embeddings import StaticTable, Stored, save_static
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.verbs.deploy.targets import Precision, Target
from textkin.version import __version__

_STORED: Mapping[Precision, Stored] = MappingProxyType({"fp32": "float32", "fp16": "float16", "int8": "int8"})
_PACKAGES: Mapping[Target, tuple[str, ...]] = MappingProxyType(
    {
        "onnx": PACKAGES["onnx"],
        "openvino": PACKAGES["openvino"],
        "sentence-transformers": ("sentence-transformers", "transformers"),
        "model2vec": ("model2vec",),
    }
)


def writer_of(model: Model, to: Target, precision: Precision) -> Callable[[Path], None]:
    """The function that writes an export without its certificate.

    What can't be exported is refused before anything is written.

    Raises:
        ModelError: the target can't express the model.
        MissingExtraError: the packages that write it are not installed.
    """
    try:
        return (_graph if to in PACKAGES else _layout)(model, to, precision)
    except ModelError as error:
        raise ModelError(f"{model.name} can't be exported to {to}: {error.message}", fix=error.fix) from error


def open_export(folder: Path, to: Target) -> tuple[str, Rows]:
    """An export's runtime with its version, and its outputs for texts or pairs.

    That is the target's own library; where sentence-transformers or model2vec are not installed, textkin.
    """
    if to == "onnx" or to == "openvino":
        rows: Rows | None = open_exported(folder, to)
    else:
        rows = (open_model2vec if to == "model2vec" else open_sentence_transformers)(folder)
    if rows is None:
        return f"textkin {__version__}", _own(folder)
    package = _PACKAGES[to][0]
    return f"{package} {metadata.version(package)}", rows


def library_versions(to: Target) -> dict[str, str]:
    """Versions of the libraries that write and run a target's folders, where they are installed."""
    found = {}
    for name in _PACKAGES[to]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _graph(model: Model, to: Target, precision: Precision) -> Callable[[Path], None]:
    """The writer of a network for a runtime."""
    runtime: Runtime = "onnx" if to == "onnx" else "openvino"
    check_packages(runtime)
    graph = graph_of(model.module, model.pipeline)
    return lambda folder: write_exported(graph, folder, runtime, name=model.name, precision=precision)


def _layout(model: Model, to: Target, precision: Precision) -> Callable[[Path], None]:
    """The writer of the layout of sentence-transformers or model2vec."""
    table = _table(model, to)

    def write(folder: Path) -> None:
        if table is None:
            save_folder(model.module, model.pipeline, folder, classes=model.facts.classes)
        else:
            save_static(table, folder, stored=_STORED[precision])
        _write_card(model.name, folder, to, precision)

    return write


def _table(model: Model, to: Target) -> StaticTable | None:
    """A model as means of token vectors; None if it is more, and the target supports that.

    Raises:
        ModelError: the target doesn't.
    """
    pipeline, static = model.pipeline, None
    if isinstance(pipeline, TokenizerPipeline) and pipeline.spelling is None:
        static = as_static(model.module, tokens=pipeline.token_count)
        if static is not None and (to == "sentence-transformers" or pipeline.drop_unknown):
            return static_table(static, pipeline)
    if to == "model2vec":
        raise ModelError(
            "that knows means of token vectors alone",
            fix="give a static encoder, or make one with `distil()`",
        )
    if model.architecture not in OF_SENTENCE_TRANSFORMERS:
        raise ModelError(
            f"that has no counterpart of its architecture, {model.architecture}",
            fix="give a transformer, a cross-encoder or a static encoder",
        )
    return None


def _write_card(name: str, folder: Path, to: Target, precision: Precision) -> None:
    write_text(
        folder / CARD,
        f"---\nlibrary_name: {to}\n---\n\n# {name}\n\n"
        f"Exported by textkin to the layout of {to}, in {precision}. `{CERTIFICATE}` says how near this is "
        f"to the original. `{PASSPORT}` has the original's threshold and calibration, "
        "and tells this model from others.\n",
    )


def _own(folder: Path) -> Rows:
    """A folder opened by textkin itself; for a classifier's pairs it gives logarithms of probabilities."""
    opened = load_scorer(folder)

    def rows(texts: Sequence[Any]) -> Floats32:
        if isinstance(opened, NeuralEncoder):
            return opened.network_vectors(texts)
        if isinstance(opened, NeuralClassifier):
            return np.log(opened.classify(texts))
        return opened.score(texts)[:, None]

    return rows
