"""``list_models``: the models on this machine that a name opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.hub import BOX, cached, installed, located
from textkin.base.json_fields import read_object
from textkin.base.paths import is_file
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.base.verbs import verb

_ABOUT = "about.json"
"""The file that says what a model at hand is for: its use, a figure, its licence."""


@dataclass(frozen=True, slots=True)
class ModelAtHand:
    """A model that a name opens.

    Attributes:
        name: its name, for every command.
        place: ``box`` (comes with textkin), ``environment`` (installed beside it) or ``cache`` (downloaded).
        megabytes: size of its files.
        use: the use it is made for; of downloaded models the sort of network.
        figure: a measured figure; empty for downloaded models.
        licence: its licence; empty for downloaded models.
        folder: its folder.
    """

    name: str
    place: str
    megabytes: float
    use: str
    figure: str
    licence: str
    folder: Path


@dataclass(frozen=True, slots=True, repr=False)
class Models(Result):
    """The models on this machine, built-in ones first.

    Attributes:
        models: by place and name.

    Example:
        >>> import textkin as tk
        >>> [found.name for found in tk.list_models() if found.place == "box"][:2]
        ['default', 'minilm']
    """

    models: tuple[ModelAtHand, ...]

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.models:
            yield {name: getattr(one, name) for name in ModelAtHand.__slots__}

    def text(self) -> str:
        """A table of names, sizes, uses and figures."""
        rows = [(one.name, one.place, f"{one.megabytes:,.1f}", one.use, one.figure) for one in self.models]
        return text_table(("model", "place", "MB", "use", "figure"), rows)

    def as_dict(self) -> dict[str, Any]:
        """All that is known of each."""
        return {"models": self.rows()}


@verb
def list_models() -> Models:
    """List the models that a name opens: built-in, installed beside textkin, or downloaded before.

    Every command that takes a model takes these names, and the folders of models that you train.

    Returns:
        :class:`Models`, a row for each.

    Example:
        >>> import textkin as tk
        >>> tk.list_models()[0].use
        'vectors, without torch'
    """
    found = [_at_hand(name, "box", located(name)) for name in BOX]
    found += [_at_hand(name, "environment", folder) for name, folder in installed().items()]
    found += [_at_hand(name, "cache", folder) for name, folder in cached().items()]
    return Models(tuple(found))


def _at_hand(name: str, place: str, folder: Path) -> ModelAtHand:
    about = read_object(folder / _ABOUT) if is_file(folder / _ABOUT) else {"use": _architecture(folder)}
    size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6
    return ModelAtHand(
        name, place, size, about["use"], about.get("figure", ""), about.get("licence", ""), folder
    )


def _architecture(folder: Path) -> str:
    """The sort of network in a folder, by its settings."""
    for name, key in (("textkin.json", "architecture"), ("config.json", "model_type")):
        if is_file(folder / name) and isinstance(found := read_object(folder / name).get(key), str):
            return found
    return "unknown"
