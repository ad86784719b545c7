"""The code of a user's own parts in a model: noted when it is saved, required when it is opened."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError
from textkin.base.import_path import Origin, import_path, is_import_path, origin_of
from textkin.base.progress import note
from textkin.networks.architectures.table import ARCHITECTURES
from textkin.networks.losses.table import LOSSES
from textkin.networks.recipes.recipe import Recipe
from textkin.text.tokenisers import TOKENISERS

CODE = "code"
"""The key of the notes in a manifest and in a run's identity."""


def code_of_model(architecture: str, text: Mapping[str, Any]) -> list[dict[str, str | None]]:
    """The notes on own parts of a model, as JSON.

    Raises:
        UsageError: a module is missing.
    """
    return [asdict(one) for one in _parts_of_model(architecture, text)]


def code_of_recipe(recipe: Recipe) -> list[dict[str, str | None]]:
    """The notes on own parts of a recipe, as JSON.

    Raises:
        UsageError: a module is missing.
    """
    losses = (_origin(one.loss, LOSSES, "loss") for one in recipe.objectives)
    text = {"tokenise": recipe.text.tokenise}
    return [asdict(one) for one in (*_parts_of_model(recipe.model.architecture, text), *losses) if one]


def require_code(folder: Path, architecture: str, text: Mapping[str, Any], noted: Any) -> None:
    """Make sure that the own parts of a model are at hand; say so if they have changed.

    Raises:
        ModelError: a part isn't noted in the manifest.
        UsageError: a module is missing.
    """
    known = {one.get("path"): one for one in noted or () if isinstance(one, dict)}
    for path in known:
        if isinstance(path, str) and is_import_path(path):  # perhaps by an entry point, which goes with it
            origin_of(path, kind=CODE)
    for found in _parts_of_model(architecture, text):
        before = known.get(found.path)
        if before is None:
            raise ModelError(
                f"needs {found.path}, whose code isn't noted in it", path=folder, fix="train the model again"
            )
        if before.get("sha256") != found.sha256:
            module = found.path.partition(":")[0]
            note(f"warning: {module} has changed since {folder} was saved, so its scores may have, too")


def _parts_of_model(architecture: str, text: Mapping[str, Any]) -> Iterator[Origin]:
    for name, bundled, kind in (
        (architecture, ARCHITECTURES, "architecture"),
        (text.get("tokenise"), TOKENISERS, "tokenise"),
    ):
        if (found := _origin(name, bundled, kind)) is not None:
            yield found


def _origin(name: Any, bundled: Mapping[str, Any], kind: str) -> Origin | None:
    """The code of one's own part; None for a bundled one and for unknown names."""
    path = None if name is None or name in bundled else import_path(str(name), kind=kind)
    return None if path is None else origin_of(path, kind=kind)
