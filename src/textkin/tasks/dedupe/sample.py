"""A sample of similar pairs for a person to judge, and the precision that follows from the answers.

Pairs are drawn from ranges of scores (strata), each so large that the pairs from its lower end on are about
twice those from the next one's: so the few pairs near 1 and the many around the threshold are both seen. How
many pairs a range has is known, so the precision at any threshold follows, see ``stats/stratified.py``.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.decision.goal import GoalRule
from textkin.errors import DataError, PromiseError, UsageError
from textkin.groups.linkage import Edges
from textkin.readers.columns import plain_names
from textkin.readers.labels import binary, number
from textkin.readers.table import Row, Table, open_table
from textkin.spreadsheet import as_text
from textkin.stats.interval import Interval
from textkin.stats.stratified import stratified_share
from textkin.tasks.dedupe.dedupe import Deduped
from textkin.vectors.similar import MOST_PAIRS

COLUMNS = ("text_a", "text_b", "same", "id_a", "id_b", "score", "range_from", "range_pairs")

_BELOW = 2  # ranges below the threshold: they reach to where there are four times as many pairs
_ABOVE = 7
_FEWEST = 20  # pairs of a range
_DECIMALS = 4  # of the ends of ranges, so that they outlive a spreadsheet
_ERROR = 0.05  # that any threshold promises too much
_AGAIN = "draw the sample anew with --sample, with the same texts, model and options"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Ranges of scores, lowest first; the last one ends with 1.

    Attributes:
        edges: where each begins. Shape [ranges].
        pairs: how many pairs it has. Shape [ranges].
    """

    edges: NDArray[np.float32]
    pairs: NDArray[np.int64]

    def of(self, scores: NDArray[np.float32]) -> NDArray[np.int64]:
        """The number of each score's range, -1 below all."""
        return np.searchsorted(self.edges, scores, side="right") - 1


@final
@dataclass(frozen=True, slots=True)
class PrecisionAt:
    """What the answers say of a threshold.

    Attributes:
        threshold: pairs that score this or more are taken.
        pairs: how many there are.
        precision: the share of them that is the same, with a 95 % interval; None where nobody has judged
            enough to say.
        sure: a lower end of it; the probability that any of those of a sample is too high is 0.05 at most.
    """

    threshold: float
    pairs: int
    precision: Interval | None
    sure: float | None = None

    @property
    def estimate(self) -> float | None:
        """The estimated precision, if it is known."""
        return None if self.precision is None else self.precision.value


@final
@dataclass(frozen=True, slots=True)
class SampleAnswers:
    """A sample that a person has judged.

    Attributes:
        judged: how many pairs were.
        blank: how many were not.
        at: the precision at the lower end of every range, ascending.
    """

    judged: int
    blank: int
    at: tuple[PrecisionAt, ...]

    def reaching(self, precision: float, rule: GoalRule = GoalRule.LOWER_END) -> PrecisionAt:
        """The lowest threshold whose lower end reaches a precision, or whose estimate does.

        Raises:
            PromiseError: none does.
        """
        reached = [one.sure if rule is GoalRule.LOWER_END else one.estimate for one in self.at]
        for one, figure in zip(self.at, reached, strict=True):
            if figure is not None and figure >= precision:
                return one
        best = max((figure for figure in reached if figure is not None), default=None)
        what = "lower end" if rule is GoalRule.LOWER_END else "estimate"
        said = "there are too few answers" if best is None else f"the highest {what} is {best:.3f}"
        fix = "judge more pairs, ask for less, or draw a sample around a higher threshold"
        if rule is GoalRule.LOWER_END:
            fix += "; the rule 'estimate' promises nothing, and asks for less"
        raise PromiseError(f"no threshold of the sample reaches precision {precision:g}: {said}", fix=fix)


def strata(scores: NDArray[np.float32], threshold: float, *, lowest: float = -1.0) -> Strata:
    """Cut scores, shape [pairs], into ranges, of which one begins at the threshold; none below the lowest."""
    falling = np.sort(scores)[::-1]
    cut = np.float32(threshold)
    reached = int((falling >= cut).sum())
    edges = {cut}
    for halvings in range(1, _ABOVE + 1):
        if (rank := reached >> halvings) < _FEWEST:
            break
        edges.add(_rounded(falling[rank - 1], lowest))
    for doublings in range(1, _BELOW + 1):
        rank = max(reached, _FEWEST) << doublings
        last = rank * 3 > len(falling) * 2  # too few are left for another range
        edges.add(_rounded(falling[-1 if last else rank - 1], lowest))
        if last:
            break
    starts = np.array(sorted(edges), dtype=np.float32)
    counts = _counts(Strata(starts, np.zeros(0, dtype=np.int64)), scores)
    return Strata(starts[counts > 0], counts[counts > 0])


