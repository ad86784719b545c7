"""Identity of the run in a folder: its settings are recorded, and another run is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textkin.base.errors import ConfigError, UsageError
from textkin.base.files import write_json, write_text
from textkin.base.locks import is_first_process
from textkin.networks.recipes.recipe import Recipe

RUN, RECIPE, RESULT = "run.json", "recipe.toml", "result.json"
_IN_WORDS = {
    "code": "code of its own parts",
    "classes": "names of classes",
    "seed": "seed",
    "train_sha256": "training pairs",
    "dev_sha256": "dev pairs",
    "suite": "dev tasks",
    "chooses": "what is measured on dev",
    "more_sha256": "further pairs",
    "vectors_sha256": "word vectors",
    "vocabulary_sha256": "vocabulary",
    "start_sha256": "model to start from",
    "teacher_sha256": "teacher",
}


def taken(why: str) -> UsageError:
    """An error for a folder that holds something else."""
    return UsageError(why, fix="choose another folder, or remove that one", params=("out",))


def claim(out: Path, identity: dict[str, Any], recipe: Recipe) -> None:
    """Make ``out`` this run's directory; called when nothing but training can fail any more.

    Of processes that torchrun started, the first one does it for all.
    """
    if not is_first_process():
        return
    if not (out / RUN).exists():
        write_json(out / RUN, identity)
    write_text(out / RECIPE, recipe.to_toml())


def give_up(out: Path) -> None:
    """Leave the directory to a corrected run if this one failed before it had learnt anything."""
    from textkin.training.loop import CHECKPOINTS

    if is_first_process() and not (out / CHECKPOINTS).exists():
        for name in (RUN, RECIPE):
            (out / name).unlink(missing_ok=True)


def require_own(out: Path, identity: dict[str, Any]) -> None:
    """Make sure that ``out`` holds no other run.

    Raises:
        UsageError: it does, or its contents can't be identified.
    """
    path = out / RUN
    if not path.exists():
        from textkin.training.loop import CHECKPOINTS

        if (out / RESULT).exists() or (out / CHECKPOINTS).exists():
            raise taken(f"{out} holds results of an unknown run")
        return
    found = _described(path)
    if found.keys() != identity.keys():
        raise taken(f"{path} does not describe a run")
    if changed := list(_changes(found, identity)):
        raise taken(f"{out} holds another run, with other {', '.join(changed)}")


def in_words(identity: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run, by their names in messages."""
    return {_IN_WORDS.get(key, key): value for key, value in identity.items()}


def _described(path: Path) -> dict[str, Any]:
    """The settings of the run in a folder."""
    found = run_json(path)
    try:
        return {**found, "recipe": Recipe.from_dict(found["recipe"]).to_dict()}
    except (KeyError, TypeError, ConfigError) as error:
        raise taken(f"{path} does not describe a run") from error


def _changes(found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    """The differences between two runs in words."""
    for key, value in wanted.items():
        if found[key] == value:
            continue
        if key == "recipe":
            yield from (f"recipe.{part}" for part in value if found[key].get(part) != value[part])
        else:
            yield _IN_WORDS[key]


def run_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run folder.

    Raises:
        UsageError: it is none, or can't be read.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise taken(f"{path} can't be read: {error}") from error
    if not isinstance(values, dict):
        raise taken(f"{path} is not a JSON object")
    return values
