"""Models open in this process, each opened once and shared by all users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import final

from textkin.base.errors import ModelError
from textkin.data.protocols import Classifier, Scorer, SpanReader
from textkin.kinds.systems import load_reader
from textkin.kinds.systems.passports import open_model
from textkin.models.provenance import files_of_model
from textkin.text.word_cache import load_word_loops

AnyOpened = Scorer | Classifier | SpanReader


@final
@dataclass(frozen=True, slots=True, eq=False)
class OpenedModel:
    """A model of any kind.

    Attributes:
        system: the model itself.
        files: the hashes of its files when it was opened.
    """

    system: AnyOpened
    files: Mapping[str, str]


@final
class OpenedModels:
    """Models by folder. Threads may share a model, since computing keeps no state.

    Args:
        opened: models that are already open.
    """

    def __init__(self, opened: Mapping[Path, OpenedModel] | None = None) -> None:
        self._opened, self._turn = dict(opened or {}), Lock()

    def of(self, folder: Path) -> AnyOpened:
        """The model in a folder.

        Raises:
            ModelError: there is none.
        """
        return self.at(folder).system

    def at(self, folder: Path) -> OpenedModel:
        """The model in a folder, with the files it was opened from, ignoring later changes.

        Raises:
            ModelError: there is none.
        """
        place = folder.resolve()
        with self._turn:
            found = self._opened.get(place)
            if found is None:
                files = files_of_model(folder)  # before opening: if files change now, the model is older
                found = self._opened[place] = OpenedModel(_opened(folder), files)
            return found

    def load_loops(self) -> None:
        """Warm up tokenizers, which otherwise pause after the first 600,000 characters."""
        with self._turn:
            for one in self._opened.values():
                load_word_loops(one.system)

    def renewed(self) -> OpenedModels:
        """These models, except those whose files have changed."""
        with self._turn:
            kept = {place: one for place, one in self._opened.items() if files_of_model(place) == one.files}
        return OpenedModels(kept)


def _opened(folder: Path) -> AnyOpened:
    """The model in a folder, of any kind."""
    try:
        return open_model(folder)
    except ModelError as error:
        try:
            return load_reader(folder)
        except ModelError:
            raise error from None
