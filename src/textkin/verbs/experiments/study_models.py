"""Names of models to study: a recipe, or a pretrained model to fine-tune.

- NAME: a bundled recipe, or the path of a .toml file;
- ``minilm``: the built-in one as a sentence encoder; ``cross-encoder``: the same network over both texts;
- MODEL: a folder, or a name in the Hugging Face cache, with an encoder to train on;
- NAME=MODEL: one of the recipes or short names above, from another pretrained model;
- ``all``: every bundled recipe for the task; those of pretrained networks only if a start is given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textkin.base.errors import ConfigError, either, invalid
from textkin.base.hub import MINILM, did_you_mean_model, locate, located, name_of, searched
from textkin.base.json_fields import read_object
from textkin.base.python_inputs import names_in
from textkin.kinds.systems.predictions import is_predictions
from textkin.models.interop.folder_kinds import MANIFEST, Kind, kind_of
from textkin.models.provenance import hash_of_model
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import PRETRAINED, Recipe, Task, load_recipe
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.names import BASELINES

ALL = "all"

PRETRAINED_MODEL = MINILM
"""Default start of recipes that need a pretrained model: the built-in transformer."""

SHORT_NAMES = MappingProxyType({"minilm": "pairs-encoder", "cross-encoder": "pairs-cross-encoder"})
"""Short names of recipes in studies."""

_TAKEN = frozenset({*BASELINES, *CLASS_BASELINES})
_BY_ARCHITECTURE = MappingProxyType(
    {"transformer": "pairs-encoder", "static": "static", "cross-encoder": "pairs-cross-encoder"}
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A recipe and the pretrained folder to start from; None for the recipe's own."""

    recipe: Recipe
    start: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        """The settings that determine it, in JSON's types."""
        known = {} if self.start is None else {"start_sha256": hash_of_model(self.start)}
        return self.recipe.to_dict() | known


def entrants_of(
    words: Sequence[str], task: Task | None = None, *, started: bool = False
) -> dict[str, Entrant]:
    """The models of a study by their names.

    Args:
        words: as above.
        task: their task; None for that of the first one, and then without those of ``all``.
        started: True if training starts from a given model.

    Raises:
        UsageError: two words mean systems of one name, or a folder holds nothing to train on.
        ConfigError: a word means nothing, or a recipe is wrong or for another task.
        ModelError: a pretrained model is not on this machine; it says how to get it.
    """
    found = [_entrant(word, started=started) for word in words if word != ALL]
    for one in found:
        if one.recipe.task != (wanted := task or found[0].recipe.task):
            raise ConfigError(
                f"the recipe {one.recipe.name} is for the task {one.recipe.task}, expected {wanted}",
                fix="see what recipes are for: `train()` with `list`",
            )
    if ALL in words and task is not None:
        known = {one.recipe.name for one in found}
        others = (load_recipe(name) for name in bundled_recipes() if name not in known)
        found += [
            Entrant(one)
            for one in others
            if one.task == task and (started or one.model.architecture not in PRETRAINED)
        ]
        if not found:
            raise ConfigError(
                f"no bundled recipe is for the task {task}", fix="give the path of a .toml file of your own"
            )
    return _by_name(found)


def _by_name(entrants: Sequence[Entrant]) -> dict[str, Entrant]:
    """The models by their names, which are folders and columns."""
    found: dict[str, Entrant] = {}
    for one in entrants:
        name = one.recipe.name
        if Path(name).name != name or name.startswith(".") or len(name.split()) != 1:
            raise ConfigError(
                f"a recipe is called {name!r}, which is not a file name", fix="leave out blanks and slashes"
            )
        if name in found or name in _TAKEN:
            raise invalid("models", name, expected="a name that no other system has")
        found[name] = one
    return found


def words_of(given: Any) -> tuple[str, ...] | None:
    """The names of the models of a study; None for the usual ones.

    Raises:
        UsageError: a model is an object or the predictions of another program, which nothing can train.
    """
    if given is None:
        return None
    if isinstance(given, str):
        words: tuple[Any, ...] = names_in(given)
    elif isinstance(given, Iterable) and not isinstance(given, Mapping):
        words = tuple(given)
    else:
        words = (given,)
    for one in words:
        if not isinstance(one, str | Path) or is_predictions(str(one).partition("=")[2]):
            raise invalid(
                "models",
                one,
                expected="names of recipes and models that a study can train",
                fix="compare other systems with the study's models on its test side: `compare()`",
            )
    return tuple(map(str, words))


def to_fetch(words: Iterable[str]) -> list[str]:
    """The names of the pretrained models that these words need, for a download."""
    wanted = []
    for word in words:
        name, equals, model = word.partition("=")
        if equals:
            wanted.append(model)
        elif not _is_recipe(name) and name != ALL:
            wanted.append(name)
    return wanted


def _entrant(word: str, *, started: bool) -> Entrant:
    name, equals, model = word.partition("=")
    if equals and _is_recipe(name):
        return Entrant(_recipe(name), located(model))
    if _is_recipe(word):
        recipe = _recipe(word)
        starts = _needs_start(recipe) and not started
        return Entrant(recipe, located(PRETRAINED_MODEL) if starts else None)
    folder = locate(word)
    if folder is None:
        raise ConfigError(
            f"there is no recipe {word!r}, and no model of that name: {searched(word)}",
            fix=either(
                "fetch it with `download`", did_you_mean_model(word, (*SHORT_NAMES, *bundled_recipes()))
            ),
            params=("models",),
            value=word,
        )
    recipe = load_recipe(_BY_ARCHITECTURE[_architecture(folder)])
    return Entrant(recipe.model_copy(update={"name": Path(name_of(folder)).name}), folder)


def _is_recipe(word: str) -> bool:
    return word in SHORT_NAMES or word in bundled_recipes() or word.endswith(".toml")


def _recipe(word: str) -> Recipe:
    if word not in SHORT_NAMES:
        return load_recipe(word)
    return load_recipe(SHORT_NAMES[word]).model_copy(update={"name": word})


def _needs_start(recipe: Recipe) -> bool:
    """Check whether it starts from a pretrained model other than the built-in encoder."""
    return recipe.model.architecture in PRETRAINED - {"static"}


def _architecture(folder: Path) -> str:
    """The architecture for fine-tuning a folder's model.

    Raises:
        UsageError: nothing can be.
    """
    kind = kind_of(folder)
    if kind is Kind.TEXTKIN:
        found = str(read_object(folder / MANIFEST).get("architecture"))
    else:
        found = "static" if kind is Kind.STATIC else "transformer"
    if kind is Kind.UNKNOWN or found not in _BY_ARCHITECTURE:
        raise invalid(
            "models",
            folder,
            expected=f"a folder with a pretrained model: {', '.join(_BY_ARCHITECTURE)}; or RECIPE=FOLDER",
        )
    return found
