"""A service opened from a user's options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError, inapplicable
from textkin.base.hub import locate, located
from textkin.collection.open_collection import open_collection
from textkin.collection.phrases.manifest import is_index
from textkin.collection.store.address import Place, is_address, is_in_memory, place_of
from textkin.models.interop.folder_kinds import EXPORT, Kind, kind_of
from textkin.server.call import ServerLimits
from textkin.server.keys import Keys
from textkin.server.memory_release import bound_libraries
from textkin.server.metrics import SharedMetrics
from textkin.server.served_collection import ServedCollection
from textkin.server.served_model import AnyOpened, OpenedModels, ServedModel
from textkin.server.served_phrases import ServedPhrases
from textkin.server.served_runs import ServedRuns
from textkin.server.service import ServedBeside, Service
from textkin.text.baselines.names import BASELINES, BaselineNames
from textkin.text.baselines.span_readers import SPAN_BASELINES
from textkin.vectors.batched_encoding import Precision
from textkin.verbs.argument_order import is_collection


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The user's models, collections and other things to serve.

    Attributes:
        models: folders, names, or NAME=MODEL.
        collections: folders, NAME=DIR, or addresses of databases.
        phrases: folders of phrase indexes, or NAME=INDEX.
        runs: the folder of runs; None to show none.
        link: the address of the page of a text, with ``{id}`` for its id; None without such pages.
        precision: the numeric precision of transformers' vectors.
        decision: a file whose threshold decides matches, see :class:`ServedCollection`.
        watched: True to watch the matches of collections.

    Raises:
        ModelError: a baseline is named, which has no folder.
        UsageError: a decision is given, and no collection.
    """

    models: Sequence[str] = ("default",)
    collections: Sequence[str] = ()
    phrases: Sequence[str] = ()
    runs: Path | None = None
    link: str | None = None
    precision: Precision = "auto"
    decision: Path | str | None = None
    watched: bool = False

    @classmethod
    def named(cls, words: Sequence[str], *, default: str | None = None) -> Served:
        """What words name, each a model, a collection or an index of phrases.

        Args:
            words: names, folders, addresses of databases, or NAME=PLACE.
            default: the model to serve where none is named.
        """
        kinds: dict[str, Any] = {"models": [], "collections": [], "phrases": []}
        for word in words:
            _, place = _named(word)
            is_kept = is_collection(place) or place.endswith(".kin")  # else a missing one is told as a model
            kind = "collections" if is_kept else "phrases" if is_index(place) else "models"
            kinds[kind].append(word)
        if not kinds["models"] and default is not None:
            kinds["models"] = [default]
        return cls(**kinds)

    @property
    def in_memory(self) -> list[str]:
        """The collections that are in memory only."""
        return [word for word in self.collections if is_in_memory(place_of(_named(word)[1]))]

    def __post_init__(self) -> None:
        if self.decision is not None and not self.collections:
            raise inapplicable("decision", to="models", fix="leave it out, or serve a collection, too")
        for word in self.models:
            _, place = _named(word)
            if place in BaselineNames((*BASELINES, *SPAN_BASELINES)) and locate(place) is None:
                raise ModelError(
                    f"{place} is a baseline, which takes what it knows of words from the texts at hand",
                    fix="serve default, minilm or a folder; `search()` with `mode=words` ranks by BM25",
                )


