"""Opening a collection in a folder: made if it isn't there, refused if it isn't what was told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.errors import DataError, UsageError
from textkin.files import as_output
from textkin.locks import lock_folder
from textkin.scorers.analysers import PLAIN, analyser_of
from textkin.store.acknowledged import acknowledge, acknowledged, require_acknowledged
from textkin.store.database import fact, state_of
from textkin.store.sqlite import DATABASE, FORMAT, READABLE, SqliteDatabase

_NEITHER = "make one with textkin add"


def is_in_folder(folder: Path) -> bool:
    """Whether a folder holds a collection."""
    path = folder / DATABASE
    return path.is_file() and path.stat().st_size > 0


def opened(folder: Path, create: Mapping[str, Any] | None, wait: float | None) -> SqliteDatabase:
    """The database of a collection.

    Args:
        folder: where it lies.
        create: the facts of a new one, which is made if there is none; None to make none.
        wait: seconds to wait for another process that makes it.

    Raises:
        UsageError: there is none, or no analyser of that name.
        DataError: it is damaged, or of a newer textkin.
        OutputError: it can't be opened or made.
    """
    path = folder / DATABASE
    if not path.is_file() and create is None:
        raise UsageError(f"there is no collection {folder}", fix=_NEITHER)
    if not path.is_file() or not path.stat().st_size:
        if create is None:
            raise UsageError(f"{folder} holds no collection yet", fix=_NEITHER)
        _create(folder, path, create, wait)
    told = acknowledged(path)
    database = SqliteDatabase.connect(path)
    try:
        with database.errors():
            _require(database, path, told)
    except BaseException:
        database.close()
        raise
    return database


def _create(folder: Path, path: Path, facts: Mapping[str, Any], wait: float | None) -> None:
    """Make an empty collection, whole or not at all."""
    analyser_of(facts.get("analyser") or PLAIN)
    with as_output(folder):
        folder.mkdir(parents=True, exist_ok=True)
        held = lock_folder(folder.resolve(), target=folder, patience=wait)
    try:
        database = SqliteDatabase.connect(path)
        try:
            with database.errors():
                if not database.is_created():
                    database.create({"analyser": PLAIN} | dict(facts))
                    acknowledge(path, 0)
        finally:
            database.close()
    finally:
        os.close(held)


def _require(database: SqliteDatabase, path: Path, told: int) -> None:
    """See that a database is a collection's, and knows what was told."""
    if not database.is_created():
        raise UsageError(f"{path.parent} holds no collection yet", fix=_NEITHER)
    if (version := fact(database, "format")) not in READABLE:
        raise DataError(f"format {version}, expected {FORMAT}", path=path, fix="use a newer textkin")
    require_acknowledged(path, state_of(database).counter, told)
