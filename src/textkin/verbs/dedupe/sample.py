"""A sample of similar pairs to label, and the precision estimated from the labels.

Pairs are drawn from ranges of scores (strata). The number of pairs above the lower edge of a range is about
twice that of the next range. Most labels are drawn where they narrow the intervals around the threshold most.
The sizes of the ranges are known, so the precision at any threshold follows, see ``sample_answers.py``.

Labelled pairs are identified by their texts. So labels remain valid when texts are added: they represent the
pairs that they were drawn from, whose number in each range the sample records.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.csv_formulas import as_text, from_text
from textkin.base.errors import DataError, UsageError
from textkin.base.text_equality import Equal, key_of
from textkin.data.readers.columns import plain_names
from textkin.data.readers.labels import binary, number
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.measures.intervals.stratified import allocated
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.similar_texts import MOST_PAIRS
from textkin.verbs.dedupe.deduped import Deduped
from textkin.verbs.dedupe.sample_answers import JudgedSample, SampleAnswers, Strata

_DRAW = "draw"  # the place in the random order in which pairs were drawn
COLUMNS = ("text_a", "text_b", "same", "id_a", "id_b", "score", "range_from", "range_pairs", _DRAW)
ANSWER = COLUMNS.index("same")

_BELOW = 2  # ranges below the threshold: they reach to where there are four times as many pairs
_ABOVE = 7
_FEWEST = 20  # pairs of a range
_DECIMALS = 4  # of the ends of ranges, so that they outlive a spreadsheet
_SUREST = 0.95  # no range is taken to be purer before anybody has judged it
_TINY = 1e-6
_MOVED = 0.005  # a score may differ by so much: precision may be another one with more texts
_NO_LABELS = "write yes or no into the column same"
_AGAIN = "draw the sample again with `sample`, with the same texts, model and options"


def strata(scores: Floats32, threshold: float, *, lowest: float = -1.0) -> Strata:
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
    counts = Strata(starts, np.zeros(0, dtype=np.int64)).count(scores)
    return Strata(starts[counts > 0], counts[counts > 0])


def shares(ranges: Strata, scores: Floats32, threshold: float, size: int) -> Ints:
    """Allocate pairs to ranges so that labels narrow the intervals around a threshold most.

    Neyman's allocation, for the precision at the lower edge of every range. Edges count less the further they
    are from the threshold, by the number of pairs above. The precision within a range is guessed: it is taken
    to rise with the score, from a half at the lowest one.
    """
    above = np.cumsum(ranges.pairs[::-1])[::-1].astype(np.float64)
    times = above / max(int((scores >= np.float32(threshold)).sum()), 1)
    counts = np.minimum(times, 1 / times)
    lowest = float(ranges.edges[0])
    guess = np.minimum(1 - (1 - scores) / max(1 - lowest, _TINY) / 2, _SUREST)
    member = ranges.of(scores)
    variance = np.bincount(member[member >= 0], weights=(guess * (1 - guess))[member >= 0])
    return allocated(ranges.pairs, np.sqrt(ranges.pairs * variance * np.cumsum(counts / above**2)), size)


def draw(found: Deduped, size: int, *, seed: int = 0, judged: Path | None = None) -> list[tuple[str, ...]]:
    """Rows of ``COLUMNS``, unlabelled pairs first, in an order independent of the scores.

    The same texts give the same sample, whatever their order.

    Args:
        found: the deduplication.
        size: number of pairs in all; more where an earlier sample has more of a range.
        seed: seed of the random draw.
        judged: an earlier sample of these texts, whose answers are taken over. Where it was drawn from the
            same ranges its pairs stay, and the rest is drawn from those that are left: both together are a
            random sample of each range. Else all are drawn anew.

    Raises:
        UsageError: there is no pair to draw, or there are too many.
        DataError: the earlier sample can't be read.
    """
    pairs = _population(found)
    if not len(pairs):
        raise UsageError(
            f"`sample` has no pairs to draw from: none has a cosine of {found.similar.lowest:g} or more",
            fix="give a lower `threshold`",
            params=("sample", "threshold"),
        )
    ranges = strata(pairs.score, found.cut.value, lowest=found.similar.lowest)
    rng = np.random.default_rng(seed)
    member = ranges.of(pairs.score)
    answers, stay = _known(judged, found, pairs, ranges)
    drawn = []
    for place, count in enumerate(shares(ranges, pairs.score, found.cut.value, size).tolist()):
        left = np.setdiff1d(np.flatnonzero(member == place), stay)
        more = count - int((member[stay] == place).sum())
        drawn.append(rng.choice(left, max(more, 0), replace=False))
    order = [*stay.tolist(), *rng.permutation(np.concatenate(drawn)).tolist()]
    rows = [
        (*_row(found, pairs, ranges, row, int(member[row]), answers.get(row, "")), str(place))
        for place, row in enumerate(order, 1)
    ]
    return sorted(rows, key=lambda row: row[ANSWER] != "")


def _known(path: Path | None, found: Deduped, pairs: Edges, ranges: Strata) -> tuple[dict[int, str], Ints]:
    """The labels of an earlier sample by pair, and the pairs kept because its ranges are the same.

    These are in the order in which they were drawn, and what is drawn now comes after them.
    """
    if path is None:
        return {}, np.zeros(0, dtype=np.int64)
    table, place = _opened(path)
    rows = list(table.rows())
    then = _ranges(rows, place, path)
    if _DRAW in place:
        rows.sort(key=lambda row: _number(row, place[_DRAW], path))
    places = _places_by_texts(found, pairs)
    known = {
        one: _answer(row, place["same"], path)
        for row in rows
        if (one := places.get(_pair(row, place))) is not None
    }
    alike = np.array_equal(then.edges, ranges.edges) and np.array_equal(then.pairs, ranges.pairs)
    answers = {one: "yes" if answer else "no" for one, answer in known.items() if answer is not None}
    return answers, np.array(list(known) if alike else [], dtype=np.int64)


def write_sample(rows: Sequence[tuple[str, ...]], stream: IO[str]) -> None:
    """Write the sample of :func:`draw` as CSV."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([COLUMNS, *(map(as_text, row) for row in rows)])


