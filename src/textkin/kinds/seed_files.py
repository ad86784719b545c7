"""Files of the results of systems, one for each seed."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, takewhile
from pathlib import Path
from typing import TypeVar

from textkin.base.errors import DataError
from textkin.text.baselines.hybrid import hybrid_members

AGAIN = "measure again"
"""The fix for files that aren't those of the data or the systems."""

_APART = str.maketrans(dict.fromkeys(":(),=", " "))
_Kept = TypeVar("_Kept")


def seed_tags(tag: str, seeds: int) -> list[str]:
    """File name tags of a system's seeds."""
    return [tag] if seeds == 1 else [f"{tag}-seed{seed}" for seed in range(seeds)]


def file_tags(names: Sequence[str]) -> list[str]:
    """File name tags of systems: the last part of a path without punctuation, numbered if repeated."""
    tags: list[str] = []
    for name in names:
        parts = ("hybrid", *hybrid) if (hybrid := hybrid_members(name)) else (name,)
        last = " ".join(Path(part).resolve().name for part in parts)
        tag = "-".join(last.translate(_APART).split()) or "system"
        numbered = (f"{tag}-{number}" for number in count(2))
        tags.append(next(one for one in chain([tag], numbered) if one not in tags))
    return tags


def tagged(kept: Mapping[str, Sequence[_Kept]]) -> Iterator[tuple[str, _Kept]]:
    """Yield what is kept of each system and seed, after the tag of its file."""
    for seeds, tag in zip(kept.values(), file_tags(list(kept)), strict=True):
        yield from zip(seed_tags(tag, len(seeds)), seeds, strict=True)


def seed_files(
    folder: Path, names: Sequence[str], ending: str, *, what: str
) -> Iterator[tuple[str, list[Path]]]:
    """Yield each system with the files of its seeds.

    Args:
        folder: the folder of the files.
        names: the systems.
        ending: what follows the tag in a file's name.
        what: what the files hold, in words.

    Raises:
        DataError: a system has no file.
    """
    for name, tag in zip(names, file_tags(names), strict=True):
        alone = folder / f"{tag}{ending}"
        seeds = (folder / f"{tag}-seed{seed}{ending}" for seed in count())
        paths = [alone] if alone.exists() else list(takewhile(Path.exists, seeds))
        if not paths:
            raise DataError(f"has no {what} of {name}", path=folder, fix=AGAIN)
        yield name, paths
