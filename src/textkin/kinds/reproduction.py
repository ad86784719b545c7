"""The making of a report: command, settings, hashes, versions, machine."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from textkin.base.errors import ModelError, UsageError, without_passwords
from textkin.base.files import sha256_of_file
from textkin.base.hub import locate
from textkin.base.paths import is_file, name_of
from textkin.kinds.systems import AnyModel
from textkin.models.provenance import command_line, hash_of_model, machine, versions
from textkin.report.data_facts import Reproduction


def how_made(
    command: str,
    *,
    settings: Mapping[str, str] | None = None,
    files: Iterable[Path | str | None] = (),
    models: Mapping[str, Iterable[AnyModel]] | None = None,
    hashes: Mapping[str, str] | None = None,
    call: str = "",
    recipe: str = "",
) -> Reproduction:
    """Describe how a report was made.

    Args:
        command: the command that makes it.
        settings: what was chosen, by name.
        files: data to hash; folders and what isn't there are left out.
        models: models to hash, by the system's name; those that are no folders are left out.
        hashes: hashes that are known already.
        call: the call in Python, if no command line made it.
        recipe: the recipes of trained models.
    """
    read = {name_of(Path(file)): sha256_of_file(file) for file in files if file is not None and is_file(file)}
    return Reproduction(
        command=without_passwords(command_line(command)) or call,
        settings=dict(settings or {}),
        recipe=recipe,
        hashes={**read, **_hashes_of(models or {}), **(hashes or {})},
        versions=versions(),
        machine=machine(),
    )


def _hashes_of(models: Mapping[str, Iterable[AnyModel]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, seeds in models.items():
        for place, model in enumerate(seeds, 1):
            if isinstance(model, str | Path) and (sha256 := _hash_of(model)):
                found[name if place == 1 else f"{name}, seed {place}"] = sha256
    return found


def _hash_of(model: str | Path) -> str:
    """The hash of a model's folder; "" of a baseline, an own system or predictions."""
    try:
        folder = locate(model)
        return "" if folder is None else hash_of_model(folder)
    except (ModelError, UsageError):
        return ""
