"""InsuranceQA version 1: questions with pools of 500 answers, in its two layouts.

* The original text files: ``vocabulary`` (index, tab, word), ``answers.label.token_idx`` (number, tab,
  indexes), ``question.train.token_idx.label`` (indexes, tab, numbers of the correct answers) and
  ``question.{dev,test1,test2}.label.token_idx.pool`` (correct answers, tab, indexes, tab, pool).
* The same as objects: ``vocabulary`` and ``answers`` (index to word, number to indexes), ``train`` (a list of
  ``question``, ``answers``), ``dev``, ``test1`` and ``test2`` (``question``, ``good``, ``bad``). They are
  distributed as Python pickles, which textkin doesn't load, since a pickle can run any code. Here they are
  JSON files, ``answers.json`` and so on.

Candidates are sorted by answer number: the files list the correct answers first, and no ranking may profit
from that. Words are joined by spaces.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from textkin.base.errors import DataError, invalid, unknown_choice
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.candidates import NO_CANDIDATES, Judged, read_judged
from textkin.data.readers.json_document import Node, read_document
from textkin.data.readers.labels import whole_number
from textkin.data.readers.read_options import Questions
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import lines
from textkin.data.records import CandidateSet

SPLITS = ("train", "dev", "test1", "test2")

_Key = TypeVar("_Key", int, str)
_ANSWERS = "answers.label.token_idx"
_TRAIN = "question.train.token_idx.label"


def is_insuranceqa(path: Path) -> bool:
    """True if this is a folder of either layout."""
    return is_folder(path) and any(
        _find(path, "vocabulary", suffix) and _find(path, answers, suffix)
        for answers, suffix in ((_ANSWERS, ""), ("answers", ".json"), ("answers", ""))
    )


def read_insuranceqa(
    path: Path | str,
    *,
    split: str | None = None,
    questions: Questions = "answered",
    negatives: int = 50,
    seed: int = 0,
) -> Loaded[CandidateSet]:
    """Read one split of InsuranceQA; a candidate's id is the answer's number.

    Args:
        path: the folder.
        split: train, dev, test1 or test2.
        questions: "answered", with at least one correct answer; "mixed", with correct and wrong ones; or
            "all".
        negatives: number of random wrong answers for each question of train, which has no pool; the same for
            the same seed. The name of the result includes it.
        seed: seed of the random answers.

    Raises:
        UsageError: the question set or split is unknown.
        DataError: a file is missing or invalid, refers to a missing word or answer, or has an answer's number
            or a word's index twice with different texts.
    """
    folder = Path(path)
    if not is_insuranceqa(folder):
        raise DataError("is not a folder of InsuranceQA v1", path=path, fix=f"give one with {_ANSWERS}")
    if split not in SPLITS:
        raise unknown_choice("split", split, SPLITS)
    if negatives < 0:
        raise invalid("negatives", negatives, expected="at least 0")
    layout = _TextFiles(folder) if _find(folder, _ANSWERS) else _Objects(folder)
    counter = SkipCounter(layout.file(split), unit=layout.unit)
    answers = layout.answers()
    draw = _drawer(answers, negatives, seed)
    rows = _rows(layout.questions(split), answers, draw, counter)
    source = f"{folder.resolve().name} {split}"
    source += f", {negatives} drawn wrong answers each" if split == "train" else ""
    return read_judged(rows, counter, questions, source=source, format="insuranceqa")


class _Asked(NamedTuple):
    """A question with its answer numbers; without a pool in train."""

    line: int
    text: str
    right: frozenset[int]
    pool: frozenset[int] | None


def _rows(
    asked: Iterable[_Asked],
    answers: Mapping[int, str],
    draw: Callable[[frozenset[int]], Iterable[int]],
    counter: SkipCounter,
) -> Iterator[Judged]:
    for place, one in enumerate(asked, 1):
        wrong = draw(one.right) if one.pool is None else one.pool
        candidates = sorted(one.right.union(wrong))
        counter.rows += max(1, len(candidates))
        if not candidates:
            counter.skip(one.line, NO_CANDIDATES)
        for number in candidates:
            if number not in answers:
                raise counter.fault(
                    f"there is no answer {str(number)[:40]}", one.line, fix="take all files of one copy"
                )
            label = int(number in one.right)
            yield Judged(one.line, str(place), one.text, str(number), answers[number], label)


def _drawer(answers: Mapping[int, str], count: int, seed: int) -> Callable[[frozenset[int]], list[int]]:
    """A function that draws ``count`` answers with other texts than the correct ones, without replacement."""
    generator = np.random.default_rng(seed)
    numbers, alike = sorted(answers), dict[str, list[int]]()
    for number in numbers:
        alike.setdefault(answers[number], []).append(number)

    def draw(right: frozenset[int]) -> list[int]:
        correct = {other for one in right if one in answers for other in alike[answers[one]]}
        size = min(len(numbers), count + len(correct))
        places = generator.choice(len(numbers), size=size, replace=False).tolist() if count else []
        return [numbers[place] for place in places if numbers[place] not in correct][:count]

    return draw


class _Layout(ABC):
    """A folder of InsuranceQA; ``unit`` is the unit of positions in its files."""

    unit: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def file(self, split: str) -> Path:
        """The file of a split's questions."""

    @abstractmethod
    def answers(self) -> dict[int, str]:
        """The answers by number."""

    @abstractmethod
    def questions(self, split: str) -> Iterator[_Asked]:
        """The questions of a split."""

    def need(self, name: str, suffix: str = "") -> Path:
        """A file of the folder, plain or gzip, with or without ``suffix``."""
        found = _find(self.folder, name, suffix) or _find(self.folder, name)
        if found is None:
            raise DataError(f"holds no {name}{suffix}", path=self.folder, fix="take all files of one copy")
        return found


