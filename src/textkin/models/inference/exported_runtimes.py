"""Exports for ONNX Runtime and OpenVINO as encoders, scorers and classifiers."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, inapplicable
from textkin.base.json_fields import read_object, table, text
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Side
from textkin.models.interop.exported import SETTINGS, open_exported, runtime_of
from textkin.models.interop.tensor_graph import VECTORS, Rows
from textkin.models.network_outputs import softmax
from textkin.text.baselines.pair_scoring import ScoresByCosine


class ExportedEncoder(ScoresByCosine):
    """An exported encoder: the outputs of its graph, unmodified.

    Args:
        folder: the export.
    """

    is_table = False  # a graph has no such information; its exporter has
    adds_unknown = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        settings = read_object(folder / SETTINGS)
        self.name = text(settings, "model", folder / SETTINGS)
        self._prompts = table(settings, "prompts", folder / SETTINGS)

    @cached_property
    def dim(self) -> int:
        """Width of the vectors."""
        return int(self.encode(["a"]).shape[1])

    @property
    def has_sides(self) -> bool:
        """True if queries and documents have prompts."""
        return bool(self._prompts)

    def prompt_of(self, side: Side) -> str:
        """The prompt for the texts of a side."""
        return str(self._prompts.get(side.value, ""))

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """The vectors from the graph."""
        return _opened(self.folder, side)(texts)

    def _without_prompts(self) -> EncodesTexts:
        if self._prompts:
            raise inapplicable(
                "prompt", to=f"{self.name}, which has its own prompts", fix="give `prompt_name` instead"
            )
        return self

    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The same vectors."""
        return self.encode(texts, side=side)


class _ExportedMatcher:
    """An exported cross-encoder.

    Args:
        folder: the export.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = text(read_object(folder / SETTINGS), "model", folder / SETTINGS)


class ExportedScorer(_ExportedMatcher):
    """An exported cross-encoder with one output."""

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, any real number. Shape [pairs]."""
        return _opened(self.folder)(text_pairs_of(pairs))[:, 0]


class ExportedClassifier(_ExportedMatcher):
    """An exported cross-encoder with one output per class, named by number."""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The numbers of the classes: the folder has no names."""
        return tuple(map(str, range(self.classify([("a", "b")]).shape[1])))

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The probability of each class, shape [pairs, classes]."""
        return softmax(_opened(self.folder)(text_pairs_of(pairs)))


def load_exported(folder: Path) -> ExportedEncoder | ExportedScorer | ExportedClassifier:
    """Load an export for ONNX Runtime or OpenVINO.

    Raises:
        ModelError: there is none in the folder, or its files can't be read.
        MissingExtraError: its runtime is not installed.
    """
    place = folder / SETTINGS
    if text(read_object(place), "output", place) == VECTORS:
        return ExportedEncoder(folder)
    outputs = _opened(folder)([("a", "b")]).shape[1]
    return ExportedScorer(folder) if outputs == 1 else ExportedClassifier(folder)


def _opened(folder: Path, side: Side = Side.TEXT) -> Rows:
    runtime = runtime_of(folder)
    if runtime is None:
        raise ModelError("holds no export", path=folder, fix="give a folder that `export()` wrote")
    return open_exported(folder, runtime, side=side)
