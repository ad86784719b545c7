"""A served collection with separate threads for reading and writing, so imports don't block searches."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from textkin.base.errors import invalid
from textkin.collection.collection import OpenCollection
from textkin.collection.match.match import MatchResult
from textkin.collection.match.match_rules import MatchOptions
from textkin.collection.open_collection import open_collection
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.search import SearchResult
from textkin.collection.store.address import Address, Place, is_in_memory, place_of
from textkin.collection.store.rows import checked_entry, metadata_text
from textkin.collection.watch.reference import score_of
from textkin.collection.watch.watch import WatchOptions, opened_log
from textkin.data.entry_records import Added, Entry
from textkin.server.batching import SingleThread
from textkin.server.call import Call, ServerLimits, units_of
from textkin.server.served_model import OpenedModels
from textkin.text.baselines.shared_words import Places

_Found = TypeVar("_Found")
_WAIT = 30.0  # seconds to wait for another writer


class ServedCollection:
    """A collection opened twice: for readers and for writers.

    Args:
        folder: its location: a folder, or an address. One in memory, ``memory://NAME``, begins empty.
        name: its name for clients; the folder's name if None.
        limits: the limits on waiting requests.
        watched: True to watch its matches, see :func:`textkin.watch`.
        decision: a file of ``dedupe`` or ``calibrate`` for its model, read once, whose threshold holds for
            matches that ask for no other rule; None to match by its own labels.
        models: the open models, which its own joins.

    Attributes:
        name: its name for clients.
        model: the encoder.
        passport: the hash of that model; "" without.
        watch: the watch of its matches; None without.

    Raises:
        UsageError: it doesn't exist, or has no reference scores for its matches.
        DataError: it is damaged, or was watched with other settings; or the decision can't be read.
        ModelError: the decision was made for another model.
    """

    def __init__(
        self,
        folder: Place | str,
        *,
        name: str | None = None,
        limits: ServerLimits | None = None,
        watched: bool = False,
        decision: Path | str | None = None,
        models: OpenedModels | None = None,
    ) -> None:
        self.folder = place_of(folder)
        if isinstance(self.folder, Address) and not self.folder.secret:  # each side would have its own
            raise invalid("collection", folder, expected="a name: memory://NAME")
        self.name = name or self.folder.name.removesuffix(".kin")
        self._most = (limits or ServerLimits()).waiting_texts
        self._models = models or OpenedModels()  # both sides share a model
        opened = self._open()
        self.model, self.passport = opened.model.name, opened.model.sha256 or ""
        self._decision = None if decision is None else opened.model.decided(decision)
        self.watch = opened_log(opened.store, WatchOptions()) if watched else None
        self._reading, self._writing = self._thread(lambda: opened), self._thread(self._open)

    def close(self) -> None:
        """Finish waiting requests, and close it."""
        self._reading.close(OpenCollection.close)
        self._writing.close(OpenCollection.close)

    def require_place(self) -> None:
        """Check that it is where it was opened.

        Raises:
            OutputError: it was deleted or replaced.
        """
        for side in (self._reading, self._writing):
            side.thing.store.require_place()

    async def entries(self, call: Call) -> int:
        """The number of entries."""
        return await self._read(call, 1, len)

    async def search(self, call: Call, queries: Sequence[str], options: SearchOptions) -> SearchResult:
        """Find entries."""

        def found(opened: OpenCollection) -> SearchResult:
            opened.store.catch_up()
            return opened.find(queries, options)

        return await self._read(call, units_of(queries), found)

    async def shared_words(self, call: Call, found: SearchResult) -> list[list[Places]]:
        """The places in each hit of the words that it shares with its query."""

        def shared(opened: OpenCollection) -> list[list[Places]]:
            asked = zip(found.queries, found.hits, strict=True)
            return [opened.store.shared_words(query, [hit.text for hit in hits]) for query, hits in asked]

        return await self._read(call, units_of(found.queries), shared)

    async def explain(self, call: Call, query: str, ids: Sequence[str], mode: Any) -> list[dict[str, Any]]:
        """Explain why a query finds entries."""

        def found(opened: OpenCollection) -> list[dict[str, Any]]:
            rows = opened.store.rows(list(ids))
            told = opened.explain(query, [one.text for one in rows], mode=mode)
            return [{"id": one.entry_id, **why.to_dict()} for one, why in zip(rows, told, strict=True)]

        return await self._read(call, len(ids) + units_of([query]), found)

    async def match(
        self, call: Call, entries: Sequence[Entry], options: MatchOptions, *, add: bool, draft: bool = False
    ) -> MatchResult:
        """Check whether texts duplicate entries; with ``add``, store them, too. A draft is not watched."""
        if not options.asked:
            options = replace(options, decision=self._decision)

        def found(opened: OpenCollection) -> MatchResult:
            if add:
                _require_storable(entries)
            opened.store.catch_up()
            matched = opened.matched(entries, options, add=add, wait=_WAIT)
            if self.watch is not None and not draft:
                scores = map(score_of, matched.matches)
                self.watch.take([one for one in scores if one is not None])
            return matched

        turns = self._writing if add else self._reading
        return await turns.run(call, found, count=units_of([one.text for one in entries]))

    async def add(self, call: Call, entries: Sequence[Entry]) -> Added:
        """Add entries atomically; they are durable when this returns."""

        def taken(opened: OpenCollection) -> Added:
            _require_storable(entries)
            return opened.take(entries, wait=_WAIT, quiet=True)

        return await self._writing.run(call, taken, count=units_of([one.text for one in entries]))

    async def remove(self, call: Call, ids: Sequence[str], where: str | None) -> tuple[int, list[str]]:
        """Remove entries; return their number, and what is odd about the filter."""

        def removed(opened: OpenCollection) -> tuple[int, list[str]]:
            odd = () if where is None or not len(opened.store) else opened.filter_notes(where)
            return opened.store.remove(ids, where=where), list(map(str, odd))

        return await self._writing.run(call, removed, count=max(1, len(ids)))

    async def rows(self, call: Call, ids: Sequence[str]) -> list[Entry]:
        """The entries with the given ids."""
        return await self._read(call, len(ids), lambda opened: opened.store.rows(list(ids)))

    def _open(self) -> OpenCollection:
        return open_collection(self.folder, create=is_in_memory(self.folder), open_by=self._models.of)

    def _thread(self, make: Callable[[], OpenCollection]) -> SingleThread[OpenCollection]:
        return SingleThread(make, name=self.name, most=self._most)

    async def _read(self, call: Call, texts: int, ask: Callable[[OpenCollection], _Found]) -> _Found:
        return await self._reading.run(call, ask, count=texts)


def _require_storable(entries: Sequence[Entry]) -> None:
    """Check that all entries of a request can be stored, before storing any.

    Raises:
        DataError: one can't.
    """
    for one in entries:
        metadata_text(checked_entry(one).metadata, one.entry_id)
