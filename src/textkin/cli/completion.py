"""Names and paths that complete a word, for the scripts of ``textkin --completion``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.options import Declared

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

COMPLETE = "__complete"
"""The command by which a script asks for the values of an option; cyclopts runs it."""

_MODELS = ("MODEL", "METHOD", "MEMBER", "TEACHER", "NAME=MODEL")


def completer(option: Declared) -> Callable[[CompletionContext], Any] | None:
    """A function that completes an option's value; None where the shell needs none."""
    return None if option.choices or option.kind is not str else partial(_completed, option)


def _completed(option: Declared, context: CompletionContext) -> list[str]:
    """The names and paths that begin like the word."""
    paths = sorted(glob(f"{escape(context.incomplete)}*"))  # noqa: PTH207 - as they are typed
    names = [name for name in _names(option) if name.startswith(context.incomplete)]
    return [*names, *(f"{path}/" if Path(path).is_dir() else path for path in paths)]


def _names(option: Declared) -> Iterable[str]:
    """The names that a parameter's value may be; none where it may be anything."""
    name, metavar = option.name, (option.option.metavar or "").strip("[].")
    if name == "format":
        from textkin.data.readers import FORMATS

        return ("auto", *FORMATS)
    if metavar.startswith("RECIPE") or name in ("recipe", "recipes"):
        from textkin.networks.recipes.files import bundled_recipes

        return bundled_recipes()
    if metavar.startswith(_MODELS) or name == "baselines":
        from textkin.base.hub import BOX
        from textkin.text.baselines.names import BASELINES

        return (*BOX, *BASELINES)
    if name in ("guard", "guards"):
        from textkin.vectors.groups.guards import GUARDS

        return (*GUARDS, "none")
    if name == "analyser":
        from textkin.text.baselines.analysers import LANGUAGES

        return ("plain", *LANGUAGES)
    return ()
