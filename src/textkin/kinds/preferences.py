"""Triplets with a preference: which of two texts is nearer to a third, and by how much.

People and language models judge so where grades would drift. The file is a table with the columns ``anchor``
(or ``query``, ``question``), ``first``, ``second`` and ``preference``: ``first``, ``second`` or ``tie``, or a
number, positive where the first is nearer, whose size is the margin. In memory it is a data frame or a list
of dictionaries with such columns, or of :class:`Preference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.counts import count
from textkin.base.errors import COLUMN_FILES, DataError, invalid, not_finite
from textkin.base.first_seen_numbers import enumerated
from textkin.base.frames import column_names
from textkin.base.paths import is_input, name_of
from textkin.base.python_inputs import listed
from textkin.base.results import Result, ResultRow
from textkin.base.text_equality import key_of
from textkin.data.protocols import System
from textkin.data.readers import Reading
from textkin.data.readers.columns import plain_names, refuse_repeated
from textkin.data.readers.labels import number
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, open_table
from textkin.data.readers.text_files import first_lines
from textkin.data.readers.triplets import TWICE
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.kinds.agreement import Decisions
from textkin.kinds.candidates import DevRankings
from textkin.kinds.dev_data import DevData
from textkin.kinds.judge import as_scorer
from textkin.kinds.kind import DataKind
from textkin.kinds.mean_judge import MeanJudge, mean_interval
from textkin.kinds.measuring import Options
from textkin.kinds.predicted_preferences import system_of
from textkin.kinds.score_file import read_scores, write_scores
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines.names import LEXICAL

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task


_ANCHORS = ("anchor", "query", "question")
_NAMES = ("first", "second", "preference")
_WORDS = {"first": 1.0, "second": -1.0, "tie": 0.0}
_SIGNS = tuple(_WORDS.values())
_FILE = "preferences.tsv"
_LARGEST = 1e30  # of preferences; training keeps them in 32 bits
_WORTH = f"first, second, tie or a number up to {_LARGEST:g}"
_SAMPLE = 200  # lines, one of which must name the preference


@dataclass(frozen=True, slots=True)
class Preference:
    """Two texts and a third one, and which of them is nearer to it.

    Attributes:
        anchor: the text that both are compared with.
        first: a text.
        second: another one.
        preference: by how much the first is nearer; negative if the second is, 0 for a tie.
        row: 0-based position among the data rows of the source, or -1.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import Preference
        >>> judged = [Preference("When do you open?", "Opening hours", "Parking", preference=1)]
        >>> tk.compare(judged, "tfidf", resamples=10, rounds=10).data
        'preferences'
    """

    anchor: str
    first: str
    second: str
    preference: float
    row: int = -1


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceSet(Result):
    """Triplets with their preferences, and their source.

    Example:
        >>> from textkin.verbs import Preference, PreferenceSet
        >>> judged = Preference("When do you open?", "Opening hours", "Parking", preference=1)
        >>> PreferenceSet((judged,)).rows()[0]["first"]
        'Opening hours'
    """

    triplets: tuple[Preference, ...]
    name: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.triplets:
            yield {
                "anchor": one.anchor,
                "first": one.first,
                "second": one.second,
                "preference": one.preference,
            }

    def select(self, indexes: Iterable[int]) -> PreferenceSet:
        """The triplets at ``indexes``, in that order."""
        return PreferenceSet(tuple(self.triplets[index] for index in indexes), self.name)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The anchor with each of the two texts, triplet after triplet."""
        return [(one.anchor, text) for one in self.triplets for text in (one.first, one.second)]

    def content(self) -> list[object]:
        """Texts and margins in order, as JSON values."""
        return [[one.anchor, one.first, one.second, one.preference] for one in self.triplets]

    def __len__(self) -> int:
        return len(self.triplets)

    def __iter__(self) -> Iterator[Preference]:
        return iter(self.triplets)


