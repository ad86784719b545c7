"""The files of a folder that hold something: what writes parts may leave some of them empty."""

from __future__ import annotations

from pathlib import Path

from textkin.base.sharded_files import files_of
from textkin.data.readers.text_files import first_lines

_WITH_HEADER = {".csv", ".tsv"}


def filled_files_of(path: Path | str) -> list[Path]:
    """The file itself, or the files ``part-*`` of a folder but for those without rows; one at least.

    A table that has a header alone is known by another part that begins with the same line.

    Raises:
        DataError: a folder has no such files, or one can't be read.
    """
    files = files_of(path)
    if len(files) == 1:
        return files
    begun = {file: first_lines(file, 2) for file in files}
    headers = {lines[0] for lines in begun.values() if len(lines) > 1}

    def is_filled(file: Path) -> bool:
        lines = begun[file]
        has_header = bool(_WITH_HEADER & {suffix.lower() for suffix in file.suffixes})
        return bool(lines) and not (has_header and len(lines) == 1 and lines[0] in headers)

    return [file for file in files if is_filled(file)] or files[:1]
