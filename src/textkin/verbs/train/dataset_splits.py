"""Train, dev and test of one data set: found by their names, and kept apart.

Evaluation data must not be trained on. The items that sides must not share depend on the data:

* questions with candidates: a question; its candidates may recur under other questions;
* yes-or-no pairs: a text, since paraphrase is transitive: the label of one pair is evidence about another
  with the same text;
* graded pairs and classes: a pair, in either order; such data often pair the same sentences repeatedly.

Texts are compared by their keys (``text_equality.py``). Items of train that are in dev or test, and items of
dev that are in test, are removed and counted. Texts that may recur are counted too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from textkin.base.counts import count, percent
from textkin.base.errors import COLUMN_FILES, DataError, UsageError, either
from textkin.base.paths import is_folder, real
from textkin.base.text_equality import keys_of
from textkin.data.readers import Reading
from textkin.data.readers.datasets.beir import is_beir, splits
from textkin.data.readers.read_options import Questions
from textkin.data.readers.read_report import Loaded, ReadReport
from textkin.data.records import CandidateSet, LabelKind, PairSet, Qrels, RetrievalSet
from textkin.kinds.registry import data_kind, load_data
from textkin.networks.recipes.recipe import Task
from textkin.text.stable_hash import stable_hash
from textkin.verbs.train.material import read_dev

Data = PairSet | CandidateSet

SIDES: Mapping[str, frozenset[str]] = {
    "train": frozenset({"train", "training"}),
    "dev": frozenset({"dev", "development", "trial", "val", "valid", "validation"}),
    "test": frozenset({"test"}),
}
"""The words in a file's name that show its use."""

