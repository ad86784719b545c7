"""The file of answers: a line each, on the disk before the next question is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, final

from textkin.base.append_log import LineFile
from textkin.base.errors import DataError
from textkin.base.json_records import restored
from textkin.measures.labels.draws import Draw

_KIND, _FORMAT = "textkin labels", 1


class LabelAnswer(StrEnum):
    """What a person says of a pair.

    Example:
        >>> import textkin as tk
        >>> tk.LabelAnswer("same") is tk.LabelAnswer.SAME
        True
    """

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class LineReason(StrEnum):
    """Why a line stands in the file."""

    DRAWN = "drawn"  # a pair was drawn, and answered
    MORE = "more"  # another answer to a pair that was drawn before
    SETTLED = "settled"  # the end of a disagreement


@final
@dataclass(frozen=True, slots=True)
class Labelled:
    """A line: a pair with an answer.

    Attributes:
        row: the pair, by its place among all, the highest score first.
        among: of how many first pairs it was drawn.
        answer: what was said.
        by: who said it.
        note: what else was said.
        turn: why the line is there.
        start: how many first pairs were left out where it was drawn.
    """

    row: int
    among: int
    answer: LabelAnswer
    by: str = ""
    note: str = ""
    turn: LineReason = LineReason.DRAWN
    start: int = 0


@final
class AnswerFile:
    """Answers in the order in which they came; nothing in the file is ever changed.

    Several processes may answer in turn: each reads what the others have answered before it adds to it.

    Args:
        path: the file; it is made with the first answer.
        made_of: what the draws depend on, by which another set of pairs is recognised.

    Raises:
        DataError: it can't be read, or was made for other pairs, another goal or another seed.
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
        """The file."""
        return self._file.path

    @property
    def listed(self) -> tuple[Labelled, ...]:
        """All answers that stand."""
        return tuple(self._listed)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """What was drawn. That stands even if an answer is taken back, so nobody draws until it fits."""
        return tuple(self._draws)

    @property
    def lines(self) -> int:
        """How many lines were read; the same number means the same answers."""
        return self._file.lines

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from answering while the block runs; what they have answered is read first.

        Raises:
            OutputError: another process holds it, or it can't be written.
        """
        with self._file.held():
            self.catch_up()
            yield

    def catch_up(self) -> None:
        """Read what other processes have added.

        Raises:
            DataError: a line is no answer.
        """
        for number, line in self._file.fresh():
            if self._has_head:
                self._take(line, number)
            else:
                self._check_head(line)
                self._has_head = True

    def add(self, found: Labelled) -> None:
        """Write an answer; when this returns, it is on the disk.

        Raises:
            OutputError: it can't be written.
        """
        self._append(asdict(found))

    def take_back(self, by: str | None = None) -> bool:
        """Take the last answer back, or that of one person; False if there is none."""
        with self.held():
            if self._last(by) is None:
                return False
            self._append({"undo": True} if by is None else {"undo": True, "by": by})
        return True

    def _last(self, by: str | None) -> int | None:
        """The place of the last answer of a person, or of anybody."""
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
                raise DataError(
                    f"was begun with {name} {was!r}, not {value!r}",
                    path=self.path,
                    line=1,
                    fix="go on as it was begun, or name another file as `answers`",
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
