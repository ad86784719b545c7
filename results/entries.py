"""The TOML files of results, read and held to their keys."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import ROOT

FOLDER = ROOT / "results"
SETTING = "setting.toml"  # what several entries share: machines and data sets
QUICK = 60  # seconds; entries that take less may be rerun


class WrongResult(ValueError):
    """A results file that does not say what it must, with the file and what was expected."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set: the name that commands give it, what it is, and its files with their SHA-256."""

    name: str
    words: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """Figures as they were printed. The first ``keys`` columns say which row it is."""

    title: str
    keys: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Stale:
    """Rows that a later commit may have changed; no rows stands for all."""

    commit: str
    reason: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """How an entry is rerun: commands of textkin, and which cells the last one's JSON has where.

    ``{data}`` is the folder of the data sets, ``{work}`` an empty one.
    """

    commands: tuple[str, ...]
    seconds: float
    figures: Mapping[str, tuple[str, str]]
    tolerance: float | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One question and what was measured.

    ``index`` is its row in the index, if it has one; ``pictures`` are files beside the pages, and what they
    show. Without ``commands`` and ``machine`` nothing was measured: its figures are of other pages.
    """

    title: str
    question: str
    answer: str
    index: tuple[str, ...]
    commands: str
    machine: str
    data: tuple[DataSet, ...]
    commit: str
    protocol: tuple[str, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    tried: tuple[str, ...]
    stale: tuple[Stale, ...]
    check: Check | None
    pictures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """One file: its name without the ending, its title, and its entries."""

    name: str
    title: str
    about: str
    entries: tuple[Entry, ...]


_ENTRY = {
    "required": {"title", "question", "answer"},
    "optional": {
        "index",
        "commands",
        "machine",
        "commit",
        "data",
        "protocol",
        "table",
        "notes",
        "tried",
        "stale",
        "check",
        "picture",
    },
}
_SUBJECT = {"required": {"title", "entry"}, "optional": {"about", "place"}}
_TABLE = {"required": {"columns", "rows"}, "optional": {"title", "keys"}}
_STALE = {"required": {"commit", "reason"}, "optional": {"rows"}}
_PICTURE = {"required": {"file", "shows"}, "optional": set[str]()}
_CHECK = {"required": {"commands", "seconds", "figures"}, "optional": {"tolerance"}}


def read_results(folder: Path = FOLDER) -> list[Subject]:
    """All subjects, in the order of their ``place``.

    Raises:
        WrongResult: a key is missing, unknown or refers to nothing; a table has a row of another length.
    """
    setting = tomllib.loads((folder / SETTING).read_text(encoding="utf-8"))
    found = []
    for path in sorted(folder.glob("*.toml")):
        if path.name != SETTING:
            raw = tomllib.loads(path.read_text(encoding="utf-8"))
            _keys(raw, _SUBJECT, path.name)
            entries = tuple(
                _entry(each, setting, f"{path.name}, {each.get('title')}") for each in raw["entry"]
            )
            subject = Subject(path.stem, raw["title"], raw.get("about", ""), entries)
            found.append((raw.get("place", 0), subject))
    return [subject for _, subject in sorted(found, key=lambda pair: (pair[0], pair[1].name))]


def _entry(raw: Mapping[str, Any], setting: Mapping[str, Any], where: str) -> Entry:
    _keys(raw, _ENTRY, where)
    if "index" in raw and len(raw["index"]) != 3:
        raise WrongResult(f"{where}: index has {len(raw['index'])} cells, not question, answer and figure")
    if ("commands" in raw) != ("machine" in raw):
        raise WrongResult(f"{where}: commands and machine go together, or figures are of other pages")
    tables = tuple(_table(each, where) for each in raw.get("table", ()))
    return Entry(
        title=raw["title"],
        question=raw["question"],
        answer=raw["answer"],
        index=tuple(raw.get("index", ())),
        commands=raw.get("commands", "").strip("\n"),
        machine=_named(setting["machine"], raw["machine"], where) if "machine" in raw else "",
        data=tuple(_data_set(_named(setting["data"], name, where)) for name in raw.get("data", ())),
        commit=raw.get("commit", ""),
        protocol=tuple(raw.get("protocol", ())),
        tables=tables,
        notes=tuple(raw.get("notes", ())),
        tried=tuple(raw.get("tried", ())),
        stale=tuple(_stale(each, tables, where) for each in raw.get("stale", ())),
        check=_check(raw["check"], tables, where) if "check" in raw else None,
        pictures=tuple(_picture(each, where) for each in raw.get("picture", ())),
    )


def _keys(raw: Mapping[str, Any], wanted: Mapping[str, set[str]], where: str) -> None:
    if missing := wanted["required"] - raw.keys():
        raise WrongResult(f"{where}: {', '.join(sorted(missing))} is missing")
    if unknown := raw.keys() - wanted["required"] - wanted["optional"]:
        raise WrongResult(f"{where}: {', '.join(sorted(unknown))} is not a key of this place")


def _named(table: Mapping[str, Any], name: str, where: str) -> Any:
    if name not in table:
        raise WrongResult(f"{where}: {name} is not in {SETTING}, which has {', '.join(table)}")
    return table[name]


def _data_set(raw: Mapping[str, Any]) -> DataSet:
    return DataSet(raw.get("name", ""), raw["words"], raw.get("files", {}))


def _table(raw: Mapping[str, Any], where: str) -> Table:
    _keys(raw, _TABLE, where)
    columns, rows = tuple(raw["columns"]), tuple(tuple(row) for row in raw["rows"])
    if len(set(columns)) != len(columns):
        raise WrongResult(f"{where}: two columns have one name: {', '.join(columns)}")
    for row in rows:
        if len(row) != len(columns):
            raise WrongResult(f"{where}: {len(row)} cells for {len(columns)} columns: {' | '.join(row)}")
    return Table(raw.get("title", ""), raw.get("keys", 1), columns, rows)


def _picture(raw: Mapping[str, Any], where: str) -> tuple[str, str]:
    _keys(raw, _PICTURE, where)
    if not (ROOT / "docs/results" / raw["file"]).is_file():
        raise WrongResult(f"{where}: there is no picture docs/results/{raw['file']}")
    return raw["file"], raw["shows"]


def _stale(raw: Mapping[str, Any], tables: tuple[Table, ...], where: str) -> Stale:
    _keys(raw, _STALE, where)
    for name in raw.get("rows", ()):
        if not any(row[0] == name for table in tables for row in table.rows):
            raise WrongResult(f"{where}: no row is called {name}, which is said to be stale")
    return Stale(raw["commit"], raw["reason"], tuple(raw.get("rows", ())))


def _check(raw: Mapping[str, Any], tables: tuple[Table, ...], where: str) -> Check:
    _keys(raw, _CHECK, where)
    figures = {path: (row, column) for path, (row, column) in raw["figures"].items()}
    for row, column in figures.values():
        if not cell(tables, row, column):
            raise WrongResult(f"{where}: check refers to {row}, {column}, which is in no table")
    return Check(tuple(raw["commands"]), raw["seconds"], figures, raw.get("tolerance"))


def cell(tables: tuple[Table, ...], row: str, column: str) -> str:
    """The cell of a row, named by its first cell, in the first table that has both; "" without."""
    for table in tables:
        if column in table.columns:
            for cells in table.rows:
                if cells[0] == row:
                    return cells[table.columns.index(column)]
    return ""
