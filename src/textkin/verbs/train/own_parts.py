"""A recipe with other parts: an architecture, a loss or a tokeniser, bundled or one's own."""

from functools import partial
from typing import Any

from textkin.base.errors import invalid
from textkin.base.import_path import path_of_object
from textkin.base.progress import note
from textkin.networks.recipes.recipe import Recipe


def with_parts(recipe: Recipe, *, architecture: Any, loss: Any, tokenise: Any) -> Recipe:
    """A recipe whose architecture, loss or tokeniser are others, with their options.

    Args:
        recipe: the recipe for all else.
        architecture: a name, an import path, either with options in parentheses, a class, a
            ``functools.partial`` of one, or a network; None for the recipe's.
        loss: likewise; a function or a class.
        tokenise: likewise; a function.

    Raises:
        UsageError: an object has no import path, or there are several losses to replace.
        ConfigError: the recipe and the parts don't fit.
    """
    values = recipe.to_dict()
    if architecture is not None:
        path, arguments = path_of_object(_part_of(architecture), kind="architecture")
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


def _part_of(network: Any) -> Any:
    """A class with the options of a network of it; anything else as it is.

    Training builds the network anew, since the texts decide its number of token ids.
    """
    if isinstance(network, type) or not hasattr(network, "state_dict"):
        return network
    kind: Any = type(network)
    if not hasattr(network, "options_given"):
        expected = "a network derived from Matcher or Tower"
        raise invalid(
            "architecture", kind.__name__, expected=expected, fix="derive its class from one of them"
        )
    note(
        f"training builds {kind.__name__} anew with its options; the weights of the network given aren't used"
    )
    return partial(kind, **network.options_given())