def holds_answers(path: Path) -> bool:
    """Check whether a file is a sample with labels, or something unknown."""
    if not path.exists():
        return False
    try:
        table, place = _opened(path)
        return any(row.fields[place["same"]].strip() for row in table.rows())
    except DataError:
        return True


def lowest_of(path: Path) -> float:
    """The lowest score of the pairs to draw from.

    Raises:
        DataError: the file is not a sample.
    """
    table, place = _opened(path)
    found = [_number(row, place["range_from"], path) for row in table.rows()]
    if not found:
        raise DataError("has no row as wide as its header", path=path, fix=_AGAIN)
    return min(found)


def check_answers(path: Path, texts: Iterable[str]) -> None:
    """Check that a file is a labelled sample of these texts, before anything is encoded.

    Raises:
        DataError: the file is not a sample, an answer is neither yes nor no, or missing; a text is gone.
    """
    table, place = _opened(path)
    rows = list(table.rows())
    _ranges(rows, place, path)
    known = {key_of(text, Equal.CASE) for text in texts}
    for row in rows:
        _number(row, place["score"], path)
        if not _pair(row, place) <= known:
            raise DataError(
                "a text of this pair is not among the texts", path=path, line=row.line, fix=_AGAIN
            )
    if all(_answer(row, place["same"], path) is None for row in rows):
        raise DataError("has no labels", path=path, fix=_NO_LABELS)


