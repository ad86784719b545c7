"""The file of answers: one line each, on the disk before the next question."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from textkin.base.append_log import LineFile
from textkin.base.errors import DataError
from textkin.base.json_records import restored
from textkin.measures.labels.draws import Draw

_KIND, _FORMAT = "textkin labels", 1
_PAIRS = "pairs_sha256"


class LabelAnswer(StrEnum):
    """An annotator's answer on a pair.

    Example:
        >>> from textkin.verbs import LabelAnswer
        >>> LabelAnswer("same") is LabelAnswer.SAME
        True
    """

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class LineReason(StrEnum):
    """Reason for a line in the file."""

    DRAWN = "drawn"  # a sampled pair was answered
    MORE = "more"  # another answer to a pair sampled before
    SETTLED = "settled"  # the settlement of a disagreement


@dataclass(frozen=True, slots=True)
class Labelled:
    """A line of the file: a pair with an answer.

    Attributes:
        row: position of the pair, highest score first.
        among: number of first pairs it was drawn from.
        answer: the answer.
        by: name of the annotator.
        note: comment of the annotator.
        turn: reason for the line.
        start: number of first pairs excluded from the draw.
    """

    row: int
    among: int
    answer: LabelAnswer
    by: str = ""
    note: str = ""
    turn: LineReason = LineReason.DRAWN
    start: int = 0


class AnswerFile:
    """Answers in the order they were given. Lines of the file are never changed.

    Several processes may answer in turn: each reads the others' answers before it adds its own.

    Args:
        path: the file; created with the first answer.
        made_of: everything the draws depend on, to detect another set of pairs.

    Raises:
        DataError: the file can't be read, or was made for other pairs, another goal or another seed.
    """

    def __init__(self, path: Path | str, made_of: Mapping[str, Any]) -> None:
        self._file = LineFile(path)
        self._made_of = dict(made_of)
        self._listed: list[Labelled] = []
        self._draws: list[Draw] = []
        self._has_head = False
        self.catch_up()

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._file.path

    @property
    def listed(self) -> tuple[Labelled, ...]:
        """All valid answers."""
        return tuple(self._listed)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """All draws. A draw remains when its answer is taken back, so nobody can redraw until it fits."""
        return tuple(self._draws)

    @property
    def lines(self) -> int:
        """The number of lines read so far; the same number means the same answers."""
        return self._file.lines

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the file for the block, after reading the answers of other processes.

        Raises:
            OutputError: another process holds the lock, or the file can't be written.
        """
        with self._file.held():
            self.catch_up()
            yield

    def catch_up(self) -> None:
        """Read the lines that other processes have added.

        Raises:
            DataError: a line is not an answer.
        """
        for number, line in self._file.fresh():
            if self._has_head:
                self._take(line, number)
            else:
                self._check_head(line)
                self._has_head = True

    def add(self, found: Labelled) -> None:
        """Write an answer; it is on the disk when this returns.

        Raises:
            OutputError: the file can't be written.
        """
        self._append(asdict(found))

    def take_back(self, by: str | None = None) -> bool:
        """Take back the last answer of an annotator, or of anyone; return False if there is none."""
        with self.held():
            if self._last(by) is None:
                return False
            self._append({"undo": True} if by is None else {"undo": True, "by": by})
        return True

    def _last(self, by: str | None) -> int | None:
        """The position of the last answer of an annotator, or of anyone."""
        places = (place for place, one in enumerate(self._listed) if by is None or one.by == by)
        return max(places, default=None)

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.held():
            head = [] if self._has_head else [{"kind": _KIND, "format": _FORMAT, **self._made_of}]
            self._file.add([*head, line])
            self.catch_up()

    def _check_head(self, head: Mapping[str, Any]) -> None:
        if head.get("kind") != _KIND or head.get("format") != _FORMAT:
            raise DataError(
                "holds no labels of textkin label", path=self.path, line=1, fix="name another file"
            )
        for name, value in self._made_of.items():
            if (was := head.get(name)) != value:
                told = f"was begun with {name} {was!r}, not {value!r}"
                raise DataError(
                    "has labels of other pairs" if name == _PAIRS else told,
                    path=self.path,
                    line=1,
                    fix="use the options that it was begun with, or name another file as `answers`",
                )

    def _take(self, values: Mapping[str, Any], number: int) -> None:
        if values.get("undo") is True:
            if (place := self._last(values.get("by"))) is not None:
                del self._listed[place]
            return
        try:
            found = restored(Labelled, values)
            if not 0 <= found.start <= found.row < found.among:
                raise ValueError(f"the pair {found.row} of {found.among}")
        except ValueError as error:
            raise DataError(f"is no answer: {error}", path=self.path, line=number) from error
        if found.turn is LineReason.DRAWN:
            self._draws.append(Draw(found.row, found.among, found.start))
        self._listed.append(found)