class PreferenceJudge(MeanJudge):
    """Accuracy: the proportion of triplets in which the nearer text scores higher; equal scores count half.

    Ties are left out. Triplets with the same anchor are resampled together.

    Raises:
        DataError: there is no triplet with a preference.
    """

    kind = "preferences"

    def __init__(self, data: PreferenceSet, *, sampling: Sampling) -> None:
        margins = np.array([one.preference for one in data])
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
            raise not_finite(name)
        self.scores[name] = found

    def earned(self, name: str) -> Floats:
        """1 where the nearer text scores higher, a half where both score alike."""
        return np.asarray((1 + np.sign(self.scores[name]) * np.sign(self.margins)) / 2)

    def figures(self, name: str) -> dict[str, Interval]:
        """The accuracy, and that of the triplets with a margin above the median, if margins differ."""
        earned, sizes = self.earned(name).mean(axis=0), np.abs(self.margins)
        found = {self.main: mean_interval(earned, self.groups, sampling=self.sampling)}
        if (clear := sizes > np.median(sizes)).any():
            found["accuracy, clear"] = mean_interval(
                earned, self.groups, inside=clear, sampling=self.sampling
            )
        return found

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


class PreferenceKind(DataKind[PreferenceSet, PreferenceJudge]):
    """Triplets with a preference."""

    words = "triplets with a preference"
    takes = frozenset({"vectors", "cache"})
    measured_by = "accuracy"
    columns = _NAMES

    def holds(self, data: object) -> bool:
        """Sets of triplets with a preference."""
        return isinstance(data, PreferenceSet)

    def checked(self, data: PreferenceSet) -> PreferenceSet:
        """The triplets, if each has three texts and a preference.

        Raises:
            UsageError: one hasn't.
        """
        for row, one in enumerate(data):
            for name in ("anchor", *_NAMES[:2]):
                if not isinstance(text := getattr(one, name), str) or not text.strip():
                    raise invalid(name, text, expected=f"a text, in triplet {row}")
            if one.first == one.second:
                raise invalid("second", one.second, expected=f"another text than the first, in triplet {row}")
            is_number = isinstance(one.preference, int | float) and not isinstance(one.preference, bool)
            if not is_number or not abs(one.preference) <= _LARGEST:  # False would be a tie
                raise invalid("preference", one.preference, expected=f"{_WORTH}, in triplet {row}")
        return data

    def read(self, path: Path | str, reading: Reading) -> Loaded[PreferenceSet] | None:
        """Read a table with the four columns; incomplete rows are skipped and counted."""
        asked = {name for name, _ in reading.asked()} - {"quoting", "encoding"}
        if reading.format != "auto" or asked or not is_input(path) or not _may_hold(path, reading):
            return None
        table = open_table(path, named=_NAMES, quoting=reading.quoting, encoding=reading.encoding)
        names = plain_names(table.header)
        places = _places(names)
        if places is None:
            return None
        refuse_repeated(names, places, path)
        counter, found = SkipCounter(table.path), []
        for row in table.rows(counter):
            anchor, first, second, said = (row.fields[place] for place in places)
            preference = _preference(said)
            if not (anchor.strip() and first.strip() and second.strip()):
                counter.skip(row.line, EMPTY_TEXT)
            elif first == second:
                counter.skip(row.line, TWICE)
            elif isinstance(preference, str) or abs(preference) > _LARGEST:
                counter.skip(row.line, "a preference that is neither first, second, tie nor a number")
            else:
                found.append(Preference(anchor, first, second, preference, row.row))
        data = PreferenceSet(tuple(found), name_of(path))
        return Loaded(data, counter.report(), "preferences").some()

    def from_rows(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> PreferenceSet | None:
        """Triplets from rows with the four columns."""
        places = _places(plain_names(list(map(str, names))))
        if places is None:
            return None
        chosen = ([values[place] for place in places] for values in rows)
        found = (
            Preference(anchor, first, second, _preference(said), row)
            for row, (anchor, first, second, said) in enumerate(chosen)
        )
        return self.checked(PreferenceSet(tuple(found), "preferences"))

    def text_pairs(self, data: PreferenceSet) -> PairSet:
        """The anchor with the first text and with the second, triplet after triplet."""
        rows = ((one.anchor, text, one.row) for one in data for text in (one.first, one.second))
        return PairSet(tuple(Pair(a, b, row=row) for a, b, row in rows), LabelKind.NONE, name=data.name)

    def as_pairs(self, data: PreferenceSet) -> PairSet:
        """No pairs: a preference is not a label.

        Raises:
            UsageError: always.
        """
        raise self.refusal(data, "pairs with labels, which preferences are not")

    def rows(self, data: PreferenceSet) -> tuple[PairSet, PairSet]:
        """The anchor with the first text and the preference; and each text as near or not."""
        found = tuple(Pair(one.anchor, one.first, _class(one), row=one.row) for one in data)
        near = [float(side >= 0) for one in data for side in (one.preference, -one.preference)]
        pairs = self.text_pairs(data)
        known = (replace(pair, label=label) for pair, label in zip(pairs, near, strict=True))
        return (
            PairSet(found, LabelKind.CLASSES, tuple(_WORDS), data.name),
            replace(pairs, pairs=tuple(known), kind=LabelKind.BINARY),
        )

    def linted(self, data: PreferenceSet) -> PairSet:
        """The anchor with both texts as one, in an order of their own, and which of them is preferred."""
        found = []
        for one in data:
            low, high = sorted((one.first, one.second))
            label = _class(one if low == one.first else replace(one, preference=-one.preference))
            found.append(Pair(one.anchor, f"{low} / {high}", label, row=one.row))
        return PairSet(tuple(found), LabelKind.CLASSES, tuple(_WORDS), data.name)

    def judge(self, data: PreferenceSet, options: Options) -> PreferenceJudge:
        """Accuracy."""
        return PreferenceJudge(data, sampling=options.sampling)

    def require_decisions(self, judge: PreferenceJudge, systems: Mapping[str, Any], options: Options) -> None:
        """All scorers prefer one of the texts."""

    def decisions(
        self, judge: PreferenceJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """The text that is nearer."""
        decided = np.stack([np.sign(judge.scores[name][0]) for name in judge.names]).astype(np.int64)
        given = Decisions(tuple(judge.names), decided, decided == np.sign(judge.margins), judge.groups)
        undecided = zip(judge.names, (decided == 0).sum(axis=1).tolist(), strict=True)
        notes = tuple(
            f"{name}: {count(alike, 'triplet')} with equal scores for both texts, which decide for none"
            for name, alike in undecided
            if alike
        )
        return given, "which text is nearer", notes

    def predicted(self, judge: PreferenceJudge, given: Predictions, options: Options) -> Predicted:
        """A preference for each triplet: a table with the same texts, or one column in their order."""
        told: PreferenceSet | None = None
        if given.path is not None:
            loaded = self.read(given.path, Reading())
            told = None if loaded is None else loaded.data
        elif (names := column_names(given.given)) is not None:
            columns = (listed(given.given[name], given.name) for name in names)
            told = self.from_rows(names, zip(*columns, strict=True))
        keyed = None if told is None else [(_texts(one), one.preference) for one in told]
        return system_of([_texts(one) for one in judge.data], keyed, given, worth=_preference)

    def dev_data(self, data: PreferenceSet, sampling: Sampling) -> DevData:
        """A row a text: systems are combined as on queries with two candidates."""
        return DevRankings(self.learnt(data, "ranking"), sampling=sampling)

    def learnt(self, data: PreferenceSet, task: Task) -> CandidateSet:
        """Queries with two candidates, whose scores differ by the margin; without ties."""
        if task == "spans":
            raise self.refusal(data, "questions about passages", param="train")
        queries = (
            Candidates(
                str(row),
                one.anchor,
                ("1", "2"),
                (one.first, one.second),
                (int(one.preference > 0), int(one.preference < 0)),
                (one.preference, 0.0),
            )
            for row, one in enumerate(data, 1)
            if one.preference and one.first != one.second
        )
        return CandidateSet(tuple(queries), data.name)


def _may_hold(path: Path | str, reading: Reading) -> bool:
    """False for files that can be ruled out without being read as tables, which takes time."""
    if reading.encoding is not None or Path(path).suffix in COLUMN_FILES:
        return True
    return any(_NAMES[-1].encode() in line.lower() for line in first_lines(path, _SAMPLE))


def _places(names: Sequence[str]) -> list[int] | None:
    """The columns of anchor, first, second and preference; None without all of them."""
    anchor = next((name for name in _ANCHORS if name in names), "")
    wanted = (anchor, *_NAMES)
    return [list(names).index(name) for name in wanted] if set(wanted) <= set(names) else None


def _texts(one: Preference | Candidates) -> tuple[str, str, str]:
    """Anchor, first and second text, also of a query with two candidates."""
    if isinstance(one, Preference):
        return one.anchor, one.first, one.second
    first, second = one.docs
    return one.query, first, second


def _class(one: Preference) -> float:
    """The place of a preference among the words."""
    return float(_SIGNS.index(np.sign(one.preference)))


def _preference(said: Any) -> Any:
    """A word or a number as a number; anything else unchanged."""
    if not isinstance(said, str):
        return said
    word = said.strip().casefold()
    found = _WORDS[word] if word in _WORDS else number(word)
    return said if found is None else found
