"""What a server counts, for Prometheus: under text-embeddings-inference's names, and some of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Any, final

from textkin.base.extras import imported
from textkin.collection.watch.watch import WatchState, watched
from textkin.collection.watch.watch_log import WatchLog
from textkin.server.batching import Batch
from textkin.server.board import Board
from textkin.server.tally import Tally

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = tuple(2.0**power for power in range(15))
_DURATION, _QUEUED, _INFERENCE = (
    "te_request_duration",
    "te_request_queue_duration",
    "te_request_inference_duration",
)
_LENGTH, _BATCH_SIZE, _BATCH_TOKENS = (
    "te_request_input_length",
    "te_batch_next_size",
    "te_batch_next_tokens",
)
_HISTOGRAMS: Mapping[str, tuple[str, tuple[float, ...]]] = MappingProxyType(
    {
        _DURATION: ("Seconds of a request.", _SECONDS),
        _QUEUED: ("Seconds that a request waited for a model.", _SECONDS),
        _INFERENCE: ("Seconds that a model computed for a batch.", _SECONDS),
        _LENGTH: ("Texts or pairs of a request.", _SIZES),
        _BATCH_SIZE: ("Texts or pairs of a batch.", _SIZES),
        _BATCH_TOKENS: ("Estimated tokens of a batch.", _SIZES),
    }
)
GONE = 0
"""The page of those that have ended."""


@final
@dataclass(frozen=True, slots=True)
class OwnPage:
    """Where a worker process writes what it has counted.

    Attributes:
        board: of all workers.
        page: its own, from 1.
    """

    board: Board
    page: int


@final
class ServerFigures:
    """Counts and times of one server.

    Args:
        waiting: how many texts wait or are computed now.
        watches: what is watched, by the names of collections.
        shared: where other worker processes of this server write theirs, which are added up; None where
            there are none.
    """

    def __init__(
        self,
        waiting: Callable[[], int],
        watches: Callable[[], Mapping[str, WatchLog]],
        *,
        shared: OwnPage | None = None,
    ) -> None:
        self._prometheus = imported("prometheus_client", extra="server")
        self._registry = self._prometheus.CollectorRegistry()
        self._tally, self._shared = _tally(), shared
        self._waiting, self._watches = waiting, watches
        self._registry.register(self)

    def answered(self, route: str, status: int, *, seconds: float, texts: int, trouble: str | None) -> None:
        """Count a request that has its answer."""
        self._count("textkin_requests", route=route, status=str(status))
        if not texts and trouble is None:
            return
        self._count("te_request_count", method="single" if texts == 1 else "batch")
        if trouble is not None:
            self._count("te_request_failure", err=trouble.lower())
            return
        self._count("te_request_success", method="single" if texts == 1 else "batch")
        self._tally.observe(_DURATION, [seconds])
        self._tally.observe(_LENGTH, [texts])

    def computed(self, batch: Batch) -> None:
        """Count a batch; called in the computing thread."""
        self._tally.observe(_BATCH_SIZE, [batch.items])
        self._tally.observe(_BATCH_TOKENS, [batch.tokens])
        self._tally.observe(_INFERENCE, [batch.took])
        self._tally.observe(_QUEUED, batch.waited)

    def truncated(self, model: str, texts: int) -> None:
        """Count texts that a model read in part."""
        if texts:
            self._count("textkin_truncated_texts", texts, model=model)

    def matched(self, collection: str, verdict: str) -> None:
        """Count a verdict."""
        self._count("textkin_match_verdicts", collection=collection, verdict=verdict)

    def publish(self) -> None:
        """Let the other workers know what was counted here by now."""
        if self._shared is not None:
            content = self._tally.to_bytes(waiting=self._waiting())
            self._shared.board.write(self._shared.page, content)

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        found: bytes = self._prometheus.generate_latest(self._registry)
        return found

    def collect(self) -> Iterator[Any]:
        """What Prometheus' client asks collectors; its own counters would put _total after TEI's names."""
        core = imported("prometheus_client.core", extra="server")
        of_all = self._of_all()
        for name in sorted({name for name, _ in of_all.counts}):
            family = core.Metric(name, f"{name.replace('_', ' ')}.", "unknown")
            for (known, labels), value in sorted(of_all.counts.items()):
                if known == name:
                    family.add_sample(name, dict(labels), value)
            yield family
        yield core.GaugeMetricFamily("te_queue_size", "Texts that wait or are computed.", of_all.waiting)
        yield from self._watched(core)
        for name, (told, bounds) in _HISTOGRAMS.items():
            times = of_all.times[name]
            ends = [self._prometheus.utils.floatToGoString(bound) for bound in (*bounds, float("inf"))]
            buckets = list(zip(ends, accumulate(times.counts), strict=True))
            yield core.HistogramMetricFamily(name, told, buckets=buckets, sum_value=times.total)

    def _of_all(self) -> Tally:
        """What all workers have counted; what others did in the last second may be missing."""
        own = self._tally.to_bytes(waiting=self._waiting())
        if self._shared is None:
            return _tally().add(own)
        found = _tally()
        for page, content in enumerate(self._shared.board.read()):
            found.add(own if page == self._shared.page else content)
        return found

    def _watched(self, core: Any) -> Iterator[Any]:
        """What is watched; the model was checked when the collection was opened."""
        state = core.GaugeMetricFamily(
            "textkin_watch_state", "0 ok, 1 drifting, 2 broken.", labels=["collection"]
        )
        events = core.GaugeMetricFamily(
            "textkin_watch_events", "Scores and labels that were watched.", labels=["collection", "test"]
        )
        evidence = core.GaugeMetricFamily(
            "textkin_watch_evidence", "Evidence of a change; 1 says nothing.", labels=["collection", "test"]
        )
        for name, log in self._watches().items():
            found = watched(log)
            state.add_metric([name], list(WatchState).index(found.state))
            for test, tested in (("scores", found.scores), ("labels", found.labels)):
                events.add_metric([name, test], tested.events)
                evidence.add_metric([name, test], tested.evidence)
        yield from (state, events, evidence)

    def _count(self, name: str, by: int = 1, **labels: str) -> None:
        self._tally.count(name, by, labels)


def fold(board: Board, page: int) -> None:
    """Keep what a worker has counted that has ended, and make its page free for another."""
    board.fold(page, GONE, lambda gone, content: _tally().add(gone).add(content).to_bytes(waiting=0))


def _tally() -> Tally:
    return Tally({name: bounds for name, (_, bounds) in _HISTOGRAMS.items()})
