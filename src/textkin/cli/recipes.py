"""``textkin recipes``."""

from __future__ import annotations

from typing import Annotated

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin recipes
textkin recipes siamese-lstm > mine.toml
textkin recipes mine.toml --json
"""


def command(
    name: Annotated[str | None, Option("Recipe, by name or path.", metavar="RECIPE")] = None,
    /,
    *,
    as_json: AsJson = False,
) -> None:
    """List the bundled recipes, or show one: what to train and how.

    A recipe is shown with all inherited settings. A recipe of your own is checked: an unknown key or a value
    out of range is an error.
    """
    from textkin.networks.recipes.files import bundled_recipes
    from textkin.networks.recipes.recipe import load_recipe

    if name is not None:
        recipe = load_recipe(name)
        if as_json:
            emit_json(recipe.to_dict())
        else:
            emit_text(recipe.to_toml(stated=True).rstrip("\n"))
        return
    found = [load_recipe(each) for each in bundled_recipes()]
    if as_json:
        rows = [
            {"name": each.name, "task": each.task, "description": each.description, "source": each.source}
            for each in found
        ]
        emit_json({"recipes": rows})
    else:
        emit_table(("recipe", "task", "what"), [(each.name, each.task, each.description) for each in found])
