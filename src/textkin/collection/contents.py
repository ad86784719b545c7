"""The contents of a collection, its repair, its passport, and its export."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import COLUMN_FILES, ModelError, invalid
from textkin.base.files import atomic_text
from textkin.base.paths import is_standard
from textkin.base.progress import note
from textkin.base.results import ResultRow, Summary
from textkin.base.table_writer import written_table
from textkin.collection.calibration.fitted_search import FITTED, FITTED_RERANKED, FittedSearch
from textkin.collection.collection_model import AnyEncoder, CollectionModel
from textkin.collection.noted_model import (
    MODEL,
    PASSPORT,
    KnownModel,
    collection_passport,
    is_model,
    is_whole,
)
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.check_and_repair import facts_left, repair_collection
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.facts import WINDOWS
from textkin.collection.store.open_store import open_store
from textkin.collection.store.repair import Repaired
from textkin.data.entry_records import Entry
from textkin.models.passports.document import Passport

EXPORTS = (".jsonl", *COLUMN_FILES)
_TOLD = ("model", "gives")  # of the passport, repeated in the summary


@dataclass(frozen=True, slots=True, repr=False)
class CollectionSummary(Summary):
    """The contents of a collection.

    Attributes:
        folder: its location, a folder or a database address.
        entries: the number of entries.
        model: the model that made their vectors.
        model_sha256: the hash of everything the vectors depend on; None for an object.
        dim: the dimension of the vectors; None while there are none.
        analyser: the analyser of words.
        changes: the number of changes ever made.
        database_bytes: the size of the database and its log.
        cache_bytes: the size of the cache, which can be removed at any time.
        passport: other facts about the model, such as thresholds, by name; None without.
        approximate: the cells of approximate searches; empty without.
        calibrated: the data that weights and probabilities were fitted on; empty without.
        windows: the tokens per window; 0 if each text has one vector.
        in_windows: the number of entries with several windows.
    """

    folder: Place
    entries: int
    model: str | None
    model_sha256: str | None
    dim: int | None
    analyser: str
    changes: int
    database_bytes: int
    cache_bytes: int
    passport: Mapping[str, Any] | None = None
    calibrated: tuple[str, ...] = ()
    approximate: str = ""
    windows: int = 0
    in_windows: int = 0

    def _rows(self) -> Iterator[ResultRow]:
        where = "folder" if isinstance(self.folder, Path) else "address"
        yield {
            where: self.folder,
            "entries": self.entries,
            "model": self.model or "none yet",
            "dimensions": self.dim,
            "analyser of words": self.analyser,
            "tokens per window": self.windows or "no windows",
            "entries in several windows": self.in_windows,
            "index": self.approximate or "none: searches are exact",
            "search calibrated on": "; ".join(self.calibrated) or "nothing",
            "changes": self.changes,
            "database bytes": self.database_bytes,
            "cache bytes": self.cache_bytes,
            **self._of_passport(),
        }

    def _of_passport(self) -> ResultRow:
        if self.passport is None:
            return {"passport": "none yet"}
        about = {name: value for name, value in self.passport.items() if name not in _TOLD}
        return {f"passport: {name}": value for name, value in about.items() if value not in (None, "")}


def summary_of(store: CollectionStore) -> CollectionSummary:
    """Describe a collection's contents.

    Raises:
        DataError: it is damaged.
    """
    with store.reading():
        model, passport = store.fact(MODEL) or {}, collection_passport(store, store.place)
        database_bytes, cache_bytes = store.sizes()
        return CollectionSummary(
            folder=store.place,
            entries=len(store),
            model=model.get("name"),
            model_sha256=model.get("sha256"),
            dim=store.fact("dim"),
            analyser=str(store.fact("analyser")),
            changes=store.counter(),
            database_bytes=database_bytes,
            cache_bytes=cache_bytes,
            passport=None if passport is None else passport.rows()[0],
            calibrated=tuple(_calibrations(store)),
            approximate=store.cells.in_words(),
            windows=store.window,
            in_windows=store.in_windows(),
        )


def repair(folder: Place | str, model: AnyEncoder | None = None, *, wait: float | None = None) -> Repaired:
    """Rebuild the cache, and recover the contents of a damaged database.

    Args:
        folder: the collection's folder.
        model: the collection's model; the noted one if None.
        wait: seconds to wait for another process that writes; 30 if None.

    Raises:
        ModelError: a model is needed and doesn't exist.
        UsageError, DataError, OutputError: as ``collection.store.check_and_repair.repair_collection``.
    """
    facts = facts_left(folder)
    noted, window = facts.get(MODEL), int(facts.get(WINDOWS) or 0)
    noted = noted if is_model(noted) else None
    sealed = facts.get(PASSPORT) if is_whole(facts.get(PASSPORT)) else None
    known = None if noted is None else KnownModel(noted["name"], noted["sha256"], place_of(folder), sealed)
    if known is None and model is None:
        repaired = repair_collection(folder, wait=wait)
    else:
        opened = CollectionModel(model, known, window=window)
        repaired = repair_collection(folder, opened.encode, windows_of=opened.parts, wait=wait)
    with open_store(folder) as store:
        if (kept := store.fact(PASSPORT)) is not None and not is_whole(kept):
            store.note_fact(PASSPORT, None)
            note("the passport was not what was written; the next `add()` makes it again")
    return repaired


def passport_of_collection(folder: Place | str) -> Passport:
    """The passport of a collection: its model's, with the fitted parameters.

    Raises:
        UsageError: there is no collection.
        ModelError: it has no passport yet.
        DataError: it is corrupt.
    """
    with open_store(folder) as store:
        found, place = collection_passport(store, store.place), store.place
    if found is None:
        raise ModelError(f"{place} has no passport yet", fix="add texts to it: `add()`")
    return found


def export(store: CollectionStore, out: Path) -> int:
    """Export all entries (id, text, metadata) to a file, and return their number.

    Standard output receives JSON lines.

    Raises:
        UsageError: the file's ending is neither .jsonl nor a column format's.
        MissingExtraError: a column file without pyarrow.
        OutputError: the file can't be written.
    """
    if out.suffix not in EXPORTS and not is_standard(out):
        raise invalid("out", out, expected=f"a file that ends in {', '.join(EXPORTS[:-1])} or {EXPORTS[-1]}")
    return _to_columns(store, out) if out.suffix in COLUMN_FILES else _to_json_lines(store, out)


def _to_json_lines(store: CollectionStore, out: Path) -> int:
    count = 0
    with atomic_text(out) as stream:
        for entry in store.entries():
            json.dump(_values(entry), stream, ensure_ascii=False)
            stream.write("\n")
            count += 1
    return count


def _to_columns(store: CollectionStore, out: Path) -> int:
    count = 0
    with written_table(out, ("id", "text", "metadata")) as writer:
        for entry in store.entries():
            metadata = json.dumps(dict(entry.metadata), ensure_ascii=False)
            writer.write([(entry.entry_id, entry.text, metadata)])
            count += 1
    return count


def _values(entry: Entry) -> dict[str, Any]:
    return {"id": entry.entry_id, "text": entry.text, "metadata": dict(entry.metadata)}


def _calibrations(store: CollectionStore) -> Iterator[str]:
    for name in (FITTED, FITTED_RERANKED):
        if (values := store.fact(name)) is not None:
            found = FittedSearch.from_dict(values)
            reranked = f", {found.reranked:,} hits reranked" if found.reranked else ""
            yield (
                f"{found.queries:,} queries of {found.relevance.threshold.fitted_on} at {found.entries:,} "
                f"entries{reranked}: {found.reranking_in_words or found.in_words}"
            )
