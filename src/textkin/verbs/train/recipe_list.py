"""Recipes as a command shows them: all bundled ones, or one in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.results import Printed, Result, ResultRow
from textkin.base.text_table import text_table
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import Recipe, load_recipe


@dataclass(frozen=True, slots=True, repr=False)
class Recipes(Result):
    """The bundled recipes.

    Attributes:
        recipes: by name.

    Example:
        >>> import textkin as tk
        >>> [found.task for found in tk.train(list=True) if found.name == "static"]
        ['pairs']
    """

    recipes: tuple[Recipe, ...]

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.recipes:
            yield {"name": one.name, "task": one.task, "description": one.description, "source": one.source}

    def text(self) -> str:
        """A table of names, tasks and descriptions."""
        rows = [(one.name, one.task, one.description) for one in self.recipes]
        return text_table(("recipe", "task", "what"), rows)

    def as_dict(self) -> dict[str, Any]:
        """The names, tasks, descriptions and sources."""
        return {"recipes": self.rows()}


@dataclass(frozen=True, slots=True)
class ShownRecipe(Printed):
    """A recipe in full.

    Attributes:
        recipe: with all inherited settings.
    """

    recipe: Recipe

    @classmethod
    def of(cls, recipe: Recipe | Path | str) -> ShownRecipe:
        """A recipe, by itself, its name or its path.

        Raises:
            ConfigError: it is wrong, or there is none.
        """
        return cls(recipe if isinstance(recipe, Recipe) else load_recipe(recipe))

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The recipe as TOML."""
        return self.recipe.to_toml(stated=True).rstrip("\n")

    def as_dict(self) -> dict[str, Any]:
        """Its settings."""
        return self.recipe.to_dict()


def all_recipes() -> Recipes:
    """The bundled recipes."""
    return Recipes(tuple(map(load_recipe, bundled_recipes())))
