"""Label until proven: draws pairs, takes answers, and computes the proof (``draws.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Bools
from textkin.base.errors import DataError, UsageError, invalid, required, unknown_choice
from textkin.base.results import Printed
from textkin.measures.intervals.betting import needed
from textkin.measures.intervals.finite_counts import MostSo
from textkin.measures.labels.annotators import Judgements, LabelAgreement, agreement_of
from textkin.measures.labels.answer_file import AnswerFile, LabelAnswer, Labelled, LineReason
from textkin.measures.labels.draws import Draw, DrawnLabels, told
from textkin.measures.labels.labelled_file import write_labelled
from textkin.measures.labels.scored_pairs import ScoredTexts
from textkin.verbs.label.progress import LabelState, fields_of, lines_of

_FEWEST = 100  # pairs of the highest threshold that is tried
_MOST_THRESHOLDS = 6
_SAYING_LITTLE = 10  # labels that rule no threshold out
_TELLING = 300  # labels after which a share below the goal speaks against a threshold
_UNLIKELY = 0.05
_SHARED = 2_000_003  # parts the draws of what several judge from those of pairs
_TRUTH = {LabelAnswer.SAME: True, LabelAnswer.DIFFERENT: False, LabelAnswer.UNSURE: None}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelGoal:
    """Goal of a session: the precision to prove.

    Attributes:
        precision: the required fraction of duplicates among the pairs at or above a threshold.
        error: maximum probability of a false proof.
        threshold: the only one that is tried; None to try several, which takes more labels.
        recall: whether pairs are drawn below a proven threshold, too, for a lower bound on its recall.
        overlap: the fraction of pairs that two annotators label.
        seed: seed of the random draws.
    """

    precision: float
    error: float = 0.05
    threshold: float | None = None
    recall: bool = False
    overlap: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("precision", "error"):
            if not 0 < getattr(self, name) < 1:
                raise invalid(name, getattr(self, name), expected="a number above 0 and below 1")


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to label, without its score and without others' labels.

    Attributes:
        row: by which :meth:`LabelSession.answer` knows it.
        among: number of pairs it was drawn from.
        first: a text.
        second: the other one; which comes first is random.
    """

    row: int
    among: int
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair on which people disagree.

    Attributes:
        row: by which :meth:`LabelSession.settle` knows it.
        first: a text.
        second: the other one.
        answers: the label of each annotator.
    """

    row: int
    first: str
    second: str
    answers: tuple[Labelled, ...]


class LabelSession(Printed):
    """Pairs, a goal, and the answers so far.

    Args:
        pairs: with their scores.
        goal: the precision to prove.
        answers: the file that keeps answers.

    Raises:
        DataError: the file was begun otherwise, or no pair reaches the threshold.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), top=50, out="near.tsv")
        >>> session = tk.label("near.tsv", threshold=0.8)
        >>> session.state().aimed.pairs, session.state().aimed.left
        (23, 19)
    """

    def __init__(self, pairs: ScoredTexts, goal: LabelGoal, answers: Path | str) -> None:
        self.pairs, self.goal = pairs, goal
        self._sizes = _sizes(pairs, goal.threshold)
        made_of = {
            "pairs_sha256": pairs.sha256,
            "precision": goal.precision,
            "error": goal.error,
            "threshold": goal.threshold,
            "recall": goal.recall,
            "overlap": goal.overlap,
            "seed": goal.seed,
        }
        self._file = AnswerFile(answers, made_of)
        self._bounds: dict[tuple[int, ...], MostSo] = {}
        self._known: tuple[int, Judgements, DrawnLabels] | None = None
        drawn = max((one.among for one in self._file.draws), default=0)
        if drawn > len(pairs):
            raise DataError("has answers to more pairs than there are", path=self._file.path)

    @property
    def path(self) -> Path:
        """The file of answers."""
        return self._file.path

    def next(self, by: str = "") -> Question | None:
        """The next pair for a person to label; None where further labels can't prove more.

        Pairs whose answer was withdrawn come first, then those that a second annotator must label. No pair
        is drawn twice.

        Args:
            by: the name of the annotator.
        """
        self._file.catch_up()
        asked = self._asked(by.strip())
        return None if asked is None else self._question(asked[0])

    def answer(
        self, question: Question, answer: LabelAnswer | str, *, by: str = "", note: str = ""
    ) -> LabelState:
        """Keep an answer, and return the progress; once it returns, the answer is durable.

        Raises:
            UsageError: the pair is not the one that is asked about now, as somebody else has answered it; or
                two annotators label some pairs, and none is named.
            OutputError: the answer can't be written.
        """
        said, by = _label(answer), by.strip()
        if self.goal.overlap and not by:
            raise required("by", by="`overlap`", fix="say who answers")
        with self._file.held():
            asked = self._asked(by)
            if asked is None or (asked[0].row, asked[0].among) != (question.row, question.among):
                raise UsageError(
                    "the answer is not kept, as another pair is asked about now",
                    fix="answer the next pair",
                    params=("question",),
                )
            draw, turn = asked
            self._file.add(Labelled(draw.row, draw.among, said, by, note, turn, draw.start))
        return self.state()

    def undo(self, by: str | None = None) -> bool:
        """Take the last answer back, or the last one of a person; False if there is none.

        The pair is shown again; its draw is kept.
        """
        return self._file.take_back(None if by is None else by.strip())

    def disputes(self) -> tuple[Dispute, ...]:
        """The pairs on which annotators disagree, not yet settled. They count as unsure."""
        self._file.catch_up()
        judged, _ = self._now()
        return tuple(Dispute(row, *self.pairs.texts[row], judged.said(row)) for row in judged.disputed())

    def settle(self, row: int, answer: LabelAnswer | str, *, by: str = "", note: str = "") -> LabelState:
        """Settle a disagreement: this answer now counts for the pair.

        Raises:
            UsageError: annotators don't disagree on this pair, or it is settled.
            OutputError: the answer can't be written.
        """
        said = _label(answer)
        with self._file.held():
            if row not in self._now()[0].disputed():
                raise invalid("row", row, expected="the number of a pair with different labels")
            self._file.add(Labelled(row, row + 1, said, by.strip(), note, LineReason.SETTLED))
        return self.state()

    def agreement(self) -> LabelAgreement | None:
        """The agreement between annotators; None where no pair was labelled by several."""
        self._file.catch_up()
        return agreement_of(self._now()[0])

    def state(self) -> LabelState:
        """The proven threshold, and the next to prove."""
        self._file.catch_up()
        judged, drawn = self._now()
        labels = judged.labels()
        proofs = tuple(drawn.proof(place, self.goal.precision) for place in range(len(self._sizes)))
        proven = next((one for one in reversed(proofs) if one.proven), None)
        aimed = self._aimed(drawn)
        return LabelState(
            answered=len(labels),
            unsure=sum(one is LabelAnswer.UNSURE for one in labels.values()),
            thresholds=proofs,
            proven=proven,
            aimed=next((one for one in proofs if one.pairs == aimed), None),
            disputed=len(judged.disputed()),
            more=aimed is None and self._further(drawn) is not None,
            matched=self.pairs.matched,
        )

    def export(self, path: Path | str) -> int:
        """Write the labelled pairs as a table, for ``calibrate`` and ``compare``; return their number.

        Those that count as unsure have no label, and are left out. A record beside the table says how its
        pairs were drawn (``PATH.drawn.json``), without which labels prove nothing.

        Raises:
            OutputError: it can't be written.
        """
        self._file.catch_up()
        return write_labelled(Path(path), self.pairs, *self._now(), self.goal.precision)

    def text(self) -> str:
        """A row for each threshold, a sentence on what is proven, and the agreement between people."""
        agreement = self.agreement()
        return "\n".join([*lines_of(self.state()), *([] if agreement is None else [agreement.sentence])])

    def as_dict(self) -> dict[str, Any]:
        """The progress and the agreement between people."""
        agreement = self.agreement()
        return {**fields_of(self.state()), "agreement": None if agreement is None else agreement.fields()}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.state().sentence}>"

    def _now(self) -> tuple[Judgements, DrawnLabels]:
        """All answers and draws in the part of the file read so far."""
        if self._known is None or self._known[0] != self._file.lines:
            judged = Judgements(self._file.listed)
            self._known = self._file.lines, judged, self._drawn(judged)
        return self._known[1:]

    def _drawn(self, judged: Judgements) -> DrawnLabels:
        own, scores = self.goal.threshold, self.pairs.scores
        return DrawnLabels(
            scores=tuple(float(scores[size - 1]) if own is None else own for size in self._sizes),
            sizes=tuple(self._sizes),
            pairs=len(self.pairs),
            draws=self._file.draws,
            labels={row: _TRUTH[label] for row, label in judged.labels().items()},
            error=self.goal.error,
            bounds_recall=self.goal.recall,
            bounds=self._bounds,
        )

    def _asked(self, by: str) -> tuple[Draw, LineReason] | None:
        """The next pair for a person, and the reason for it."""
        judged, drawn = self._now()
        if (waiting := self._waiting(judged, by)) is not None:
            return waiting, LineReason.MORE
        draw = self._draw(drawn)
        return None if draw is None else (draw, LineReason.DRAWN)

    def _waiting(self, judged: Judgements, by: str) -> Draw | None:
        """A pair that was drawn and waits for an answer, or for one of a second person."""
        draws = {one.row: one for one in reversed(self._file.draws)}
        for row in reversed(draws):
            people = {one.by for one in judged.said(row)}
            if not people:
                return draws[row]
            if len(people) == 1 and by not in people and self._is_shared[row]:
                return draws[row]
        return None

    def _draw(self, drawn: DrawnLabels) -> Draw | None:
        """The next draw. It follows from the answers so far alone, as it must for the proof to hold."""
        if (size := self._aimed(drawn)) is not None:
            start, end = 0, size
        elif (further := self._further(drawn)) is not None:
            start, end = further
        else:
            return None
        random = np.random.default_rng([self.goal.seed, len(drawn.draws)])
        known = np.array(sorted({one.row for one in drawn.draws}), dtype=np.int64)
        return Draw(int(random.choice(np.setdiff1d(np.arange(start, end), known))), end, start)

    def _question(self, draw: Draw) -> Question:
        said = len(self._now()[0].said(draw.row))
        turned = bool(np.random.default_rng([self.goal.seed, draw.row, said]).integers(2))
        a, b = self.pairs.texts[draw.row]
        return Question(draw.row, draw.among, *((b, a) if turned else (a, b)))

    @cached_property
    def _is_shared(self) -> Bools:
        """Mask of the pairs for two annotators; fixed before any label. Shape [pairs]."""
        random = np.random.default_rng([self.goal.seed, _SHARED])
        return random.random(len(self.pairs)) < self.goal.overlap

    def _further(self, drawn: DrawnLabels) -> tuple[int, int] | None:
        """The range to draw from once no threshold is within reach; None where no label helps.

        Matches are drawn from all that are left: each label makes the base rate and the probabilities surer.
        """
        below = self._below(drawn)
        if below is None and self.pairs.matched and len({one.row for one in drawn.draws}) < drawn.pairs:
            return 0, drawn.pairs
        return below

    def _below(self, drawn: DrawnLabels) -> tuple[int, int] | None:
        """The range below the proven threshold whose next label is most informative; None if none is left."""
        proven = self._most_proven(drawn)
        if not self.goal.recall or not proven or proven == drawn.pairs:
            return None
        most = drawn.missed_now(proven).parts
        yes, judged = drawn.tally(proven)
        known = {one.row for one in drawn.draws}
        best, found = 0.0, None
        for place, (start, end) in enumerate(drawn.ranges(proven)):
            left = end - start - sum(start <= row < end for row in known)
            if left <= 0:
                continue
            tells = told((yes[place] + 0.25) / (judged[place] + 1.25), (most[place] - yes[place]) / left)
            if found is None or tells > best:
                best, found = tells, (start, end)
        return found

    def _most_proven(self, drawn: DrawnLabels) -> int:
        """The number of pairs of the lowest proven threshold; 0 if none is proven."""
        goal = self.goal.precision
        return max((size for size in self._sizes if drawn.is_proven(size, goal)), default=0)

    def _aimed(self, drawn: DrawnLabels) -> int | None:
        """The size to draw from next: the largest that may still be proven; None if none."""
        proven = self._most_proven(drawn)
        return max(
            (size for size in self._sizes if size > proven and self._is_hopeful(drawn, size)), default=None
        )

    def _is_hopeful(self, drawn: DrawnLabels, size: int) -> bool:
        """Guess whether the goal is still within reach; no proof depends on it."""
        from scipy.special import bdtr

        judged, found = drawn.known(size)
        if judged == size or judged - found > size - needed(self.goal.precision, size):
            return False
        same = drawn.blind(size).so
        if len(same) < _SAYING_LITTLE:
            return True
        count = int(same.sum())
        if len(same) >= _TELLING and count < self.goal.precision * len(same):
            return False
        return bool(bdtr(count, len(same), self.goal.precision) >= _UNLIKELY)


def _label(answer: LabelAnswer | str) -> LabelAnswer:
    try:
        return LabelAnswer(answer)
    except ValueError as error:
        raise unknown_choice("answer", answer, [one.value for one in LabelAnswer]) from error


def _sizes(pairs: ScoredTexts, threshold: float | None) -> list[int]:
    """Numbers of pairs of each threshold, ascending; each is about half of the next.

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