_SUFFIXES = frozenset({".csv", ".json", ".jsonl", ".tsv", ".txt", ".xml", *COLUMN_FILES})
_DEV_SHARE = 0.15
_DEV_SEED = 42
_NOT_SMALL = 30  # pairs; so many graded ones hardly have labels 0 and 1 alone


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a data set; without one for dev, a part of train serves.

    Example:
        >>> from pathlib import Path
        >>> Sources(train=Path("train.tsv"), test=Path("test.tsv")).dev is None
        True
    """

    train: Path
    test: Path
    dev: Path | None = None

    @classmethod
    def of_folder(cls, folder: Path) -> Self:
        """The files whose names say that they are for training, choosing or testing.

        Raises:
            DataError: there is no such folder, or none or several files for one of train and test.
        """
        if not is_folder(folder):
            raise DataError("is not a folder", path=folder, fix="give one that holds train and test files")
        found: dict[str, list[Path]] = {side: [] for side in SIDES}
        for path in sorted(folder.iterdir()):
            sides = _sides_of(path)
            if len(sides) == 1:
                found[sides[0]].append(path)
        for side, paths in found.items():
            if len(paths) > 1 or (side != "dev" and not paths):
                names = ", ".join(path.name for path in paths) or "none"
                raise DataError(
                    f"expected one file for {side}, with {_one_of(SIDES[side])} in its name; found {names}",
                    path=folder,
                    fix="name the files with `train`, `dev` and `test`",
                )
        (train,), dev, (test,) = found.values()
        return cls(train, test, dev[0] if dev else None)


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Train, dev and test, where no earlier side holds items of a later one.

    Attributes:
        task: the task that it can train.
        train: to learn from.
        dev: to choose by; with the classes of train.
        test: to measure on; with the classes of train.
        reads: the rows that the readers skipped, one report per file.
        left_out: pairs that were left out of train and dev.
        notes: sentences on what the sides shared, and on the origin of dev.
        chooses: the corpus whose search chooses epochs; dev then holds its judged documents.
        searched: the corpus that systems search in the place of test, which holds its judged documents.
    """

    task: Task
    train: Data
    dev: Data
    test: Data
    reads: tuple[ReadReport, ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()
    chooses: RetrievalSet | None = None
    searched: RetrievalSet | None = None

    @property
    def measured(self) -> Data | RetrievalSet:
        """What systems are measured on."""
        return self.searched or self.test


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of the files' columns and questions, and the task.

    Attributes:
        task: the task; None to infer it from the training file.
        train_questions: for candidates: the question set of train and dev.
        reading: reading options of all files; its question set is that of test.
    """

    task: Task | None = None
    train_questions: Questions = "answered"
    reading: Reading = field(default_factory=Reading)

    def reading_of(self, side: str) -> Reading:
        """The reading options of a side's file."""
        return self.reading if side == "test" else replace(self.reading, questions=self.train_questions)


def load_dataset(sources: Sources, choice: Selection | None = None) -> Dataset:
    """Read the files, remove shared items, and split dev off train if there is none.

    Raises:
        UsageError: one file is given twice, or an option doesn't fit the files.
        DataError: a file has errors, the files hold different things, nothing is left of one, or
            no dev side can be cut off.
    """
    choice = choice or Selection()
    _refuse_twice(sources)
    task = choice.task or _task_of(sources.train, choice)
    paths = {"train": sources.train, "dev": sources.dev, "test": sources.test}
    read = {side: _read(task, side, path, choice) for side, path in paths.items() if path is not None}
    loaded = {side: one for side, (one, _) in read.items()}
    chooses, searched = read.get("dev", (None, None))[1], read["test"][1]
    account = _Account()
    sides = _alike({side: one.data for side, one in loaded.items()}, account)
    if "dev" in sides:
        sides["dev"] = account.without("dev", sides["dev"], {"test": sides["test"]})
    later = {side: data for side, data in sides.items() if side != "train"}
    sides["train"] = account.without("train", sides["train"], later)
    if "dev" not in sides:
        sides["train"], sides["dev"] = cut_dev(sides["train"])
        shared = "question and no right candidate" if task == "ranking" else "text"
        size = data_kind(sides["dev"]).size(sides["dev"])
        account.notes.append(
            f"dev: no file was given, so {percent(_DEV_SHARE, 0)} of train became dev: {size} that "
            f"share no {shared} with the rest (seed {_DEV_SEED})."
        )
    account.note_recurring(sides, searched)
    return Dataset(
        task=task,
        train=sides["train"],
        dev=sides["dev"],
        test=sides["test"],
        reads=tuple(one.report for one in loaded.values()),
        left_out=account.left_out,
        notes=tuple(account.notes),
        chooses=None if chooses is None else _judged_in(sides["dev"], chooses),
        searched=searched,
    )


def read_test(path: Path, choice: Selection, *, kind: str, classes: Sequence[str]) -> Data | RetrievalSet:
    """The test side alone, as :func:`load_dataset` returned it with others.

    Args:
        path: the file.
        choice: with the task.
        kind: kind of the labels; unused for candidates.
        classes: classes of the labels, or empty.
    """
    loaded, corpus = _read(choice.task or _task_of(path, choice), "test", path, choice)
    if corpus is not None:
        return corpus
    return data_kind(loaded.data).with_labels(loaded.data, classes, kind)


def cut_dev(data: Data) -> tuple[Data, Data]:
    """Cut a part of train off that shares no component with the rest: train, dev.

    Components are those of pairs with common texts, and of questions with a common right candidate. They are
    taken in an order that follows from their texts and a seed alone, those that are too large left out.

    Raises:
        DataError: components are too large to cut off anything near the wanted share.
    """
    graph, component, firsts = data_kind(data).row_components(data)
    members: dict[int, list[int]] = {}
    for row, number in enumerate(component[firsts].tolist()):
        members.setdefault(number, []).append(row)
    rank: dict[int, int] = {}
    for key, number in zip(graph.keys, component.tolist(), strict=True):
        rank[number] = min(stable_hash(key, seed=_DEV_SEED), rank.get(number, 1 << 64))
    wanted, taken = round(_DEV_SHARE * len(data)), set[int]()
    for number in sorted(members, key=rank.__getitem__):
        if len(taken) + len(members[number]) <= wanted:
            taken.update(members[number])
    if not taken or 2 * len(taken) < wanted:
        raise DataError(
            f"{data.name}: its pairs share too many texts for a dev side of {wanted:,}",
            fix="give `dev`, or make sides with `split()`",
        )
    rest = [row for row in range(len(data)) if row not in taken]
    return data.select(rest), data.select(sorted(taken), name=f"a part of {data.name}")


class _Account:
    """Removes and reports items that sides share.

    Attributes:
        left_out: pairs that were left out.
        notes: sentences.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self.notes: list[str] = []

    def without(self, side: str, data: Data, later: Mapping[str, Data]) -> Data:
        """``data`` without items of the later sides.

        Raises:
            DataError: nothing is left.
        """
        kind = data_kind(data)
        apart = kind.apart(data)
        marks = (data_kind(other).apart(other).marks for other in later.values())
        known = {mark for side_marks in marks for row in side_marks for mark in row}
        kept = [row for row, own in enumerate(apart.marks) if known.isdisjoint(own)]
        if len(kept) == len(data):
            return data
        found, lost = data.select(kept), data.select(sorted({*range(len(data))}.difference(kept)))
        self.left_out += len(lost.texts)
        why = f"since {apart.why} in {' or '.join(later)} too"
        if not kept:
            raise DataError(f"nothing is left of {data.name}, {why}", fix="give sides that share nothing")
        self.notes.append(f"{side}: {kind.size(lost)}, of {len(data):,}, left out, {why}.")
        return found

    def note_recurring(self, sides: Mapping[str, Data], searched: RetrievalSet | None) -> None:
        """Count test texts that recur in train or dev where that is allowed; of a corpus all documents."""
        apart = {side: data_kind(data).apart(data) for side, data in sides.items()}
        keys = {side: set(keys_of(one.recurring).values()) for side, one in apart.items()}
        unit, where = apart["test"].unit, f", {apart['test'].where}"
        if searched is not None:
            keys["test"], unit, where = set(keys_of(searched.corpus.values()).values()), "document", ""
            queries = count(len(searched.qrels.query_ids), "query")
            self.notes.append(f"test: {queries}, which search {count(len(searched.corpus), unit)}.")
        for side in ("train", "dev"):
            if shared := len(keys[side] & keys["test"]):
                self.notes.append(f"test shares {count(shared, unit)} with {side}{where}.")


def _sides_of(path: Path) -> list[str]:
    name = path.name.lower().removesuffix(".gz")
    if is_folder(path) or Path(name).suffix not in _SUFFIXES:
        return []
    words = set(re.findall("[a-z]+", Path(name).stem))
    return [side for side, names in SIDES.items() if words & names]


def _one_of(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _refuse_twice(sources: Sources) -> None:
    """One folder of BEIR may have the judgements of several sides."""
    files = {"train": sources.train, "dev": sources.dev, "test": sources.test}
    given = {side: path for side, path in files.items() if path is not None}
    places = [
        (real(path), side if is_beir(path) and side in splits(path) else "") for side, path in given.items()
    ]
    if len(set(places)) < len(places):
        raise UsageError(
            "one file was given for two sides", fix="give each its own", params=("train", "dev", "test")
        )


def _task_of(path: Path, choice: Selection) -> Task:
    """The task that the training file is for."""
    kind, _ = load_data(path, reading=choice.reading_of("train"))
    if kind.task is None:
        raise DataError(
            f"holds {kind.words}, and nothing is trained on sides of those",
            path=path,
            fix="give files of pairs or of questions with candidates",
        )
    return kind.task


def _read(
    task: Task, side: str, path: Path, choice: Selection
) -> tuple[Loaded[PairSet] | Loaded[CandidateSet], RetrievalSet | None]:
    """A side, and for dev and test the corpus that is searched in its place."""
    loaded, chooses = read_dev(task, path, reading=choice.reading_of(side), split=side)
    corpus = chooses if side != "train" and isinstance(chooses, RetrievalSet) else None
    if task == "pairs":
        loaded = replace(loaded, data=data_kind(loaded.data).as_pairs(loaded.data))
    if not len(loaded.data):
        raise DataError(f"holds nothing for {side}", path=path, fix="give another file or question set")
    kind = data_kind(loaded.data)
    if kind.task != task or kind.label_kind(loaded.data) is LabelKind.NONE:
        raise DataError(
            f"holds {kind.words}, expected labelled data for the task {task}",
            path=path,
            fix=either("name the label's column with `columns=label=NAME`", "choose other recipes"),
        )
    if task == "ranking" and corpus is None:
        loaded = replace(loaded, data=_with_plain_ids(loaded.data))
    return loaded, corpus


def _judged_in(dev: Data, corpus: RetrievalSet) -> RetrievalSet:
    """A corpus with the judgements of the queries that are left in dev."""
    left = {pair.id_a for pair in data_kind(dev).as_pairs(dev)}
    judged = {query: of for query, of in corpus.qrels.to_dict().items() if query in left}
    return replace(corpus, qrels=Qrels.from_dict(judged))


def _with_plain_ids(data: CandidateSet) -> CandidateSet:
    """Questions that TREC files can name: numbered, where an id is a text because the file has no ids."""
    if all(len(one.query_id.split()) == 1 for one in data):
        return data
    queries = (replace(one, query_id=f"q{number}") for number, one in enumerate(data, 1))
    return CandidateSet(tuple(queries), data.name)


def _alike(sides: dict[str, Any], account: _Account) -> dict[str, Data]:
    """The sides with labels that mean the same: graded where one is, and numbered as in train."""
    kinds = {side: data_kind(data) for side, data in sides.items()}
    labels = {side: kinds[side].label_kind(data) for side, data in sides.items()}
    graded = [side for side, kind in labels.items() if kind is LabelKind.GRADED]
    # A small side of graded pairs may hold labels of 0 and 1 only.
    doubtful = [
        side for side, kind in labels.items() if kind is LabelKind.BINARY and len(sides[side]) >= _NOT_SMALL
    ]
    if graded and doubtful:
        account.notes.append(
            f"The labels of {' and '.join(doubtful)} are 0 and 1 alone, those of {' and '.join(graded)} are "
            "grades: all were taken as grades of one scale."
        )
    kind, classes = LabelKind.GRADED if graded else None, kinds["train"].as_pairs(sides["train"]).classes
    return {side: kinds[side].with_labels(data, classes, kind) for side, data in sides.items()}
