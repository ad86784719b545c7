"""The kind of model in a folder, from its JSON files alone."""

from enum import StrEnum
from pathlib import Path

from textkin.base.import_path import MODEL_FILE
from textkin.base.json_fields import read_json

MANIFEST = MODEL_FILE
ENSEMBLE = "ensemble.json"
MODULES = "modules.json"
CONFIG = "config.json"
EXPORT = "export.json"
CERTIFICATE = "parity.json"
PASSPORT = "passport.json"


class Kind(StrEnum):
    """The library and purpose of a model folder."""

    TEXTKIN = "textkin"
    ENSEMBLE = "ensemble"  # the folders of its other models are named in its file
    STATIC = "static"  # model2vec, or a static embedding of sentence-transformers
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    HUGGING_FACE = "Hugging Face"  # a bare transformer
    UNKNOWN = "unknown"


def kind_of(folder: Path, *, beside_manifest: bool = False) -> Kind:
    """The kind of a folder.

    Args:
        folder: the folder.
        beside_manifest: ignore textkin's manifest, and determine the kind of the other files.

    Raises:
        ModelError: a file needed for this isn't JSON.
    """
    if not beside_manifest:
        if (folder / MANIFEST).is_file():
            return Kind.TEXTKIN
        if (folder / ENSEMBLE).is_file():
            return Kind.ENSEMBLE
    modules, config = read_json(folder / MODULES), read_json(folder / CONFIG)
    if modules is not None:
        first = modules[0] if isinstance(modules, list) and modules else None
        static = isinstance(first, dict) and str(first.get("type", "")).endswith(".StaticEmbedding")
        return Kind.STATIC if static else Kind.SENTENCE_TRANSFORMERS
    if config is None:
        return Kind.UNKNOWN
    known = isinstance(config, dict) and config.get("model_type") not in (None, "model2vec")
    return Kind.HUGGING_FACE if known else Kind.STATIC
