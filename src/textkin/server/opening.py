"""A service of what a user names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.server.keys import Keys
from textkin.server.limits import ServerLimits
from textkin.server.memory import bound_libraries
from textkin.server.opened_models import OpenedModels
from textkin.server.served_collection import ServedCollection
from textkin.server.served_model import ServedModel
from textkin.server.served_phrases import ServedPhrases
from textkin.server.served_runs import ServedRuns
from textkin.server.service import ServedBeside, Service
from textkin.store.address import is_address, place_of
from textkin.vectors.streaming import Precision


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a user wants to serve.

    Attributes:
        models: folders, names, or NAME=MODEL.
        collections: folders, NAME=DIR, or addresses of databases.
        phrases: folders of indexes of phrases, or NAME=INDEX.
        runs: the folder in which runs lie; None to show none.
        precision: what transformers compute vectors in.
        watched: watch the matches of collections.
    """

    models: Sequence[str] = ("default",)
    collections: Sequence[str] = ()
    phrases: Sequence[str] = ()
    runs: Path | None = None
    precision: Precision = "auto"
    watched: bool = False


def open_service(
    served: Served,
    limits: ServerLimits | None = None,
    *,
    keys: Keys | None = None,
    auto_truncate: bool = False,
    read_only: bool = False,
) -> Service:
    """Open models and collections; arguments are those of :class:`Service`.

    Raises:
        ModelError: there is no such model.
        UsageError: there is no such collection, or two have one name.
        DataError: a collection or an index is damaged, or there is no folder of runs.
    """
    bound_libraries()
    opened = OpenedModels()
    models = [ServedModel(*_named(word), precision=served.precision, models=opened) for word in served.models]
    collections = []
    for word in served.collections:
        name, place = _named(word)
        name = name.removesuffix(".kin")
        collections.append(
            ServedCollection(place, name=name, limits=limits, watched=served.watched, models=opened)
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
        beside=ServedBeside(phrases=phrases, runs=None if served.runs is None else ServedRuns(served.runs)),
    )


def _named(word: str) -> tuple[str, str]:
    """Name and place in NAME=PLACE; of a place alone its last part, and of a "model" folder its parent's."""
    name, equals, place = word.partition("=")
    if is_address(word):
        return place_of(word).name, word
    if equals and is_address(place):
        return name, place
    if Path(word).exists():
        folder = Path(word).resolve()
        return (folder.parent.name if folder.name == "model" else folder.name), word
    return (name, place) if equals else (word, word)
