"""The model folder: contents, writing and reading.

::

    textkin.json         the manifest: format version, architecture with its arguments, text pipeline,
                         threshold, calibration, provenance, hashes of the other files
    model.safetensors    the weights
    vocabulary.txt       or tokenizer.json: what the text pipeline needs
    README.md            the model card
    seen.npy             hashes of the texts and pairs that it has learnt from, see ``training_texts.py``
    passport.json        what it says of 64 texts, see ``passports``; written by what saves models, and not
                         named in the manifest, since it names the other files itself

The folder of a transformer, a static encoder or a cross-encoder is also a folder of sentence-transformers:
``modules.json``, or for a cross-encoder ``config.json``, and related files describe the model and hold its
weights, and both libraries read them. The manifest then adds textkin's own data. Folders of other libraries
are supported too; they have no manifest.

Pickle is never used. A failed save leaves the folder unchanged. The manifest is written last and names the
other files by hash, so an interrupted, mixed or damaged folder is detected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from textkin.base.errors import ModelError
from textkin.base.files import atomic_files, ensure_folder, sha256_of_file, write_json, write_text
from textkin.base.hub import name_of
from textkin.base.json_fields import AGAIN, blaming, table, text, wrong
from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.no_answer import SavedNoAnswer
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.adapters import ADAPTER, is_adapted, merged
from textkin.models.interop.folder_kinds import MANIFEST, PASSPORT
from textkin.models.interop.folders import SHARED, read_folder, save_folder
from textkin.models.manifest import (
    FORMAT,
    SEEN,
    ModelFacts,
    check_files,
    facts_of,
    inside,
    is_model_dir,
    read_manifest,
)
from textkin.models.own_code import CODE, code_of_model, require_code
from textkin.models.passports.document import PassportDecision
from textkin.models.pretraining import PRETRAINED_ON, pretraining_in_words
from textkin.models.weights import check_depth, check_numbers, check_shapes, load_tensors, save_tensors
from textkin.networks.architectures.backbone import tokens_of
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.table import Network, build
from textkin.text.pipeline import TextPipeline, load_pipeline
from textkin.text.truncation_account import reads_in_words
from textkin.version import __version__

WEIGHTS = "model.safetensors"
CARD = "README.md"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The contents of a model folder.

    Attributes:
        facts: what the folder says of its model.
        architecture: a name of ``networks.architectures.table.ARCHITECTURES``, or one's own import path.
        arguments: the architecture's keyword arguments.
        module: the network with its weights.
        pipeline: texts to ids.
    """

    facts: ModelFacts
    architecture: str
    arguments: Mapping[str, Any]
    module: Network
    pipeline: TextPipeline

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.facts.name


def save_model(model: Model, folder: Path | str, *, card: str = "") -> Path:
    """Write a model folder; an older model is replaced, other files stay.

    Raises:
        ModelError: the older model names files outside the folder; nothing was written.
        OutputError: the folder isn't writable; its contents are unchanged.
    """
    target = ensure_folder(folder)
    older = _files_of(target)
    with atomic_files(target, last=MANIFEST) as staged:
        if not save_folder(model.module, model.pipeline, staged, classes=model.facts.classes):
            save_tensors(staged / WEIGHTS, model.module.state_dict())
            model.pipeline.save(staged)
        if model.facts.seen is not None:
            model.facts.seen.save(staged / SEEN)
        files = sorted(item for item in staged.rglob("*") if item.is_file())
        hashes = {item.relative_to(staged).as_posix(): sha256_of_file(item) for item in files}
        write_text(staged / CARD, card or _plain_card(model))
        write_json(staged / MANIFEST, {**_manifest(model), "files": hashes})
    for name in {*older, PASSPORT} - hashes.keys():  # the passport was the older model's
        inside(target, name).unlink(missing_ok=True)
    return target


def save_decision(
    folder: Path | str, *, threshold: SavedThreshold | None, calibration: Calibration | None
) -> None:
    """Write a new threshold and calibration into an existing model folder."""
    target = Path(folder)
    manifest = read_manifest(target)
    write_json(target / MANIFEST, manifest | PassportDecision(threshold, calibration).fields())


def save_no_answer(folder: Path | str, found: SavedNoAnswer) -> None:
    """Write a no-answer rule into the model folder of a reader."""
    target = Path(folder)
    write_json(target / MANIFEST, {**read_manifest(target), "no_answer": found.to_dict()})