def draw(found: Deduped, size: int, *, seed: int = 0) -> list[tuple[str, ...]]:
    """Rows of ``COLUMNS``, the column ``same`` empty, in an order that says nothing of the scores.

    The same texts give the same sample, whatever their order.

    Raises:
        UsageError: there is no pair to draw, or there are too many.
    """
    pairs = _population(found)
    if not len(pairs):
        raise UsageError(
            f"there is no pair at or above {found.similar.lowest:g} to draw a sample from",
            fix="give a lower --threshold",
        )
    ranges = strata(pairs.score, found.cut.value, lowest=found.similar.lowest)
    rng = np.random.default_rng(seed)
    member = ranges.of(pairs.score)
    drawn = [
        rng.choice(np.flatnonzero(member == place), count, replace=False)
        for place, count in enumerate(shares(ranges.pairs, size))
    ]
    rows = rng.permutation(np.concatenate(drawn))
    return [_row(found, pairs, ranges, row, int(member[row])) for row in rows.tolist()]


def write_sample(rows: Sequence[tuple[str, ...]], stream: IO[str]) -> None:
    """Write what :func:`draw` gave as CSV."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([COLUMNS, *(map(as_text, row) for row in rows)])


def holds_answers(path: Path) -> bool:
    """Whether a file is a sample with answers, or something unknown."""
    if not path.exists():
        return False
    try:
        table, place = _opened(path)
        return any(row.fields[place["same"]].strip() for row in table.rows())
    except DataError:
        return True


def lowest_of(path: Path) -> float:
    """The score from which on pairs were drawn.

    Raises:
        DataError: the file is no sample.
    """
    table, place = _opened(path)
    found = [_number(row, place["range_from"], path) for row in table.rows()]
    if not found:
        raise DataError("has no row as wide as its header", path=path, fix=_AGAIN)
    return min(found)


def read_answers(path: Path, found: Deduped) -> SampleAnswers:
    """Estimate precision from a judged sample of the same texts; pairs without an answer are left out.

    Raises:
        DataError: the file is no sample, an answer is neither yes nor no, there is none, or the sample was
            drawn from other texts, another model or with other options.
        UsageError: there are too many pairs for a sample.
    """
    table, place = _opened(path)
    rows = list(table.rows())
    ranges = _ranges(rows, place, path)
    pairs = _population(found)
    if not np.array_equal(_counts(ranges, pairs.score), ranges.pairs):
        raise DataError("was drawn from other pairs than these texts have here", path=path, fix=_AGAIN)
    scores = _scores_by_ids(found, pairs)
    judged, same = [], []
    for row in rows:
        answer = row.fields[place["same"]].strip()
        score = scores.get(frozenset((row.fields[place["id_a"]], row.fields[place["id_b"]])))
        if score is None:
            raise DataError("this pair is not similar here", path=path, line=row.line, fix=_AGAIN)
        if not answer:
            continue
        if (value := binary(answer)) is None:
            raise DataError(
                f"{answer[:40]!r} in the column same",
                path=path,
                line=row.line,
                fix="write yes, no or nothing",
            )
        judged.append(score)
        same.append(value)
    if not judged:
        raise DataError("has no answers", path=path, fix="write yes or no into the column same")
    answered = _Answered(np.array(judged, dtype=np.float32), np.array(same) == 1.0)
    thresholds = sorted({*ranges.edges.tolist(), float(np.float32(found.cut.value))})
    sure = 1 - 2 * _ERROR / len(thresholds)
    at = [_precision_at(threshold, answered, ranges, pairs.score, sure) for threshold in thresholds]
    return SampleAnswers(len(judged), len(rows) - len(judged), tuple(at))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Answered:
    """The score of each judged pair, and whether it is the same. Shapes [judged]."""

    scores: NDArray[np.float32]
    same: NDArray[np.bool_]


def _precision_at(
    threshold: float, answered: _Answered, ranges: Strata, scores: NDArray[np.float32], sure: float
) -> PrecisionAt:
    """The precision of the pairs from a threshold on, which may cut a range in two.

    Args:
        threshold: the score.
        answered: the sample.
        ranges: that it was drawn from.
        scores: of all pairs, shape [pairs].
        sure: confidence of the interval whose lower end may be relied on.
    """
    taken = answered.scores >= np.float32(threshold)
    member = ranges.of(answered.scores[taken])
    judged = np.bincount(member, minlength=len(ranges.edges))
    yes = np.bincount(member[answered.same[taken]], minlength=len(ranges.edges))
    sizes = _counts(ranges, scores[scores >= np.float32(threshold)])
    covered = threshold >= ranges.edges[0]
    found = [stratified_share(yes, judged, sizes, confidence=one) for one in (0.95, sure)] if covered else []
    share, surer = found or (None, None)
    low = None if surer is None else surer.low
    return PrecisionAt(threshold, int((scores >= np.float32(threshold)).sum()), share, low)


def _population(found: Deduped) -> Edges:
    """All pairs that no guard forbids, down to the lowest score that was looked at, in one order always.

    Raises:
        UsageError: there are too many.
    """
    if not found.similar.complete:
        raise UsageError(
            f"more than {MOST_PAIRS:,} pairs are similar from {found.cut.value:g} on, too many for a sample",
            fix="judge rows of removed.tsv, or raise the threshold",
        )
    edges = found.similar.at(found.similar.lowest)[0]
    edges = edges.where(edges.score >= np.float32(found.similar.lowest))
    order = np.lexsort((np.maximum(edges.a, edges.b), np.minimum(edges.a, edges.b)))
    return found.distinct.places(Edges(edges.a[order], edges.b[order], edges.score[order]))


def _scores_by_ids(found: Deduped, pairs: Edges) -> Mapping[frozenset[str], float]:
    ids = found.ids
    return {
        frozenset((ids[a], ids[b])): score
        for a, b, score in zip(pairs.a.tolist(), pairs.b.tolist(), pairs.score.tolist(), strict=True)
    }


def _counts(ranges: Strata, scores: NDArray[np.float32]) -> NDArray[np.int64]:
    member = ranges.of(scores)
    return np.bincount(member[member >= 0], minlength=len(ranges.edges))


def shares(sizes: NDArray[np.int64], size: int) -> list[int]:
    """Draws from ranges of these sizes: equal; larger ranges make up for small ones."""
    drawn = np.zeros(len(sizes), dtype=np.int64)
    for place in np.argsort(sizes, kind="stable").tolist():
        left = len(sizes) - int((drawn > 0).sum())
        drawn[place] = min(int(sizes[place]), max((size - int(drawn.sum())) // left, 1))
    found: list[int] = drawn.tolist()
    return found


def _row(found: Deduped, pairs: Edges, ranges: Strata, row: int, member: int) -> tuple[str, ...]:
    a, b = sorted((int(pairs.a[row]), int(pairs.b[row])), key=found.distinct.ties.__getitem__)
    return (
        found.texts[a],
        found.texts[b],
        "",
        found.ids[a],
        found.ids[b],
        f"{pairs.score[row]:.6f}",
        str(ranges.edges[member]),
        str(ranges.pairs[member]),
    )


def _opened(path: Path) -> tuple[Table, Mapping[str, int]]:
    table = open_table(path, quoting="csv")
    names = plain_names(table.header)
    if missing := [name for name in COLUMNS if name not in names]:
        raise DataError(
            f"has no column {missing[0]!r}",
            path=path,
            fix="give the file that --sample wrote, with its header",
        )
    return table, {name: names.index(name) for name in COLUMNS}


def _ranges(rows: Sequence[Row], place: Mapping[str, int], path: Path) -> Strata:
    found: dict[np.float32, int] = {}
    for row in rows:
        start = np.float32(_number(row, place["range_from"], path))
        pairs = int(_number(row, place["range_pairs"], path))
        if found.setdefault(start, pairs) != pairs:
            raise DataError(
                f"a range of {pairs:,} pairs that had {found[start]:,}", path=path, line=row.line, fix=_AGAIN
            )
    edges = sorted(found)
    return Strata(np.array(edges), np.array([found[edge] for edge in edges], dtype=np.int64))


def _number(row: Row, place: int, path: Path) -> float:
    cell = row.fields[place]
    found = number(cell.replace(",", "."))
    if found is None:
        raise DataError(f"{cell[:40]!r}, expected a number", path=path, line=row.line, fix=_AGAIN)
    return found


def _rounded(score: Any, lowest: float) -> np.float32:
    """A score as the end of a range: a little less, but not less than the lowest that was looked at."""
    scale = 10.0**_DECIMALS
    down = math.floor(float(score) * scale) / scale
    return np.float32(down if down >= lowest else math.ceil(float(score) * scale) / scale)
