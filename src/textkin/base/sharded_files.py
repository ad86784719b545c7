"""Folders of files named ``part-*``, which are read as one file."""

from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder

PARTS = "part-*"
"""File name pattern of the parts of a folder."""


def parts_of(path: Path | str) -> list[Path]:
    """The files of a folder named ``part-*``, in order of their names; none for a file."""
    if not is_folder(path):
        return []
    return sorted(part for part in Path(path).glob(PARTS) if is_file(part) and part.suffix != ".npy")


def files_of(path: Path | str) -> list[Path]:
    """The files ``part-*`` of a folder, or the file itself.

    Raises:
        DataError: the folder has none.
    """
    if not is_folder(path):
        return [Path(path)]
    if found := parts_of(path):
        return found
    there = sorted(Path(path).iterdir())
    if any(each.suffix == ".sqlite" for each in there):
        raise DataError(
            "is a collection, expected texts",
            path=path,
            fix="write its entries to a file, by `export_collection()`, and give that",
        )
    told = f"is a folder without files called {PARTS}" if there else "is an empty folder"
    one = next((each for each in there if each.is_file()), None)
    example = "a file" if one is None else f"a file, such as {one}"
    raise DataError(told, path=path, fix=f"give {example}, or a folder with files called {PARTS}")