class _TextFiles(_Layout):
    """The original files."""

    unit = "line"

    def file(self, split: str) -> Path:
        return self.need(_TRAIN if split == "train" else f"question.{split}.label.token_idx.pool")

    def answers(self) -> dict[int, str]:
        path, found = self.need(_ANSWERS), dict[int, str]()
        for line, (numbers, words) in _fields(path, 2):
            for number in _numbers(numbers, path, line):
                _add(found, number, self._spell(words, path, line), partial(DataError, path=path, line=line))
        return found

    def questions(self, split: str) -> Iterator[_Asked]:
        path = self.file(split)
        for line, fields in _fields(path, 2 if split == "train" else 3):
            words, right = (fields[0], fields[1]) if split == "train" else (fields[1], fields[0])
            pool = None if split == "train" else _numbers(fields[2], path, line)
            yield _Asked(line, self._spell(words, path, line), _numbers(right, path, line), pool)

    @cached_property
    def _vocabulary(self) -> dict[str, str]:
        path, found = self.need("vocabulary"), dict[str, str]()
        for line, (index, word) in _fields(path, 2):
            _add(found, index, word, partial(DataError, path=path, line=line))
        return found

    def _spell(self, tokens: str, path: Path, line: int) -> str:
        try:
            return " ".join(self._vocabulary[token] for token in tokens.split())
        except KeyError as error:
            raise DataError(
                f"the word {error.args[0][:40]!r} is not in the vocabulary",
                path=path,
                line=line,
                fix="take all files of one copy",
            ) from error


class _Objects(_Layout):
    """The objects, as JSON."""

    unit = "question"

    def file(self, split: str) -> Path:
        return self.need(split, ".json")

    def answers(self) -> dict[int, str]:
        found = dict[int, str]()
        for key, tokens in read_document(self.need("answers", ".json")).entries():
            number = whole_number(key)
            if number is None or number < 0:
                raise tokens.fault(f"the key {key[:40]!r} is not a number")
            _add(found, number, self._spell(tokens), tokens.fault)
        return found

    def questions(self, split: str) -> Iterator[_Asked]:
        for line, item in enumerate(read_document(self.file(split)).items(), 1):
            right = frozenset(item.member("answers" if split == "train" else "good").wholes())
            pool = None if split == "train" else frozenset(item.member("bad").wholes())
            yield _Asked(line, self._spell(item.member("question")), right, pool)

    @cached_property
    def _vocabulary(self) -> dict[str, str]:
        document = read_document(self.need("vocabulary", ".json"))
        return {index: word.text() for index, word in document.entries()}

    def _spell(self, tokens: Node) -> str:
        try:
            return " ".join(self._vocabulary[str(token)] for token in tokens.wholes())
        except KeyError as error:
            raise tokens.fault(f"the word {error.args[0][:40]} is not in the vocabulary") from error


def _add(found: dict[_Key, str], key: _Key, text: str, fault: Callable[..., DataError]) -> None:
    """Add a text under its number or index; the same text may come again.

    Raises:
        DataError: another text has the key.
    """
    if found.setdefault(key, text) != text:
        raise fault(f"{str(key)[:40]} comes twice, with different texts", fix="take all files of one copy")


def _find(folder: Path, name: str, suffix: str = "") -> Path | None:
    places = (folder / f"{name}{suffix}{packed}" for packed in ("", ".gz"))
    return next((place for place in places if is_file(place)), None)


def _fields(path: Path, count: int) -> Iterator[tuple[int, list[str]]]:
    """The tab-separated lines of a file with their numbers, without blank lines."""
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != count:
            raise DataError(
                f"{len(fields)} fields, expected {count} with tabs between them",
                path=path,
                line=number,
                fix="fetch the file again if it was cut off",
            )
        yield number, fields


def _numbers(text: str, path: Path, line: int) -> frozenset[int]:
    found = set()
    for word in text.split():
        number = whole_number(word)
        if number is None or number < 0:
            raise DataError(
                f"{word[:40]!r} is no answer's number", path=path, line=line, fix="correct the line"
            )
        found.add(number)
    return frozenset(found)
