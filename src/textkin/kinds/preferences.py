"""Triplets with a preference: which of two texts is nearer to a third, and by how much.

People and language models judge so where grades would drift. The file is a table with the columns ``anchor``
(or ``query``, ``question``), ``first``, ``second`` and ``preference``: ``first``, ``second`` or ``tie``, or a
number, positive where the first is nearer, whose size is the margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import COLUMN_FILES, DataError, invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.base.paths import is_input, name_of
from textkin.base.text_equality import key_of
from textkin.data.protocols import System
from textkin.data.readers import Reading
from textkin.data.readers.columns import plain_names
from textkin.data.readers.labels import number
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, Table, open_table
from textkin.data.readers.text_files import head
from textkin.data.records import Candidates, CandidateSet
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.kind import DataKind
from textkin.kinds.mean_scores import mean_difference, mean_interval
from textkin.kinds.measuring import Options
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.score_file import read_scores, write_scores
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.text.baselines.names import LEXICAL

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task


_ANCHORS = ("anchor", "query", "question")
_NAMES = ("first", "second", "preference")
_WORDS = {"first": 1.0, "second": -1.0, "tie": 0.0}
_FILE = "preferences.tsv"
_LARGEST = 1e30  # of margins; training keeps them in 32 bits


@dataclass(frozen=True, slots=True)
class Preference:
    """Two texts and a third one, and which of them is nearer to it.

    Attributes:
        anchor: the text that both are compared with.
        first: a text.
        second: another one.
        margin: by how much the first is nearer; negative if the second is, 0 for a tie.
    """

    anchor: str
    first: str
    second: str
    margin: float


@dataclass(frozen=True, slots=True)
class PreferenceSet:
    """Triplets with their preferences, and their source."""

    triplets: tuple[Preference, ...]
    name: str = ""

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The anchor with each of the two texts, triplet after triplet."""
        return [(one.anchor, text) for one in self.triplets for text in (one.first, one.second)]

    def content(self) -> list[object]:
        """Texts and margins in order, as JSON values."""
        return [[one.anchor, one.first, one.second, one.margin] for one in self.triplets]

    def __len__(self) -> int:
        return len(self.triplets)

    def __iter__(self) -> Iterator[Preference]:
        return iter(self.triplets)


