"""The folder that a split by the scheme ``quora-ir`` writes, in the layout of sentence-transformers' data.

::

    classification/SPLIT_pairs.tsv           qid1 qid2 question1 question2 is_duplicate
    duplicate-mining/SPLIT_corpus.tsv        qid question
    duplicate-mining/SPLIT_duplicates.tsv    qid1 qid2
    information-retrieval/corpus.tsv         qid question
    information-retrieval/SPLIT-queries.tsv  qid question duplicate_qids (a list with commas)

All files are tab-separated, with a header and without quoting.
"""

from dataclasses import replace
from pathlib import Path

from textkin.base.errors import DataError, unknown_choice
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.datasets.duplicates import (
    duplicates_of,
    require_known,
    rows_of,
    texts_by_id,
)
from textkin.data.readers.pairs import read_pairs
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.records import LabelKind, PairSet, Qrels, RetrievalSet, Suite

SPLITS = ("dev", "test")
"""The splits that have all three datasets; train has no queries."""

_PAIRS, MINING, _RETRIEVAL = "classification", "duplicate-mining", "information-retrieval"
"""The folders of the three datasets."""


def is_quora_ir(folder: Path | str) -> bool:
    """True if a folder contains the three datasets."""
    place = Path(folder)
    return is_file(place / _RETRIEVAL / "corpus.tsv") and is_folder(place / MINING)


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
        duplicates=duplicates_of(place / MINING, side, counter),
        collection=_collection(place, side, counter),
        name=name,
    )
    return Loaded(data, counter.report(), "quora-ir")


def _pairs(folder: Path, split: str, counter: SkipCounter) -> PairSet:
    loaded = read_pairs(folder / _PAIRS / f"{split}_pairs.tsv", quoting="none")
    if loaded.data.kind is not LabelKind.BINARY or loaded.report.skipped:
        raise DataError(
            f"expected pairs labelled 0 and 1; {loaded.report.sentence()}",
            path=loaded.report.path,
            fix="make the split again",
        )
    counter.rows += loaded.report.rows
    return replace(loaded.data, kind=LabelKind.BINARY, name=f"{_PAIRS} {split}")


def _collection(folder: Path, split: str, counter: SkipCounter) -> RetrievalSet:
    place = folder / _RETRIEVAL
    corpus = texts_by_id(place / "corpus.tsv", counter)
    path = place / f"{split}-queries.tsv"
    queries: dict[str, str] = {}
    judgements: dict[str, dict[str, int]] = {}
    for number, (name, text, others) in rows_of(path, ("qid", "question", "duplicate_qids"), counter):
        relevant = [other.strip() for other in others.split(",") if other.strip()]
        for one in relevant:
            require_known(one, corpus, path, number)
        if name in queries:
            raise DataError(f"query {name!r} comes twice", path=path, line=number, fix="keep one")
        queries[name], judgements[name] = text, dict.fromkeys(relevant, 1)
    return RetrievalSet(corpus, queries, Qrels.from_dict(judgements), name=f"{_RETRIEVAL} {split}")