def load_model(folder: Path | str) -> Model:
    """Read a model folder, or the folder of another library's encoder or cross-encoder.

    Raises:
        ModelError: it is missing, incomplete, truncated, foreign, or written by a newer textkin.
    """
    source = Path(folder)
    with blaming(source):
        if not is_model_dir(source) and (parts := read_folder(source)) is not None:
            facts = ModelFacts(name_of(source), classes=parts.classes, folder=source.resolve())
            return Model(facts, parts.architecture, parts.arguments, parts.module, parts.pipeline)
        manifest = read_manifest(source)
        check_files(source, table(manifest, "files", source / MANIFEST))
        return _model(source, manifest)


def _model(source: Path, manifest: Mapping[str, Any]) -> Model:
    path = source / MANIFEST
    architecture = text(manifest, "architecture", path)
    parts = read_folder(source) if architecture in SHARED else None
    architecture, arguments, module, pipeline = (
        _network(source, manifest)
        if parts is None
        else (parts.architecture, parts.arguments, parts.module, parts.pipeline)
    )
    facts = facts_of(source, manifest)
    if facts.classes and len(facts.classes) != getattr(module, "outputs", 0):
        raise wrong(manifest, "classes", path, "a name for each output")
    return Model(facts, architecture, arguments, module.eval(), pipeline)


def _network(
    source: Path, manifest: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any], Network, TextPipeline]:
    """Architecture, arguments, network and pipeline of a textkin-only folder."""
    path, place = source / MANIFEST, source / (ADAPTER if is_adapted(source) else WEIGHTS)
    architecture, arguments = text(manifest, "architecture", path), table(manifest, "arguments", path)
    require_code(source, architecture, table(manifest, "text", path), manifest.get(CODE))
    pipeline = load_pipeline(source, table(manifest, "text", path))
    rows = arguments.get("size", pipeline.size)
    if rows != pipeline.size:
        raise ModelError(
            f"the text pipeline has {pipeline.size} ids, the architecture {rows} rows", path=source, fix=AGAIN
        )
    weights = _weights(place)
    check_depth(arguments, len(weights), path)
    check_shapes(lambda: build(architecture, **arguments), weights, place)
    module = build(architecture, **arguments)
    module.load_state_dict(weights)
    check_numbers(module, place)
    if (known := _tokens_of(module)) is not None and pipeline.size > known:
        raise ModelError(
            f"the tokenizer has {pipeline.size} tokens, the network {known}",
            path=source,
            fix=AGAIN,
            value=(pipeline.size, known),
        )
    return architecture, arguments, module, pipeline


def _weights(place: Path) -> dict[str, Tensor]:
    """The tensors of a textkin-only folder, from its weights or its adapter."""
    if place.name != ADAPTER:
        return load_tensors(place)
    return {name: torch.from_numpy(tensor) for name, tensor in merged(place).items()}


def _tokens_of(module: Network) -> int | None:
    """The vocabulary size of the transformer in a network; None if it has none."""
    part = next((part for part in module.modules() if hasattr(part, "get_input_embeddings")), None)
    return None if part is None else tokens_of(part)


def _files_of(folder: Path) -> set[str]:
    """The files of the model in a folder, if any, according to its manifest.

    A file whose hash differs from the manifest's doesn't belong to the model.

    Raises:
        ModelError: it names files outside the folder.
    """
    try:
        hashes = dict(read_manifest(folder)["files"])
    except (ModelError, KeyError, TypeError, ValueError):
        return set()
    places = {name: inside(folder, name) for name in hashes}
    return {
        name for name, place in places.items() if place.is_file() and sha256_of_file(place) == hashes[name]
    }


def _manifest(model: Model) -> dict[str, Any]:
    facts, text = model.facts, model.pipeline.to_dict()
    code = code_of_model(model.architecture, text)
    return {
        "format": FORMAT,
        "textkin": __version__,
        "name": facts.name,
        "architecture": model.architecture,
        "arguments": dict(model.arguments),
        "similarity": _similarity(model),
        "classes": list(facts.classes),
        **({CODE: code} if code else {}),
        "text": text,
        **PassportDecision(facts.threshold, facts.calibration).fields(),
        **({} if facts.no_answer is None else {"no_answer": facts.no_answer.to_dict()}),
        "provenance": dict(facts.provenance),
    }


def _similarity(model: Model) -> str:
    """The output of the model: the cosine of two vectors, a score of its own, or classes."""
    if not isinstance(model.module, Matcher):
        return "cosine"
    return "classes" if model.facts.classes else "score"


def origin_in_words(model: Model) -> str:
    """The maximum text length of a model, and its pretraining, in sentences."""
    learnt = pretraining_in_words(model.facts.provenance.get(PRETRAINED_ON, ()))
    return f"{reads_in_words(model.pipeline)} {learnt}".strip()


def _plain_card(model: Model) -> str:
    return (
        f"# {model.name}\n\nA textkin model ({model.architecture}); nothing has been measured with it yet. "
        f"{origin_in_words(model)}\n"
    )
