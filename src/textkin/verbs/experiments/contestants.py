"""Recipes that are trained together, and their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from textkin.base.errors import ConfigError, invalid
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import PRETRAINED, Recipe, Task, load_recipe
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.names import BASELINES

ALL = "all"
"""Stands for every bundled recipe that fits the data, and can be trained from where training starts."""

_TAKEN = frozenset({*BASELINES, *CLASS_BASELINES})


def by_name(recipes: Iterable[Recipe]) -> dict[str, Recipe]:
    """The recipes by their names, which are folders and columns.

    Raises:
        ConfigError: a name is no file name.
        UsageError: a name is that of a baseline or of another recipe.
    """
    found: dict[str, Recipe] = {}
    for recipe in recipes:
        name = recipe.name
        if Path(name).name != name or name.startswith(".") or len(name.split()) != 1:
            raise ConfigError(
                f"a recipe is called {name!r}, which is no file name", fix="leave out blanks and slashes"
            )
        if name in found or name in _TAKEN:
            raise invalid("recipes", name, expected="a name that no other system has")
        found[name] = recipe
    return found


def named(names: Sequence[str], task: Task | None = None) -> list[Recipe]:
    """The recipes that were named one by one, without those of :data:`ALL`.

    Args:
        names: of bundled recipes, paths of TOML files, or :data:`ALL`.
        task: their task; None for the first one's.

    Raises:
        UsageError: no recipe is named at all.
        ConfigError: there is no such recipe, it is wrong, or it is for another task.
    """
    if not names:
        raise invalid("recipes", (), expected=f"names of recipes, or {ALL}")
    recipes = [load_recipe(name) for name in names if name != ALL]
    for recipe in recipes:
        if recipe.task != (wanted := task or recipes[0].task):
            raise ConfigError(
                f"the recipe {recipe.name} is for the task {recipe.task}, and this is about {wanted}",
                fix="see what they are for with `recipes()`",
            )
    return recipes


def entrants(names: Sequence[str], task: Task, *, started: bool = False) -> dict[str, Recipe]:
    """The recipes by their names, those that :data:`ALL` stands for among them.

    Args:
        names: as in :func:`named`.
        task: their task.
        started: there is a model to start from.

    Raises:
        UsageError: as :func:`by_name` and :func:`named`.
        ConfigError: as :func:`by_name` and :func:`named`; or no recipe is for this task.
    """
    chosen = named(names, task)
    if ALL in names:
        known = {recipe.name for recipe in chosen}
        bundled = (load_recipe(name) for name in bundled_recipes())
        chosen += [
            recipe
            for recipe in bundled
            if recipe.task == task
            and recipe.name not in known
            and (started or recipe.model.architecture not in PRETRAINED)
        ]
    if not chosen:
        raise ConfigError(
            f"no bundled recipe is for the task {task}", fix="give the path of a .toml file of your own"
        )
    return by_name(chosen)