class PreferenceJudge(Judge):
    """Accuracy: the proportion of triplets in which the nearer text scores higher; equal scores count half.

    Ties are left out. Triplets with the same anchor are resampled together.

    Raises:
        DataError: there is no triplet with a preference.
    """

    kind = "preferences"

    def __init__(self, data: PreferenceSet, *, sampling: Sampling) -> None:
        margins = np.array([one.margin for one in data])
        self._decided = margins != 0
        if not self._decided.any():
            raise DataError(f"{data.name or 'the data'} has no triplet with a preference")
        self.data, self.sampling, self.main = data, sampling, "accuracy"
        self.baselines = ("constant", "random", *LEXICAL)
        self.margins = margins[self._decided]
        self.groups = enumerated(key_of(one.anchor) for one in data)[0][self._decided]
        self.scores: dict[str, Floats] = {}

    @property
    def texts(self) -> list[str]:
        """The distinct texts."""
        return list(dict.fromkeys(text for pair in self.data.texts for text in pair))

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.scores)

    def take(self, name: str, *seeds: System) -> None:
        """Score each anchor with both texts, and keep the differences, shape [seeds, triplets]."""
        scored = [np.asarray(as_scorer(name, one).score(self.data.texts), np.float64) for one in seeds]
        found = np.stack([(one[0::2] - one[1::2])[self._decided] for one in scored])
        if not np.isfinite(found).all():
            raise DataError(f"{name} gives scores that are no finite numbers")
        self.scores[name] = found

    def value(self, name: str) -> float:
        """The accuracy, averaged over seeds."""
        return float(self._earned(name).mean())

    def by_seed(self, name: str) -> list[float]:
        """The accuracy for each seed."""
        return [float(row.mean()) for row in self._right(name)]

    def figures(self, name: str) -> dict[str, Interval]:
        """The accuracy, and that of the triplets with a margin above the median, if margins differ."""
        earned, sizes = self._earned(name), np.abs(self.margins)
        found = {self.main: mean_interval(earned, self.groups, sampling=self.sampling)}
        if (clear := sizes > np.median(sizes)).any():
            found["accuracy, clear"] = mean_interval(
                earned, self.groups, inside=clear, sampling=self.sampling
            )
        return found

    def difference(self, name: str, rival: str, *, tests: int = 1) -> Difference:
        """The difference in accuracy, tested over anchors."""
        earned = self._earned(name), self._earned(rival)
        return mean_difference(*earned, self.groups, sampling=self.sampling, tests=tests)

    def sizes(self) -> dict[str, int]:
        """The numbers of triplets with a preference and of their anchors."""
        return {"questions": len(self.margins), "components": len(np.unique(self.groups))}

    def notes(self) -> tuple[str, ...]:
        """The number of ties."""
        ties = len(self.data) - len(self.margins)
        return (f"{ties:,} of {len(self.data):,} triplets are ties and left out",) if ties else ()

    def write(self, folder: Path) -> None:
        """Write ``preferences.tsv``: the margin, and every system's difference of scores."""
        write_scores(folder / _FILE, self.margins, self.scores)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the differences from this file."""
        margins, found = read_scores(folder / _FILE)
        if not np.array_equal(margins, self.margins) or not found.keys() >= set(names):
            raise DataError("has other triplets, or lacks a system", path=folder / _FILE, fix="measure again")
        self.scores |= {name: found[name] for name in names}

    def _right(self, name: str) -> Floats:
        """1 where the nearer text scores higher, a half where both score alike. Shape [seeds, triplets]."""
        return np.asarray((1 + np.sign(self.scores[name]) * np.sign(self.margins)) / 2)

    def _earned(self, name: str) -> Floats:
        """The same, averaged over seeds. Shape [triplets]."""
        return np.asarray(self._right(name).mean(axis=0))


class PreferenceKind(DataKind[PreferenceSet]):
    """Triplets with a preference."""

    words = "triplets with a preference"
    takes = frozenset({"vectors", "cache"})
    measured_by = "accuracy"

    def holds(self, data: object) -> bool:
        """Sets of triplets with a preference."""
        return isinstance(data, PreferenceSet)

    def checked(self, data: PreferenceSet) -> PreferenceSet:
        """The triplets, if each has three texts and a margin.

        Raises:
            UsageError: one hasn't.
        """
        for row, one in enumerate(data):
            for name in ("anchor", *_NAMES[:2]):
                if not isinstance(text := getattr(one, name), str) or not text.strip():
                    raise invalid(name, text, expected=f"a text, in triplet {row}")
            if not isinstance(one.margin, int | float) or not abs(one.margin) <= _LARGEST:
                raise invalid("margin", one.margin, expected=f"a number up to {_LARGEST:g}, in triplet {row}")
        return data

    def sniff(self, path: Path | str, reading: Reading) -> bool:
        """A table with the four columns."""
        asked = {name for name, _ in reading.asked()} - {"quoting", "encoding"}
        if reading.format != "auto" or asked or not is_input(path):
            return False
        # Most files are ruled out without being read as tables, which takes time.
        if b"preference" not in head(path).lower() and Path(path).suffix not in COLUMN_FILES:
            return False
        return _places(_table(path, reading)) is not None

    def read(self, path: Path | str, reading: Reading) -> Loaded[PreferenceSet]:
        """Read the table; rows without a text or a preference are skipped and counted."""
        table = _table(path, reading)
        counter = SkipCounter(table.path)
        places = _places(table)
        assert places is not None  # noqa: S101 - sniff() has seen to it
        found = []
        for row in table.rows(counter):
            anchor, first, second, preference = (row.fields[place] for place in places)
            word = preference.strip().casefold()
            margin = _WORDS[word] if word in _WORDS else number(word)
            if not (anchor.strip() and first.strip() and second.strip()):
                counter.skip(row.line, EMPTY_TEXT)
            elif margin is None or abs(margin) > _LARGEST:
                counter.skip(row.line, "a preference that is neither first, second, tie nor a number")
            else:
                found.append(Preference(anchor, first, second, margin))
        data = PreferenceSet(tuple(found), name_of(path))
        return Loaded(data, counter.report(), "preferences").some()

    def judge(self, data: PreferenceSet, options: Options) -> PreferenceJudge:
        """Accuracy."""
        return PreferenceJudge(data, sampling=options.sampling)

    def learnt(self, data: PreferenceSet, task: Task) -> CandidateSet:
        """Queries with two candidates, whose scores differ by the margin; without ties."""
        if task == "spans":
            raise invalid("train", self.words, expected="questions about passages")
        queries = (
            Candidates(
                str(row),
                one.anchor,
                ("1", "2"),
                (one.first, one.second),
                (int(one.margin > 0), int(one.margin < 0)),
                (one.margin, 0.0),
            )
            for row, one in enumerate(data, 1)
            if one.margin and one.first != one.second
        )
        return CandidateSet(tuple(queries), data.name)


def _table(path: Path | str, reading: Reading) -> Table:
    return open_table(path, named=_NAMES, quoting=reading.quoting, encoding=reading.encoding)


def _places(table: Table) -> list[int] | None:
    """The columns of anchor, first, second and preference; None without all of them."""
    names = list(plain_names(table.header))
    anchor = next((name for name in _ANCHORS if name in names), "")
    wanted = (anchor, *_NAMES)
    if not set(wanted) <= set(names):
        return None
    for name in wanted:
        if names.count(name) > 1:
            raise DataError(f"has several columns {name!r}", path=table.path, fix="rename one")
    return [names.index(name) for name in wanted]
