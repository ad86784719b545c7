"""Prometheus metrics, under text-embeddings-inference's names, and some more."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textkin.base.extras import imported
from textkin.collection.watch.watch import WatchState, watched
from textkin.collection.watch.watch_log import WatchLog
from textkin.server.batching import Batch

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = tuple(2.0**power for power in range(15))
_HISTOGRAMS: Mapping[str, tuple[str, tuple[float, ...]]] = MappingProxyType(
    {
        "te_request_duration": ("Seconds from a request to its answer.", _SECONDS),
        "te_request_queue_duration": ("Seconds that a request waited for a model.", _SECONDS),
        "te_request_inference_duration": ("Seconds that a model computed for a batch.", _SECONDS),
        "te_request_input_length": ("Texts or pairs of a request.", _SIZES),
        "te_batch_next_size": ("Texts or pairs of a batch.", _SIZES),
        "te_batch_next_tokens": ("Estimated tokens of a batch.", _SIZES),
    }
)
# text-embeddings-inference's counters, which lack the _total that Prometheus' client appends to counters.
_TE_COUNTS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "te_request_count": ("Requests with texts, single or in a batch.", ("method",)),
        "te_request_failure": ("Requests that ended in an error, by its type.", ("err",)),
        "te_request_success": ("Requests that were answered, single or in a batch.", ("method",)),
    }
)
_COUNTS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "textkin_match_verdicts": ("Verdicts of matches, by collection.", ("collection", "verdict")),
        "textkin_requests": ("Requests, by route and status.", ("route", "status")),
        "textkin_truncated_texts": ("Texts that were longer than a model reads.", ("model",)),
    }
)
"""The help text and the labels of each counter."""


@dataclass(frozen=True, slots=True)
class SharedMetrics:
    """The metrics files of a worker process, which all workers of a server read.

    Attributes:
        folder: the folder of these files.
        slot: the number of this worker, whose successor continues its counters.
    """

    folder: Path
    slot: int

    def join(self) -> None:
        """Make Prometheus' client count in these files from now on, in the whole process."""
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self.folder)
        values = imported("prometheus_client.values", extra="server")
        values.ValueClass = values.MultiProcessValue(lambda: self.slot)

    def leave(self) -> None:
        """Clear the gauges of an ended worker; its counters stay."""
        imported("prometheus_client.multiprocess", extra="server").mark_process_dead(self.slot, self.folder)

    def collect(self) -> Any:
        """Collect the counters of all workers."""
        package = imported("prometheus_client.multiprocess", extra="server")
        return package.MultiProcessCollector(None, str(self.folder)).collect()


class ServerMetrics:
    """Counters and timings of one server.

    Args:
        watches: the watches, by collection name.
        shared: the shared files of all worker processes; None with a single process.
    """

    def __init__(
        self, watches: Callable[[], Mapping[str, WatchLog]], *, shared: SharedMetrics | None = None
    ) -> None:
        self._prometheus = imported("prometheus_client", extra="server")
        self._watches, self._shared = watches, shared
        if shared is not None:
            shared.join()
        own = self._prometheus.CollectorRegistry()
        self._collect = own.collect if shared is None else shared.collect
        gauge, histogram = self._prometheus.Gauge, self._prometheus.Histogram
        self._counts = {
            name: self._prometheus.Counter(name, told, labels, registry=own)
            for name, (told, labels) in _COUNTS.items()
        } | {
            name: gauge(name, told, labels, registry=own, multiprocess_mode="sum")
            for name, (told, labels) in _TE_COUNTS.items()
        }
        self._labelled: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._times = {
            name: histogram(name, told, buckets=bounds, registry=own)
            for name, (told, bounds) in _HISTOGRAMS.items()
        }
        self._queue = gauge(
            "te_queue_size",
            "Texts that wait, or are being computed.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self._registry = self._prometheus.CollectorRegistry()
        self._registry.register(self)

    def answered(self, route: str, status: int, *, seconds: float, texts: int, trouble: str | None) -> None:
        """Count an answered request."""
        self._count("textkin_requests", route, str(status))
        if not texts and trouble is None:
            return
        method = "single" if texts == 1 else "batch"
        self._count("te_request_count", method)
        if trouble is not None:
            self._count("te_request_failure", trouble.lower())
            return
        self._count("te_request_success", method)
        self._times["te_request_duration"].observe(seconds)
        self._times["te_request_input_length"].observe(texts)

    def computed(self, batch: Batch) -> None:
        """Count a batch; called in the computing thread."""
        self._times["te_batch_next_size"].observe(batch.items)
        self._times["te_batch_next_tokens"].observe(batch.tokens)
        self._times["te_request_inference_duration"].observe(batch.took)
        for seconds in batch.waited:
            self._times["te_request_queue_duration"].observe(seconds)

    def queued(self, texts: int) -> None:
        """Set the number of texts waiting or in progress."""
        self._queue.set(texts)

    def truncated(self, model: str, texts: int) -> None:
        """Count truncated texts."""
        if texts:
            self._count("textkin_truncated_texts", model, by=texts)

    def matched(self, collection: str, verdict: str) -> None:
        """Count a verdict."""
        self._count("textkin_match_verdicts", collection, verdict)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        found: bytes = self._prometheus.generate_latest(self._registry)
        for name in _TE_COUNTS:
            found = found.replace(f"# TYPE {name} untyped".encode(), f"# TYPE {name} counter".encode())
        return found

    def collect(self) -> Iterator[Any]:
        """Metrics for Prometheus' client: counters and watches."""
        found = {one.name: one for one in self._collect()}
        for name in (*_TE_COUNTS, *_COUNTS):
            if name in found and found[name].samples:
                if name in _TE_COUNTS:
                    found[name].type = "unknown"
                found[name].samples = sorted(
                    (one for one in found[name].samples if not one.name.endswith("_created")),
                    key=lambda one: sorted(one.labels.items()),
                )
                yield found[name]
        yield found["te_queue_size"]
        yield from self._watched()
        for name in _HISTOGRAMS:
            kept = [f"{name}{end}" for end in ("_bucket", "_count", "_sum")]
            found[name].samples = [one for part in kept for one in found[name].samples if one.name == part]
            yield found[name]

    def _watched(self) -> Iterator[Any]:
        """Metrics of watches; the model was checked when the collection was opened."""
        gauge, labels = (
            imported("prometheus_client.core", extra="server").GaugeMetricFamily,
            ["collection", "test"],
        )
        state = gauge(
            "textkin_watch_state", "State of matches: 0 ok, 1 drifting, 2 broken.", labels=labels[:1]
        )
        events = gauge("textkin_watch_events", "Scores and labels that a watch has read.", labels=labels)
        evidence = gauge("textkin_watch_evidence", "Evidence of a change in them; 1 is none.", labels=labels)
        for name, log in self._watches().items():
            found = watched(log)
            state.add_metric([name], list(WatchState).index(found.state))
            for test, tested in (("scores", found.scores), ("labels", found.labels)):
                events.add_metric([name, test], tested.events)
                evidence.add_metric([name, test], tested.evidence)
        yield from (state, events, evidence)

    def _count(self, name: str, *labels: str, by: int = 1) -> None:
        count = self._labelled.get((name, labels))
        if count is None:  # finding it again takes Prometheus' client longer
            count = self._labelled[name, labels] = self._counts[name].labels(*labels)
        count.inc(by)
