"""Label until proven: draws pairs, takes answers, and says what these prove.

A threshold is chosen out of a few that are fixed before the first answer. Each has a test of its own that is
valid at any time (``stats.betting``), at its part of the error, so the chance that any threshold is ever
called proven whose precision is below the goal is ``error`` at most, whenever and however one stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, UsageError
from textkin.stats.betting import labels_left, least_precision, proven_after, wealth
from textkin.table_writer import check_ending, written_table
from textkin.tasks.label.answers import AnswerFile, LabelAnswer, Labelled
from textkin.tasks.label.candidates import ScoredTexts

_FEWEST = 100  # pairs of the highest threshold that is tried
_MOST_THRESHOLDS = 6
_SAYING_LITTLE = 10  # labels that rule no threshold out
_TELLING = 300  # labels after which a share below the goal speaks against a threshold
_UNLIKELY = 0.05
COLUMNS = ("label", "score", "text_a", "text_b", "answer", "by", "note")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelGoal:
    """What is to be proven.

    Attributes:
        precision: of the pairs from a threshold on, at least so many are the same.
        error: how probable a false proof may be.
        threshold: the only one that is tried; None to try several, which takes more labels.
        seed: of the draws.
    """

    precision: float
    error: float = 0.05
    threshold: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("precision", "error"):
            if not 0 < getattr(self, name) < 1:
                raise UsageError(
                    f"{name} is {getattr(self, name):g}", fix="give a number above 0 and below 1"
                )


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A pair to judge; nothing tells its score.

    Attributes:
        row: by which :meth:`LabelSession.answer` knows it.
        among: of how many pairs it was drawn.
        first: a text.
        second: the other one; which comes first is random.
    """

    row: int
    among: int
    first: str
    second: str


@final
@dataclass(frozen=True, slots=True)
class ThresholdProof:
    """What the labels prove of a threshold.

    Attributes:
        threshold: pairs from this score on.
        pairs: how many they are.
        labels: of draws from all of these alike.
        same: of those labels.
        proven: whether the goal is proven.
        least: the precision that is proven, at this threshold's part of the error.
        left: how many more labels a proof takes if they come as those so far; None if that proves nothing.
    """

    threshold: float
    pairs: int
    labels: int
    same: int
    proven: bool
    least: float
    left: int | None


@final
@dataclass(frozen=True, slots=True)
class LabelState:
    """Where a session stands.

    Attributes:
        answered: pairs that a person has judged.
        draws: labels, pairs that were drawn again included.
        unsure: answers that were neither; they count against the goal.
        thresholds: the highest first.
        proven: the lowest threshold that is proven; None if none is.
        aimed: the one that pairs are drawn for now; None where no other one is within reach.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> found = tk.mine(samples.path("inbox.txt"), options=tk.MineOptions(top=50), out="close.tsv")
        >>> tk.label("close.tsv").state().proven is None
        True
    """

    answered: int
    draws: int
    unsure: int
    thresholds: tuple[ThresholdProof, ...]
    proven: ThresholdProof | None
    aimed: ThresholdProof | None

    @property
    def sentence(self) -> str:
        """What is proven, and what is still to do."""
        if self.proven is not None:
            one = self.proven
            said = f"proven from score {one.threshold:.4f} on ({one.pairs:,} pairs)"
        else:
            said = "nothing is proven yet"
        if self.aimed is None:
            return f"{said}; more labels would prove no more"
        if self.aimed.left is None:
            return f"{said}; as labels come so far, score {self.aimed.threshold:.4f} won't be"
        return f"{said}; about {self.aimed.left:,} more labels for score {self.aimed.threshold:.4f}"


class _Counts(NamedTuple):
    """The labels of so many first pairs, in their order, and whether they prove the goal."""

    size: int
    same: NDArray[np.bool_]
    proven: bool


