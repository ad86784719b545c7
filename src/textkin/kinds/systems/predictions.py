"""Predictions of other programs on the measured data, which stand in the place of a model.

Each kind of data makes a system of them, see ``DataKind.predicted``. An ensemble has them as the member
``predictions of NAME``, and takes those that are given under this name with the data at hand.
"""

from abc import ABC
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from textkin.base.counts import count
from textkin.base.errors import COLUMN_FILES, DataError, ModelError
from textkin.base.frames import Records, column_names, tabular
from textkin.base.paths import is_file, is_folder
from textkin.base.python_inputs import path_of
from textkin.base.python_values import is_missing, plain
from textkin.data.records import Run
from textkin.models.ensembles.ensemble_folder import PREDICTIONS

NONE_GIVEN: Mapping[str, Any] = MappingProxyType({})
"""No systems by name."""

_ENDINGS = frozenset({".csv", ".json", ".jsonl", ".run", ".trec", ".tsv", ".txt", *COLUMN_FILES})
_OTHERS = frozenset({".bin", ".onnx", ".py", ".safetensors", ".toml", ".xml"})
_COLUMNS = frozenset(
    {"id", "id_a", "qid", "q_id", "query_id", "question_id", "score", "prediction", "prediction_text"}
)
_SHOWN = 3

_Id = TypeVar("_Id", bound=Hashable)
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What another system predicted.

    Attributes:
        name: its name in tables.
        given: a file, or values by id or in the order of the data.
    """

    name: str
    given: Any

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        return path_of(self.given)

    def wrong(self, message: str, *, fix: str, line: int | None = None) -> DataError:
        """An error in them."""
        if self.path is None:
            return DataError(f"{self.name}: {message}", fix=fix)
        return DataError(message, path=self.path, line=line, fix=fix)


class KnownByPredictions(ABC):
    """Base of systems of which only predictions are known, those of the measured data."""

    name: str


def can_be_asked(systems: Iterable[object]) -> bool:
    """True if all systems take other data than the measured ones."""
    return not any(isinstance(one, KnownByPredictions) for one in systems)


@dataclass(frozen=True, slots=True)
class Predicted:
    """The system behind predictions, and notes on them."""

    system: Any
    notes: tuple[str, ...] = ()


def is_predictions(given: Any) -> bool:
    """True for what can be no model: a file, values by id, a run, an array, or a data frame.

    Words of which one comes again are predicted classes: no system has the same model twice.
    """
    if isinstance(given, str | Path):
        ending = Path(given).suffix.lower()
        by_name = ending in _ENDINGS or (ending not in _OTHERS and is_file(given))
        return by_name and not is_folder(given)
    if isinstance(given, list | tuple):
        if given and all(isinstance(one, str) for one in given):
            return len(set(given)) < len(given)
        if isinstance(as_table(given), Records):
            return True
        first = next((plain(one) for one in given if not is_missing(one)), None)
        return isinstance(first, int | float | tuple)
    return (
        isinstance(given, Run | Mapping)
        or hasattr(given, "dtype")
        or column_names(as_table(given)) is not None
    )


def as_table(given: Any) -> Any:
    """Predictions in dictionaries, one a row, and in lazy frames, as a table; others unchanged.

    Dictionaries without a known column are several predictions by id, as of several seeds.
    """
    if isinstance(given, list) and not all(isinstance(row, dict) and _COLUMNS & row.keys() for row in given):
        return given
    return tabular(given)


def bare_name(file: str | Path) -> str:
    """The name of predictions that have none: that of the file without endings."""
    return Path(file).name.partition(".")[0]


def in_order(
    ids: Sequence[_Id], found: Mapping[_Id, _Value], given: Predictions, *, what: str
) -> tuple[list[_Value], tuple[str, ...]]:
    """The predictions for these ids, and a note on further ones.

    Args:
        ids: the ids of the data; of pairs, both texts or both ids.
        found: predictions by id.
        given: their source.
        what: an item of the data in words, "question".

    Raises:
        DataError: some are missing.
    """
    known = frozenset(ids)
    others = [one for one in found if one not in known]
    if missing := [one for one in ids if one not in found]:
        strange = f", and has {count(len(others), 'other prediction')}: {some(others)}" if others else ""
        raise given.wrong(
            f"has no prediction for {len(missing):,} of {len(ids):,} {what}s: {some(missing)}{strange}",
            fix="give a prediction for each, under its own id",
        )
    said = f"{given.name}: {len(others):,} predictions are of no {what} of the data and don't count: "
    return [found[one] for one in ids], (said + some(others),) if others else ()


def some(ids: Sequence[Any]) -> str:
    """The first few ids, in words."""
    return ", ".join(map(_shown, ids[:_SHOWN])) + (", ..." if len(ids) > _SHOWN else "")


def _shown(one: Any) -> str:
    if isinstance(one, tuple):
        return " / ".join(map(_shown, one))
    return one.decode() if isinstance(one, bytes) else str(one)[:60]


def given_member(word: object, given: Mapping[str, Any]) -> Any | None:
    """The predictions that a member of an ensemble stands for; None for any other member.

    Raises:
        ModelError: there are none of this name.
    """
    if not isinstance(word, str) or not word.startswith(PREDICTIONS):
        return None
    name = word.removeprefix(PREDICTIONS)
    if name not in given:
        raise ModelError(
            f"an ensemble has the member {name}, a system of which only predictions are known",
            fix=f"give its predictions of these data beside it: {name}=FILE",
        )
    return given[name]