class ReadyModels:
    """The models of a service, opened and warmed up before requests and before forking workers.

    Models with threads of their own can't be forked, so each worker opens them itself: exports, because of
    their runtimes, and ensembles, which may have exports as members.

    Args:
        served: the user's options.
        before: open models; those whose files have changed are reopened.

    Raises:
        ModelError, UsageError, DataError: as :func:`open_service`.
    """

    def __init__(self, served: Served, *, before: ReadyModels | None = None) -> None:
        self.served = served
        self.opened: OpenedModels = OpenedModels() if before is None else before.opened.renewed()
        known: Mapping[str, ServedModel] = {} if before is None else before._models
        self._models: dict[str, ServedModel] = {}
        for word in served.models:
            name, place = _named(word)
            if not _may_part(located(place)):
                continue
            there = known.get(word)
            self._models[word] = (
                there if there is not None and not there.has_changed else self._model(name, place)
            )
        for word in served.collections:
            if not is_in_memory(folder := place_of(_named(word)[1])):
                self._open_model_of(folder)

    @property
    def all_parted(self) -> bool:
        """True if all models are open here, so that workers needn't open any."""
        return len(self._models) == len(set(self.served.models))

    def models(self) -> list[ServedModel]:
        """All models; those that can't be forked are opened now."""
        return [self._models.get(word) or self._model(*_named(word)) for word in self.served.models]

    @property
    def precisions(self) -> dict[str, str]:
        """The numeric precision of each model's vectors, and the reason, by model name."""
        return {one.name: one.precision for one in self._models.values()}

    def names_of_others(self, before: ReadyModels) -> list[str]:
        """The names of reopened models."""
        return [one.name for word, one in self._models.items() if before._models.get(word) is not one]

    def _model(self, name: str, place: str) -> ServedModel:
        return ServedModel(name, place, precision=self.served.precision, models=self.opened)

    def _open_model_of(self, place: Place) -> None:
        """Open a collection's model without the collection, since databases can't be forked."""

        def shared(folder: Path) -> AnyOpened:
            if not _may_part(folder):
                raise _CannotPart
            return self.opened.of(folder)

        with suppress(_CannotPart), open_collection(place, open_by=shared) as opened:
            opened.model.opened()


def open_service(
    served: Served,
    limits: ServerLimits | None = None,
    *,
    keys: Keys | None = None,
    auto_truncate: bool = False,
    read_only: bool = False,
    ready: ReadyModels | None = None,
    shared: SharedMetrics | None = None,
) -> Service:
    """Open models and collections.

    Args:
        served: the user's options.
        limits: see :class:`Service`.
        keys: see :class:`Service`.
        auto_truncate: see :class:`Service`.
        read_only: see :class:`Service`.
        ready: open models; without them, the first requests wait for loading.
        shared: the metrics files of this worker process; None if it is the only one.

    Raises:
        ModelError: there is no such model, or the decision was made for another one.
        UsageError: there is no such collection, or two have one name.
        DataError: a collection or an index is damaged, or the folder of runs doesn't exist.
    """
    bound_libraries()
    opened = OpenedModels() if ready is None else ready.opened
    if ready is None:
        models = [
            ServedModel(*_named(word), precision=served.precision, models=opened) for word in served.models
        ]
    else:
        models = ready.models()
    collections = []
    for word in served.collections:
        name, place = _named(word)
        name = name.removesuffix(".kin")
        collections.append(
            ServedCollection(
                place,
                name=name,
                limits=limits,
                watched=served.watched,
                decision=served.decision,
                models=opened,
            )
        )
    phrases = []
    for word in served.phrases:
        name, place = _named(word)
        phrases.append(ServedPhrases(place, name=name))
    return Service(
        models,
        collections,
        keys=keys,
        limits=limits,
        auto_truncate=auto_truncate,
        read_only=read_only,
        beside=ServedBeside(
            phrases=phrases,
            runs=None if served.runs is None else ServedRuns(served.runs),
            link=served.link,
            shared=shared,
        ),
    )


class _CannotPart(Exception):
    """A model has threads of its own."""


def _may_part(folder: Path) -> bool:
    """True if a process with an open model can be forked."""
    return not (folder / EXPORT).is_file() and kind_of(folder) is not Kind.ENSEMBLE


def _named(word: str) -> tuple[str, str]:
    """Name and path of NAME=PATH; for a path alone its last part, and for a "model" folder its parent's."""
    name, equals, place = word.partition("=")
    if is_address(word):
        return place_of(word).name, word
    if equals and is_address(place):
        return name, place
    if Path(word).exists():
        folder = Path(word).resolve()
        return (folder.parent.name if folder.name == "model" else folder.name), word
    return (name, place) if equals else (word, word)
