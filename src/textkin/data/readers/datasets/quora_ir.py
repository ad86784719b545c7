"""The folder that a split by the scheme ``quora-ir`` writes, in the layout of sentence-transformers' data.

::

    classification/SPLIT_pairs.tsv           qid1 qid2 question1 question2 is_duplicate
    duplicate-mining/SPLIT_corpus.tsv        qid question
    duplicate-mining/SPLIT_duplicates.tsv    qid1 qid2
    information-retrieval/corpus.tsv         qid question
    information-retrieval/SPLIT-queries.tsv  qid question duplicate_qids (a list with commas)

All files are tab-separated, with a header and without quoting.
"""

from collections.abc import Iterator
from pathlib import Path

from textkin.base.errors import DataError, unknown_choice
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.pairs import read_pairs
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import lines
from textkin.data.records import DuplicateSet, LabelKind, PairSet, Qrels, RetrievalSet, Suite

SPLITS = ("dev", "test")
"""The splits that have all three datasets; train has no queries."""

_PAIRS, _MINING, _RETRIEVAL = "classification", "duplicate-mining", "information-retrieval"


def is_quora_ir(folder: Path | str) -> bool:
    """True if a folder contains the three datasets."""
    place = Path(folder)
    return is_file(place / _RETRIEVAL / "corpus.tsv") and is_folder(place / _MINING)


def read_quora_ir(folder: Path | str, *, split: str | None = None) -> Loaded[Suite]:
    """Read the three datasets of a split.

    Args:
        folder: the folder.
        split: "dev" or "test", the default.

    Raises:
        UsageError: the split is unknown.
        DataError: a file is missing or invalid, or refers to a question missing from its corpus.
    """
    place, side = Path(folder), split or "test"
    if side not in SPLITS:
        raise unknown_choice("split", side, SPLITS)
    counter = SkipCounter(folder)
    name = f"{place.resolve().name} ({side})"
    data = Suite(
        pairs=_pairs(place, side, counter),
        duplicates=read_duplicates(place, side, counter=counter),
        collection=_collection(place, side, counter),
        name=name,
    )
    return Loaded(data, counter.report(), "quora-ir")


def read_duplicates(folder: Path | str, split: str, *, counter: SkipCounter | None = None) -> DuplicateSet:
    """The texts of a split, or of train, with their duplicates.

    Raises:
        DataError: a file is missing or invalid, or refers to a question missing from its corpus.
    """
    place, counter = Path(folder) / _MINING, counter or SkipCounter(folder)
    texts = _texts(place / f"{split}_corpus.tsv", counter)
    path = place / f"{split}_duplicates.tsv"
    pairs = []
    for number, (first, second) in _rows(path, ("qid1", "qid2"), counter):
        for one in (first, second):
            _known(one, texts, path, number)
        pairs.append((first, second))
    unique = {frozenset(pair) for pair in pairs}
    if len(unique) < len(pairs) or any(len(pair) == 1 for pair in unique):
        raise DataError("a pair comes twice, or is of one question", path=path, fix="keep each pair once")
    return DuplicateSet(texts, tuple(pairs), name=f"{place.name} {split}")


def _pairs(folder: Path, split: str, counter: SkipCounter) -> PairSet:
    loaded = read_pairs(folder / _PAIRS / f"{split}_pairs.tsv", quoting="none")
    if loaded.data.kind is not LabelKind.BINARY or loaded.report.skipped:
        raise DataError(
            f"expected pairs labelled 0 and 1; {loaded.report.sentence()}",
            path=loaded.report.path,
            fix="make the split again",
        )
    counter.rows += loaded.report.rows
    return PairSet(loaded.data.pairs, LabelKind.BINARY, name=f"{_PAIRS} {split}")


def _collection(folder: Path, split: str, counter: SkipCounter) -> RetrievalSet:
    place = folder / _RETRIEVAL
    corpus = _texts(place / "corpus.tsv", counter)
    path = place / f"{split}-queries.tsv"
    queries: dict[str, str] = {}
    judgements: dict[str, dict[str, int]] = {}
    for number, (name, text, others) in _rows(path, ("qid", "question", "duplicate_qids"), counter):
        relevant = [other.strip() for other in others.split(",") if other.strip()]
        for one in relevant:
            _known(one, corpus, path, number)
        if name in queries:
            raise DataError(f"query {name!r} comes twice", path=path, line=number, fix="keep one")
        queries[name], judgements[name] = text, dict.fromkeys(relevant, 1)
    return RetrievalSet(corpus, queries, Qrels.from_dict(judgements), name=f"{_RETRIEVAL} {split}")


def _texts(path: Path, counter: SkipCounter) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, (name, text) in _rows(path, ("qid", "question"), counter):
        if name in texts:
            raise DataError(f"question {name!r} comes twice", path=path, line=number, fix="keep one")
        texts[name] = text
    return texts


def _rows(path: Path, header: tuple[str, ...], counter: SkipCounter) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of every row after the header."""
    for number, line in enumerate(lines(path), 1):
        cells = line.split("\t")
        if number == 1:
            if tuple(cells) != header:
                raise DataError(
                    f"expected a header with {', '.join(header)}, separated by tabs",
                    path=path,
                    line=1,
                    fix="make the split again",
                )
            continue
        counter.rows += 1
        if len(cells) != len(header):
            raise DataError(
                f"{len(cells)} columns, expected {len(header)}", path=path, line=number, fix="use tabs"
            )
        yield number, cells


def _known(name: str, texts: dict[str, str], path: Path, line: int) -> None:
    if name not in texts:
        raise DataError(
            f"question {name!r} is not in the corpus", path=path, line=line, fix="make the split again"
        )
