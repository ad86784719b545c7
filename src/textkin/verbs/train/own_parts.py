"""A recipe with other parts: an architecture, a loss or a tokeniser, bundled or one's own."""

from __future__ import annotations

from typing import Any

from textkin.base.errors import invalid
from textkin.base.import_path import path_of_object
from textkin.networks.recipes.recipe import Recipe


def with_parts(recipe: Recipe, *, architecture: Any, loss: Any, tokenise: Any) -> Recipe:
    """A recipe whose architecture, loss or tokeniser are others, with their options.

    Args:
        recipe: the recipe for all else.
        architecture: a name, an import path, either with options in parentheses, a class, or a
            ``functools.partial`` of one; None for the recipe's.
        loss: likewise; a function or a class.
        tokenise: likewise; a function.

    Raises:
        UsageError: an object has no import path, or there are several losses to replace.
        ConfigError: the recipe and the parts don't fit.
    """
    values = recipe.to_dict()
    if architecture is not None:
        _refuse_network(architecture)
        path, arguments = path_of_object(architecture, kind="architecture")
        values["model"] |= {"architecture": path, "arguments": arguments}
        values["name"] = path.rpartition(":")[2]
    if loss is not None:
        path, arguments = path_of_object(loss, kind="loss")
        if len(values["objectives"]) > 1:
            raise invalid(
                "loss",
                path,
                expected=f"a recipe with one loss; {recipe.name} has {len(values['objectives'])}",
            )
        values["objectives"] = [values["objectives"][0] | {"loss": path, "arguments": arguments}]
    if tokenise is not None:
        values["text"]["tokenise"] = path_of_object(tokenise, kind="tokenise")[0]
    return Recipe.from_dict(values)


def _refuse_network(architecture: Any) -> None:
    """Refuse a network that is built already, since the texts decide its number of token ids.

    Raises:
        UsageError: it is one.
    """
    if hasattr(architecture, "state_dict") and not isinstance(architecture, type):
        name = type(architecture).__name__
        raise invalid(
            "architecture",
            name,
            expected="a class, whose network training builds when the token ids are known",
            fix=f"give architecture={name}, or functools.partial({name}, ...) with its options",
        )
