"""The single entry point for reading and writing folders of other libraries' models."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from textkin.base.errors import ModelError
from textkin.models.interop import sentence_transformers, word_models
from textkin.models.interop.cross_encoder import is_cross_encoder, read_cross_encoder, save_cross_encoder
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.models.interop.hugging_face import Parts
from textkin.models.interop.span_reader import is_reader, read_reader, save_reader
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline


def read_folder(folder: Path) -> Parts | None:
    """Read a folder of another library, or of :func:`save_folder`; None for other folders.

    Raises:
        ModelError: a file is missing or broken, or the folder contains something unsupported.
    """
    kind = kind_of(folder, beside_manifest=True)
    read = _READERS.get(kind)
    return None if read is None else read(folder)


def save_folder(
    module: Network, pipeline: TextPipeline, folder: Path, *, classes: Sequence[str] = ()
) -> bool:
    """Write files for other libraries; return False if none support such a network.

    Args:
        module: the network.
        pipeline: texts to ids.
        folder: the output folder.
        classes: the classes of a classifier's outputs.

    Raises:
        OutputError: the folder isn't writable.
    """
    if isinstance(module, CrossEncoder) and isinstance(pipeline, PairPipeline):
        save_cross_encoder(module, pipeline, folder, classes=classes)
        return True
    if isinstance(module, TransformerReader) and isinstance(pipeline, PairPipeline):
        save_reader(module, pipeline, folder)
        return True
    if not isinstance(pipeline, TokenizerPipeline):
        return False
    if isinstance(module, TransformerEncoder):
        sentence_transformers.save_sentence_encoder(module, pipeline, folder)
    elif isinstance(module, StaticTower):
        word_models.save_static_encoder(module, pipeline, folder)
    else:
        return False
    return True


def _read_modules(folder: Path) -> Parts:
    steps = sentence_transformers.read_steps(folder)
    if not steps:
        raise ModelError("has no modules", path=folder, fix="choose another model")
    if is_cross_encoder(folder):
        return read_cross_encoder(folder)
    return (
        word_models.read_word_model
        if steps[0].kind == "WordEmbeddings"
        else sentence_transformers.read_sentence_encoder
    )(folder)


def _read_bare(folder: Path) -> Parts:
    if is_reader(folder):
        return read_reader(folder)
    return (read_cross_encoder if is_cross_encoder(folder) else sentence_transformers.read_bare_transformer)(
        folder
    )


OF_SENTENCE_TRANSFORMERS = frozenset({"static", "transformer", "cross-encoder"})
"""Architectures whose model folders sentence-transformers opens."""

SHARED = OF_SENTENCE_TRANSFORMERS | {"reader"}
"""Architectures whose model folders are in the format of other libraries."""

_READERS: Mapping[Kind, Callable[[Path], Parts]] = MappingProxyType(
    {
        Kind.STATIC: word_models.read_static_encoder,
        Kind.SENTENCE_TRANSFORMERS: _read_modules,
        Kind.HUGGING_FACE: _read_bare,
    }
)
