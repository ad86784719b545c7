"""A kind of labelled data: all in which pairs, candidates, exams and others differ, behind one class.

Each kind has a file (``pairs.py``, ``classes.py``, ``candidates.py``, ``corpora.py``, ``spans.py``,
``choices.py``); ``registry.py`` lists them and finds the kind of given data. Verbs ask the kind, and never
for the type of the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textkin.base.arrays import Floats32, Ints
from textkin.base.counts import count
from textkin.base.errors import UsageError, inapplicable
from textkin.base.files import sole_writer
from textkin.data.readers import Reading
from textkin.data.readers.read_report import Loaded
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.components import TextGraph
from textkin.kinds.agreement import Decisions
from textkin.kinds.baseline_fits import Fitted, FittedTexts
from textkin.kinds.dev_data import DevData
from textkin.kinds.judge import Judge
from textkin.kinds.measured_report import with_page
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.systems import AnyModel
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.intervals.sampling import Sampling
from textkin.text.truncation_account import Truncation, truncation_of_pairs

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev

Data = TypeVar("Data", bound=Any)
ItsJudge = TypeVar("ItsJudge", bound=Judge)
Record = TypeVar("Record")

_SPECIAL = (
    "measures",
    "dev",
    "decision",
    "threshold",
    "vectors",
    "drop_identical_ids",
    "group_by",
    "cache",
)
_CORPORA = ("corpus", "support")


def rows_as(record: type[Record], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> tuple[Record, ...]:
    """The records in rows with their fields as columns; none if the columns are others."""
    if [field.name for field in fields(record)] != list(names):  # type: ignore[arg-type]
        return ()
    return tuple(record(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Trial(Generic[Data]):
    """Systems that a judge has taken.

    Attributes:
        loaded: the data.
        judge: their judge.
        dev: the judge of the pairs that thresholds are fitted on, if there are any.
        named: the systems that the user named, with their models.
        systems: the seeds of every measured system.
        options: the user's options.
    """

    loaded: Loaded[Data]
    judge: Judge
    dev: PairJudge | None
    named: Mapping[str, Sequence[AnyModel]]
    systems: Mapping[str, Sequence[Any]]
    options: Options


@dataclass(frozen=True, slots=True)
class Apart:
    """The items that no two sides of a data set may share, and those that may recur.

    Attributes:
        marks: for each pair or query, the keys that no other side may have.
        why: the reason why such rows are left out: "one of their texts is", in another side.
        recurring: texts that other sides may have.
        unit: such a text in words: "candidate".
        where: their place on the other side: "under other questions".
    """

    marks: Sequence[tuple[Hashable, ...]]
    why: str
    recurring: Sequence[str]
    unit: str
    where: str


class DataKind(ABC, Generic[Data, ItsJudge]):
    """Base class of the kinds of labelled data, each with its judge.

    Attributes:
        words: the data in words, for errors: "questions about passages".
        takes: the options of measuring that apply, of those that don't apply to all kinds.
        measured_by: the metrics in words, if they can't be chosen.
        about_passages: True for questions about passages, which only recipes of the task spans learn from.
        chooses_epochs: True if an epoch is chosen by the data themselves, not by what is learnt from them.
        columns: the columns by which a table of this kind is known, if it has its own.
        task: the task of recipes that learn from train, dev and test of this kind; None if there is none.
    """

    words: ClassVar[str]
    takes: ClassVar[frozenset[str]]
    measured_by: ClassVar[str] = ""
    about_passages: ClassVar[bool] = False
    chooses_epochs: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()
    task: ClassVar[Task | None] = None

    def refusal(self, data: Data | None, expected: str, *, param: str = "data") -> UsageError:
        """An error for such data where others are needed."""
        name = getattr(data, "name", "") or "the data"
        return UsageError(
            f"{name}: {self.words}, expected {expected}",
            params=(param,),
            value=self.words,
            expected=expected,
        )

    @abstractmethod
    def holds(self, data: object) -> bool:
        """True for records of this kind."""

    def read(self, path: Path | str, reading: Reading) -> Loaded[Data] | None:
        """Read a file that this kind reads; None leaves it to the formats of ``data.readers``.

        Raises:
            DataError: the file has errors.
        """
        return None

    def from_rows(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Data | None:
        """The records in rows with these columns; None if the columns are those of something else.

        Raises:
            UsageError: a row is invalid.
        """
        return None

    def checked(self, data: Data) -> Data:
        """The records, if they are valid.

        Raises:
            DataError: they aren't.
        """
        return data

    @abstractmethod
    def judge(self, data: Data, options: Options) -> ItsJudge:
        """The judge of the data.

        Raises:
            UsageError: a measure is unknown.
            DataError: there is nothing to measure.
        """

    def refuse(self, options: Options) -> None:
        """Refuse options that don't apply to such data.

        Raises:
            UsageError: one is given.
        """
        plain = {one.name: one.default for one in fields(options)}
        asked = [name for name in _SPECIAL if getattr(options, name) not in (plain[name], {})]
        for name in asked:
            if name not in self.takes:
                known = self.measured_by if name == "measures" else ""
                fix = f"leave it out: {self.words} are measured by {known}" if known else None
                raise inapplicable(name, to=self.words, fix=fix)
        if options.corpora.asked() and "corpora" not in self.takes:
            raise inapplicable(*_CORPORA, to=self.words)

    def check(self, judge: ItsJudge, named: Mapping[str, Sequence[AnyModel]], options: Options) -> None:
        """Refuse options that don't apply to these labels or these systems.

        Raises:
            UsageError: one is given.
        """

    def known(self, judge: ItsJudge, asked: Iterable[str] = ()) -> Sequence[str]:
        """The names of the baselines that can be measured, with those asked for that have a number."""
        return judge.known

    def fitted(self, data: Data, judge: ItsJudge, options: Options) -> Fitted:
        """What baselines are fitted on.

        Raises:
            DataError: a file can't be read.
        """
        return FittedTexts.of(judge, options)

    @abstractmethod
    def predicted(self, judge: ItsJudge, given: Predictions, options: Options) -> Predicted:
        """The system behind another program's predictions of the data.

        Raises:
            DataError: they can't be read, or don't fit the data.
        """

    def taught(self, judge: ItsJudge, named: Sequence[str], options: Options) -> frozenset[str]:
        """Baselines that count as models here, since a model or labels are behind them."""
        return frozenset()

    def decided(self, trial: Trial[Data]) -> tuple[Judge, tuple[str, ...]]:
        """The judge whose table is shown, and notes on it; another one if the options ask for decisions."""
        return trial.judge, ()

    def extras(self, judge: Judge, trial: Trial[Data]) -> dict[str, Any]:
        """Fields of the table that only this kind has."""
        return {}

    def write(self, judge: Judge, trial: Trial[Data], out: Path) -> None:
        """Write scores, runs or predictions.

        Raises:
            OutputError: they can't be written.
        """
        with sole_writer(out) as folder:
            judge.write(folder)

    def publish(self, measured: Measured, trial: Trial[Data]) -> Measured:
        """Write the page, if one is asked for.

        Raises:
            OutputError: it can't be written.
        """
        return with_page(measured, trial.options, trial.named)

    def truncation(self, data: Data, system: Any, name: str) -> Truncation | None:
        """The account of what a system cuts off the texts; None if it doesn't say."""
        return truncation_of_pairs(system, data.texts, name=name)

    def singles(self, data: Data) -> list[str]:
        """The distinct texts."""
        return list(dict.fromkeys(text for pair in data.texts for text in pair))

    def counted(self, data: Data) -> Sequence[tuple[str, str]]:
        """The pairs that a model must not have been trained on."""
        return data.texts

    def require_decisions(self, judge: ItsJudge, systems: Mapping[str, Any], options: Options) -> None:
        """Refuse data on which nothing is decided, and systems that can't decide.

        Raises:
            UsageError: either.
        """
        raise self.refusal(None, "pairs labelled yes or no, classes, candidates or exams")

    def decisions(
        self, judge: ItsJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """What each system decides on each item, the decision in words, and notes."""
        raise NotImplementedError

    def learnt(self, data: Data, task: Task) -> Any:
        """The data as a recipe of this task learns from them.

        Raises:
            UsageError: it can't.
            DataError: labels are missing.
        """
        raise self.refusal(data, f"data for a recipe of {task}", param="train")

    def size(self, data: Data) -> str:
        """The size of the data, in words."""
        return count(len(data), "item")

    def text_pairs(self, data: Data) -> PairSet:
        """The pairs of texts that a scorer compares, with their labels if they have some."""
        return PairSet(tuple(Pair(a, b) for a, b in data.texts), LabelKind.NONE, name=data.name)

    def as_pairs(self, data: Data) -> PairSet:
        """The data as labelled pairs.

        Raises:
            UsageError: they are none.
        """
        raise self.refusal(data, "pairs, or queries with candidates")

    def gold(self, data: Data) -> tuple[PairSet, Iterable[str]]:
        """Pairs that say which texts are the same, or which are right, and the texts that are searched.

        Raises:
            UsageError: the data don't say it.
        """
        pairs = self.as_pairs(data)
        return pairs, [pair.b for pair in pairs]

    def rows(self, data: Data) -> tuple[PairSet, PairSet]:
        """One labelled pair for each row of the source; and all pairs, as many for each row.

        Raises:
            UsageError: such data aren't split by rows.
        """
        raise self.refusal(data, "pairs, or triplets with a preference")

    def taken(self, data: Data, places: Sequence[int]) -> Data:
        """The data of some of these rows; all rows of a query are taken together."""
        return data.select(places)

    def linted(self, data: Data) -> PairSet:
        """The pairs that are checked for errors, as the data state them.

        Raises:
            UsageError: such data have other checks.
        """
        raise self.refusal(data, "pairs, queries with candidates, or a folder of BEIR", param="files")

    def apart(self, data: Data) -> Apart:
        """What train, dev and test of these data must not share.

        Raises:
            UsageError: such data aren't split.
        """
        raise self.refusal(data, "pairs, or queries with candidates")

    def row_components(self, data: Data) -> tuple[TextGraph, Ints, Ints]:
        """The graph of the texts, the component of each text, and the first text of each row.

        Raises:
            UsageError: such data aren't split.
        """
        raise self.refusal(data, "pairs, or queries with candidates")

    def label_kind(self, data: Data) -> LabelKind | None:
        """The meaning of the labels of pairs; None for other data."""
        return None

    def with_labels(self, data: Data, classes: Sequence[str], kind: str | None = None) -> Data:
        """Pairs with their classes numbered by these, and with another meaning; other data unchanged.

        Raises:
            DataError: a class of the data is unknown.
        """
        return data

    def queries(self, data: Data) -> tuple[Ints, Floats32] | None:
        """The query of each pair, and a teacher's scores of all if there are any; None without queries."""
        return None

    def unseen(self, data: Data) -> Mapping[str, Iterable[str]]:
        """The texts that must be new in dev, by what they are."""
        return {"texts": self.singles(data)}

    def seen(self, data: Data) -> Iterable[str]:
        """The texts of training data that must be new in dev."""
        return chain.from_iterable(self.unseen(data).values())

    def dev(self, data: Data, pipeline: TextPipeline) -> Dev:
        """The dev data that choose an epoch.

        Raises:
            TrainingError: no epoch could be chosen by these data.
        """
        raise self.refusal(data, "pairs, candidates, questions about passages or exams", param="dev")

    def dev_data(self, data: Data, sampling: Sampling) -> DevData:
        """The data as those that an ensemble is fitted on.

        Raises:
            UsageError: systems aren't combined on such data.
            DataError: there is nothing to measure.
        """
        raise self.refusal(data, "labelled pairs, candidates, a corpus, SQuAD or exams", param="dev")