@final
class LabelSession:
    """Pairs, a goal, and the answers so far.

    Args:
        pairs: with their scores.
        goal: what is to be proven.
        answers: the file that keeps answers.

    Raises:
        DataError: the file was begun otherwise, or no pair reaches the threshold.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> found = tk.mine(samples.path("inbox.txt"), options=tk.MineOptions(top=50), out="near.tsv")
        >>> session = tk.label("near.tsv", threshold=0.8)
        >>> session.state().aimed.left
        88
    """

    def __init__(self, pairs: ScoredTexts, goal: LabelGoal, answers: Path | str) -> None:
        self.pairs, self.goal = pairs, goal
        self._sizes = _sizes(pairs, goal.threshold)
        self._file = AnswerFile(
            answers,
            {
                "pairs_sha256": pairs.sha256,
                "precision": goal.precision,
                "error": goal.error,
                "threshold": goal.threshold,
                "seed": goal.seed,
            },
        )
        if any(one.among > len(pairs) for one in self._file.listed):
            raise DataError("has answers to more pairs than there are", path=self._file.path)

    @property
    def path(self) -> Path:
        """The file of answers."""
        return self._file.path

    def next(self) -> Question | None:
        """The next pair to judge; None where no more labels would prove more.

        A pair that was judged before and is drawn again is not asked about: its answer counts once more.
        """
        self._file.catch_up()
        while (size := self._aimed([self._counts(one) for one in self._sizes])) is not None:
            random = np.random.default_rng([self.goal.seed, self._file.lines])
            row, turned = int(random.integers(size)), bool(random.integers(2))
            known = next((one for one in self._file.listed if one.row == row), None)
            if known is None:
                a, b = self.pairs.texts[row]
                return Question(row, size, *((b, a) if turned else (a, b)))
            self._file.add(Labelled(row, size, known.answer, again=True))
        return None

    def answer(self, question: Question, answer: LabelAnswer, *, by: str = "", note: str = "") -> LabelState:
        """Keep an answer, and say where the session stands; when it returns, the answer is on the disk.

        Raises:
            UsageError: the pair is not the one that is asked about now, as somebody else has answered it.
            OutputError: the answer can't be written.
        """
        with self._file.held():
            asked = self.next()
            if asked is None or (asked.row, asked.among) != (question.row, question.among):
                raise UsageError("this pair is not the one that is asked about", fix="ask for the next one")
            self._file.add(Labelled(question.row, question.among, answer, by, note))
        return self.state()

    def undo(self) -> bool:
        """Take the last answer back; False if there is none."""
        return self._file.take_back()

    def state(self) -> LabelState:
        """What is proven, and which threshold comes next."""
        self._file.catch_up()
        listed = self._file.listed
        counts = [self._counts(size) for size in self._sizes]
        found = tuple(map(self._proof, counts))
        aimed = self._aimed(counts)
        return LabelState(
            answered=sum(not one.again for one in listed),
            draws=len(listed),
            unsure=sum(one.answer is LabelAnswer.UNSURE for one in listed if not one.again),
            thresholds=found,
            proven=next((one for one in reversed(found) if one.proven), None),
            aimed=next((one for one in found if one.pairs == aimed), None),
        )

    def export(self, path: Path | str) -> int:
        """Write the judged pairs as a table with labels, for ``calibrate`` and ``evaluate``; how many.

        Those that somebody was unsure of have no label, and are left out.

        Raises:
            OutputError: it can't be written.
        """
        kept = [one for one in self._file.listed if not one.again and one.answer is not LabelAnswer.UNSURE]
        target = Path(path)
        check_ending(target)
        with written_table(target, COLUMNS) as writer:
            writer.write(map(self._row, kept))
        return len(kept)

    def _row(self, one: Labelled) -> tuple[str | float, ...]:
        label = "1" if one.answer is LabelAnswer.SAME else "0"
        score = float(self.pairs.scores[one.row])
        return label, score, *self.pairs.texts[one.row], one.answer.value, one.by, one.note

    @cached_property
    def _part(self) -> float:
        """Each threshold's part of the error."""
        return self.goal.error / len(self._sizes)

    def _counts(self, size: int) -> _Counts:
        """The labels of the first pairs: of draws from them or from more, those that fell on them."""
        listed = self._file.listed
        same = [one.answer is LabelAnswer.SAME for one in listed if one.among >= size and one.row < size]
        found = np.array(same, dtype=bool)
        proof = proven_after(wealth(found, goal=self.goal.precision), error=self._part)
        return _Counts(size, found, proof is not None)

    def _aimed(self, counts: Sequence[_Counts]) -> int | None:
        """How many pairs to draw from now: the most that may yet be proven beyond what is; None if none.

        It follows from the answers so far alone, as draws must for the proof to hold.
        """
        proven = max((one.size for one in counts if one.proven), default=0)
        hopeful = [one.size for one in counts if one.size > proven and self._is_hopeful(one.same)]
        return max(hopeful, default=None)

    def _is_hopeful(self, same: NDArray[np.bool_]) -> bool:
        """Whether labels leave it possible that the goal is reached; a guess, which no proof depends on."""
        from scipy.special import bdtr

        if len(same) < _SAYING_LITTLE:
            return True
        count = int(same.sum())
        if len(same) >= _TELLING and count < self.goal.precision * len(same):
            return False
        return bool(bdtr(count, len(same), self.goal.precision) >= _UNLIKELY)

    def _proof(self, found: _Counts) -> ThresholdProof:
        own = self.goal.threshold
        return ThresholdProof(
            threshold=float(self.pairs.scores[found.size - 1]) if own is None else own,
            pairs=found.size,
            labels=len(found.same),
            same=int(found.same.sum()),
            proven=found.proven,
            least=least_precision(found.same, error=self._part),
            left=labels_left(found.same, goal=self.goal.precision, error=self._part),
        )


def _sizes(pairs: ScoredTexts, threshold: float | None) -> list[int]:
    """How many pairs each threshold has, the fewest first; of several each has about half of the next.

    Pairs of one score go together.

    Raises:
        DataError: no pair reaches the threshold.
    """
    if threshold is not None:
        size = pairs.above(threshold)
        if not size:
            raise DataError(f"no pair has a score from {threshold:g} on", path=pairs.path)
        return [size]
    found: list[int] = []
    wanted = len(pairs)
    while len(found) < _MOST_THRESHOLDS and wanted >= min(_FEWEST, len(pairs)):
        size = pairs.above(float(pairs.scores[wanted - 1]))
        if not found or size < found[-1]:
            found.append(size)
        wanted //= 2
    return found[::-1]


def fields_of(state: LabelState) -> dict[str, Any]:
    """A state for JSON."""
    return {
        "answered": state.answered,
        "draws": state.draws,
        "unsure": state.unsure,
        "proven": None if state.proven is None else state.proven.threshold,
        "aimed": None if state.aimed is None else state.aimed.threshold,
        "left": None if state.aimed is None else state.aimed.left,
        "said": state.sentence,
        "thresholds": [
            {
                "threshold": one.threshold,
                "pairs": one.pairs,
                "labels": one.labels,
                "same": one.same,
                "proven": one.proven,
                "least": one.least,
                "left": one.left,
            }
            for one in state.thresholds
        ],
    }