def read_answers(path: Path, found: Deduped) -> JudgedSample:
    """Read a labelled sample of these texts, or of some of them; pairs without a label are skipped.

    Raises:
        DataError: the file is not a sample, an answer is neither yes nor no, there is none, or the sample was
            drawn from texts that are gone, with another model or with other options.
        UsageError: there are too many pairs for a sample.
    """
    table, place = _opened(path)
    rows = list(table.rows())
    ranges = _ranges(rows, place, path)
    pairs = _population(found)
    now = ranges.count(pairs.score)
    if _lost(ranges, pairs.score):
        raise DataError(
            f"was drawn from {int(ranges.pairs.sum()):,} pairs, and these texts have {int(now.sum()):,} here",
            path=path,
            fix=_AGAIN,
        )
    grown = not np.array_equal(now, ranges.pairs)
    places = _places_by_texts(found, pairs)
    judged, same = [], []
    for row in rows:
        was = _number(row, place["score"], path)
        one = places.get(_pair(row, place))
        if one is None and was - found.similar.lowest > _MOVED:
            raise DataError("this pair is not similar here", path=path, line=row.line, fix=_AGAIN)
        score = was if one is None else float(pairs.score[one])
        if abs(score - was) > _MOVED:
            raise DataError(
                f"this pair scores {score:.4f} here, not {was:.4f}", path=path, line=row.line, fix=_AGAIN
            )
        if (value := _answer(row, place["same"], path)) is None:
            continue
        judged.append(_number(row, place["range_from"], path) if grown else score)
        same.append(value)
    if not judged:
        raise DataError("has no labels", path=path, fix=_NO_LABELS)
    return JudgedSample(
        ranges,
        pairs.score,
        np.array(judged, dtype=np.float32),
        np.array(same) == 1.0,
        blank=len(rows) - len(judged),
        asked=found.cut.value,
        grown=grown,
    )


def _lost(ranges: Strata, scores: Floats32) -> bool:
    """Check whether pairs were lost since the sample was drawn; small changes of scores lose none."""
    falling = np.sort(scores)[::-1]
    there = np.searchsorted(-falling, -(ranges.edges - _MOVED), side="right")
    least = np.cumsum(ranges.pairs[::-1])[::-1]
    # Pairs just below the lowest end were not looked for.
    near_end = int((scores < ranges.edges[0] + _MOVED).sum())
    there[0] += near_end
    return bool((there < least).any())


