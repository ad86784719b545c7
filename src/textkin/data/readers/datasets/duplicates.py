"""A folder of texts with their duplicates, one pair of files a side, as in the folder of ``quora-ir``.

::

    SIDE_corpus.tsv      qid question
    SIDE_duplicates.tsv  qid1 qid2

Files are tab-separated, with a header and without quoting.
"""

from collections.abc import Container, Iterator
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import lines
from textkin.data.records import DuplicateSet

_CORPUS, _PAIRS = "_corpus.tsv", "_duplicates.tsv"


def is_duplicates(folder: Path | str) -> bool:
    """True if a folder has the texts and the duplicates of a side."""
    if not is_folder(folder):
        return False
    names = (path.name for path in Path(folder).glob(f"*{_PAIRS}"))
    return any(is_file(Path(folder) / name.replace(_PAIRS, _CORPUS)) for name in names)


def read_duplicates(folder: Path | str, *, split: str | None = None) -> Loaded[DuplicateSet]:
    """Read the texts of a side with their duplicates.

    Args:
        folder: the folder.
        split: the side, "test" by default.

    Raises:
        DataError: a file is missing or invalid, or refers to a text missing from its corpus.
    """
    counter = SkipCounter(folder)
    data = duplicates_of(Path(folder), split or "test", counter)
    return Loaded(data, counter.report(), "duplicates")


def duplicates_of(place: Path, side: str, counter: SkipCounter) -> DuplicateSet:
    """The texts of a side with their duplicates.

    Raises:
        DataError: as :func:`read_duplicates`.
    """
    texts = texts_by_id(place / f"{side}{_CORPUS}", counter)
    path = place / f"{side}{_PAIRS}"
    pairs = []
    for number, (first, second) in rows_of(path, ("qid1", "qid2"), counter):
        for one in (first, second):
            require_known(one, texts, path, number)
        pairs.append((first, second))
    unique = {frozenset(pair) for pair in pairs}
    if len(unique) < len(pairs) or any(len(pair) == 1 for pair in unique):
        raise DataError("a pair comes twice, or is of one question", path=path, fix="keep each pair once")
    return DuplicateSet(texts, tuple(pairs), name=f"{place.name} {side}")


def texts_by_id(path: Path, counter: SkipCounter) -> dict[str, str]:
    """The texts of a corpus file.

    Raises:
        DataError: the file is missing or invalid, or an id comes twice.
    """
    texts: dict[str, str] = {}
    for number, (name, text) in rows_of(path, ("qid", "question"), counter):
        if name in texts:
            raise DataError(f"question {name!r} comes twice", path=path, line=number, fix="keep one")
        texts[name] = text
    return texts


def rows_of(path: Path, header: tuple[str, ...], counter: SkipCounter) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of every row after the header.

    Raises:
        DataError: the file is missing, or has another header or other columns.
    """
    for number, line in enumerate(lines(path), 1):
        cells = line.split("\t")
        if number == 1:
            if tuple(cells) != header:
                raise DataError(
                    f"expected a header with {', '.join(header)}, separated by tabs",
                    path=path,
                    line=1,
                    fix="begin the file with these names",
                )
            continue
        counter.rows += 1
        if len(cells) != len(header):
            raise DataError(
                f"{len(cells)} columns, expected {len(header)}", path=path, line=number, fix="use tabs"
            )
        yield number, cells


def require_known(name: str, texts: Container[str], path: Path, line: int) -> None:
    """Check that a corpus has a text.

    Raises:
        DataError: it hasn't.
    """
    if name not in texts:
        raise DataError(
            f"question {name!r} is not in the corpus",
            path=path,
            line=line,
            fix="add it, or leave the row out",
        )
