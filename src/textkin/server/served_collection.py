"""A collection that is served: one thread reads, another writes, so that no search waits for an import."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar, final

from textkin.collection_records import Added, Entry
from textkin.server.call import Call
from textkin.server.limits import ServerLimits
from textkin.server.problems import RequestError, Trouble, overloaded
from textkin.store.address import Place, place_of
from textkin.tasks.find.collection import OpenCollection
from textkin.tasks.find.matching.match import MatchResult
from textkin.tasks.find.matching.match_rules import MatchOptions
from textkin.tasks.find.opening import open_collection
from textkin.tasks.find.searching.options import SearchOptions
from textkin.tasks.find.searching.search import SearchResult
from textkin.tasks.watch.reference import score_of
from textkin.tasks.watch.watch import WatchOptions, opened_log
from textkin.threads import settle

_Found = TypeVar("_Found")
_WAIT = 30.0  # seconds for another process that writes


@final
class ServedCollection:
    """A collection that is open twice: for those who search and for those who write.

    Args:
        folder: where it lies: a folder, or the address of a database.
        name: how clients call it; the folder's name if None.
        limits: how many requests may wait for it.
        watched: watch its matches, see :func:`textkin.watch`.

    Attributes:
        name: how clients call it.
        model: what makes its vectors.
        passport: the hash of that model; "" where it has none.
        watch: what was watched; None where nothing is.

    Raises:
        UsageError: there is none, or nothing to compare its matches with.
        DataError: it is damaged, or was watched otherwise.
    """

    def __init__(
        self,
        folder: Place | str,
        *,
        name: str | None = None,
        limits: ServerLimits | None = None,
        watched: bool = False,
    ) -> None:
        self.folder = place_of(folder)
        self.name = name or self.folder.name.removesuffix(".kin")
        self._most = (limits or ServerLimits()).waiting_texts
        opened = open_collection(self.folder)
        self.model, self.passport = opened.model.name, opened.model.sha256 or ""
        self.watch = opened_log(opened.store, WatchOptions()) if watched else None
        self._reading = _Turns(opened)
        self._writing = _Turns(open_collection(self.folder))

    def close(self) -> None:
        """Finish what waits, and close it."""
        self._reading.close()
        self._writing.close()

    async def entries(self, call: Call) -> int:
        """How many entries it has."""
        return await self._read(call, 1, len)

    async def search(self, call: Call, queries: Sequence[str], options: SearchOptions) -> SearchResult:
        """Find entries."""

        def found(opened: OpenCollection) -> SearchResult:
            opened.store.catch_up()
            return opened.find(queries, options)

        return await self._read(call, len(queries), found)

    async def explain(self, call: Call, query: str, ids: Sequence[str], mode: Any) -> list[dict[str, Any]]:
        """Say why entries are found by a query."""

        def found(opened: OpenCollection) -> list[dict[str, Any]]:
            rows = opened.store.rows(list(ids))
            told = opened.explain(query, [one.text for one in rows], mode=mode)
            return [{"id": one.entry_id, **why.to_dict()} for one, why in zip(rows, told, strict=True)]

        return await self._read(call, len(ids), found)

    async def match(
        self, call: Call, entries: Sequence[Entry], options: MatchOptions, *, add: bool
    ) -> MatchResult:
        """Tell of texts whether somebody said this before; with ``add`` they are stored, too."""

        def found(opened: OpenCollection) -> MatchResult:
            opened.store.catch_up()
            matched = opened.match(entries, add=add, options=options, wait=_WAIT)
            if self.watch is not None:
                scores = map(score_of, matched.matches)
                self.watch.take([one for one in scores if one is not None])
            return matched

        turns = self._writing if add else self._reading
        return await self._take(turns, call, len(entries), found)

    async def add(self, call: Call, entries: Sequence[Entry]) -> Added:
        """Add entries; when it returns, they are on the disk."""
        return await self._take(
            self._writing, call, len(entries), lambda opened: opened.take(entries, wait=_WAIT, quiet=True)
        )

    async def remove(self, call: Call, ids: Sequence[str], where: str | None) -> int:
        """Take entries out."""
        return await self._take(
            self._writing, call, max(1, len(ids)), lambda opened: opened.remove(ids, where=where)
        )

    async def rows(self, call: Call, ids: Sequence[str]) -> list[Entry]:
        """The entries of some ids."""
        return await self._read(call, len(ids), lambda opened: opened.store.rows(list(ids)))

    async def _read(self, call: Call, texts: int, ask: Callable[[OpenCollection], _Found]) -> _Found:
        return await self._take(self._reading, call, texts, ask)

    async def _take(
        self, turns: _Turns, call: Call, texts: int, ask: Callable[[OpenCollection], _Found]
    ) -> _Found:
        if turns.waiting + texts > self._most:
            raise overloaded(f"{turns.waiting:,} texts are waiting for {self.name}", retry_after=2)
        return await turns.run(ask, texts, call.deadline)


@final
class _Turns:
    """A collection that is open in a thread of its own; what is asked of it takes turns."""

    def __init__(self, opened: OpenCollection) -> None:
        self._opened = opened
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textkin-collection")
        self._thread.submit(settle).result()  # a thread begins with its first work
        self._counting = Lock()
        self.waiting = 0

    async def run(self, ask: Callable[[OpenCollection], _Found], texts: int, deadline: float) -> _Found:
        """Ask it, and wait until the deadline; what has begun by then is done all the same."""
        self._count(texts)
        future = self._thread.submit(ask, self._opened)
        future.add_done_callback(lambda _: self._count(-texts))
        try:
            async with asyncio.timeout_at(deadline):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise RequestError(
                "the collection gave no answer in time",
                status=503,
                trouble=Trouble.TIMEOUT,
                fix="send fewer texts at once, or try again later",
                retry_after=5,
            ) from None

    def close(self) -> None:
        """Finish what waits."""
        self._thread.shutdown()
        self._opened.close()

    def _count(self, texts: int) -> None:
        with self._counting:
            self.waiting += texts