def answers_alone(path: Path, asked: float, *, rows: int) -> SampleAnswers:
    """Answers of a labelled sample without its texts: for the ends of its ranges only.

    Args:
        path: the sample.
        asked: the threshold that it was drawn for.
        rows: the number of pairs it was drawn with.

    Raises:
        DataError: the file is not a sample or another one, an answer is neither yes nor no, or there is none.
    """
    table, place = _opened(path)
    found = list(table.rows())
    if len(found) != rows:
        raise DataError(f"has {len(found):,} rows of the {rows:,} that were drawn", path=path, fix=_AGAIN)
    ranges = _ranges(found, place, path)
    answers = [
        (_number(row, place["range_from"], path), value)
        for row in found
        if (value := _answer(row, place["same"], path)) is not None
    ]
    if not answers:
        raise DataError("has no labels", path=path, fix=_NO_LABELS)
    return JudgedSample(
        ranges,
        np.repeat(ranges.edges, ranges.pairs),
        np.array([start for start, _ in answers], dtype=np.float32),
        np.array([value for _, value in answers]) == 1.0,
        blank=len(found) - len(answers),
        asked=asked,
        grown=True,  # estimates exist at the ends of ranges only
    ).answers()


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A pair of a sample, as a proof needs it.

    Attributes:
        member: the number of its range.
        same: the label that a person wrote; None if empty.
    """

    member: int
    same: bool | None


def read_draws(path: Path) -> tuple[Strata, list[DrawnPair]]:
    """The ranges of a sample, and its pairs in the order in which they were drawn.

    Raises:
        DataError: the file is not a sample, doesn't say how its pairs were drawn, or lacks some of them.
    """
    table, place = _opened(path)
    rows = list(table.rows())
    if _DRAW not in place:
        raise DataError(
            f"doesn't say in which order its pairs were drawn, so it proves nothing: the column {_DRAW!r} is "
            "not there",
            path=path,
            fix=f"{_AGAIN}, or leave `proof` out",
        )
    ranges = _ranges(rows, place, path)
    found: dict[int, DrawnPair] = {}
    for row in rows:
        number_ = _number(row, place[_DRAW], path)
        start = np.array([_number(row, place["range_from"], path)], dtype=np.float32)
        answer = _answer(row, place["same"], path)
        found[round(number_)] = DrawnPair(int(ranges.of(start)[0]), None if answer is None else answer == 1)
    if sorted(found) != list(range(1, len(rows) + 1)):
        raise DataError(
            "lacks pairs that were drawn, or has some twice: what was left out may not have fitted",
            path=path,
            fix=f"give the file with all rows that `sample` wrote, or {_AGAIN}",
        )
    return ranges, [found[draw] for draw in sorted(found)]


def _answer(row: TableRow, place: int, path: Path) -> float | None:
    """The label that a person wrote; None if empty."""
    answer = row.fields[place].strip()
    if not answer:
        return None
    if (value := binary(answer)) is None:
        raise DataError(
            f"{answer[:40]!r} in the column same",
            path=path,
            line=row.line,
            fix="write yes, no or nothing",
        )
    return value


def _population(found: Deduped) -> Edges:
    """All pairs that no guard forbids, down to the lowest score that was looked at, in one order always.

    Raises:
        UsageError: there are too many.
    """
    if not found.similar.complete:
        raise UsageError(
            f"`sample` can draw from {MOST_PAIRS:,} pairs, and more reach {found.cut.value:g}",
            fix="give a higher `threshold`, or label rows of removed.tsv",
            params=("sample", "threshold"),
        )
    edges = found.similar.at(found.similar.lowest)[0]
    edges = edges.where(edges.score >= np.float32(found.similar.lowest))
    order = np.lexsort((np.maximum(edges.a, edges.b), np.minimum(edges.a, edges.b)))
    return found.distinct.places(edges.where(order))


def _places_by_texts(found: Deduped, pairs: Edges) -> Mapping[frozenset[str], int]:
    texts = found.texts
    return {
        _key(texts[a], texts[b]): place
        for place, (a, b) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))
    }


def _pair(row: TableRow, place: Mapping[str, int]) -> frozenset[str]:
    """The key of a sample's row."""
    return _key(*(from_text(row.fields[place[name]]) for name in ("text_a", "text_b")))


def _key(one: str, other: str) -> frozenset[str]:
    """A pair of texts, whatever their ids, rows and order."""
    return frozenset((key_of(one, Equal.CASE), key_of(other, Equal.CASE)))


def _row(found: Deduped, pairs: Edges, ranges: Strata, row: int, member: int, answer: str) -> tuple[str, ...]:
    a, b = sorted((int(pairs.a[row]), int(pairs.b[row])), key=found.distinct.ties.__getitem__)
    return (
        found.texts[a],
        found.texts[b],
        answer,
        found.ids[a],
        found.ids[b],
        f"{pairs.score[row]:.6f}",
        str(ranges.edges[member]),
        str(ranges.pairs[member]),
    )


def _opened(path: Path) -> tuple[Table, Mapping[str, int]]:
    table = open_table(path, quoting="csv")
    names = plain_names(table.header)
    if missing := [name for name in COLUMNS if name not in names and name != _DRAW]:
        raise DataError(
            f"has no column {missing[0]!r}",
            path=path,
            fix="give the file that `sample` wrote, with its header",
        )
    return table, {name: names.index(name) for name in COLUMNS if name in names}


def _ranges(rows: Sequence[TableRow], place: Mapping[str, int], path: Path) -> Strata:
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


def _number(row: TableRow, place: int, path: Path) -> float:
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
