"""Opening a collection's database: made if it isn't there, refused if it isn't what was told."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.errors import DataError, UsageError
from textkin.files import as_output
from textkin.locks import lock_folder
from textkin.scorers.analysers import PLAIN, analyser_of
from textkin.store import database as db
from textkin.store.acknowledged import acknowledge, acknowledged, require_acknowledged

_NEITHER = "make one with textkin add"


def is_there(folder: Path | str) -> bool:
    """Whether a folder holds a collection."""
    path = Path(folder) / db.DATABASE
    return path.is_file() and path.stat().st_size > 0


def opened(folder: Path, create: Mapping[str, Any] | None, wait: float | None) -> sqlite3.Connection:
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
    path = folder / db.DATABASE
    if not path.is_file() and create is None:
        raise UsageError(f"there is no collection {folder}", fix=_NEITHER)
    if not path.is_file() or not path.stat().st_size:
        if create is None:
            raise UsageError(f"{folder} holds no collection yet", fix=_NEITHER)
        _create(folder, path, create, wait)
    told = acknowledged(path)
    connection = db.connect(path)
    try:
        with db.sqlite_errors(path):
            _require(connection, path, told)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(folder: Path, path: Path, facts: Mapping[str, Any], wait: float | None) -> None:
    """Make an empty collection, whole or not at all."""
    analyser_of(facts.get("analyser") or PLAIN)
    with as_output(folder):
        folder.mkdir(parents=True, exist_ok=True)
        held = lock_folder(folder.resolve(), target=folder, patience=wait)
    try:
        connection = db.connect(path)
        try:
            with db.sqlite_errors(path):
                if not db.is_created(connection):
                    db.create(connection, {"analyser": PLAIN} | dict(facts))
                    acknowledge(path, 0)
        finally:
            connection.close()
    finally:
        os.close(held)


def _require(connection: sqlite3.Connection, path: Path, told: int) -> None:
    """See that a database is a collection's, and knows what was told."""
    if not db.is_created(connection):
        raise UsageError(f"{path.parent} holds no collection yet", fix=_NEITHER)
    if (version := db.fact(connection, "format")) not in db.READABLE:
        raise DataError(f"format {version}, expected {db.FORMAT}", path=path, fix="use a newer textkin")
    require_acknowledged(path, db.state_of(connection).counter, told)
