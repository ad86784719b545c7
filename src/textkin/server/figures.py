"""What a server counts, for Prometheus: under text-embeddings-inference's names, and some of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, final

from textkin.extras import imported
from textkin.server.batching import Batch
from textkin.tasks.watch.log import WatchLog
from textkin.tasks.watch.watch import WatchState, watched

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = tuple(2.0**power for power in range(15))


@final
class ServerFigures:
    """Counts and times of one server.

    Args:
        waiting: how many texts wait or are computed now.
        watches: what is watched, by the names of collections.
    """

    def __init__(self, waiting: Callable[[], int], watches: Callable[[], Mapping[str, WatchLog]]) -> None:
        self._prometheus = imported("prometheus_client", extra="server")
        self._registry = self._prometheus.CollectorRegistry()
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._waiting, self._watches = waiting, watches
        self._registry.register(self)
        self._duration = self._histogram("te_request_duration", "Seconds of a request.", _SECONDS)
        self._queued = self._histogram(
            "te_request_queue_duration", "Seconds that a request waited for a model.", _SECONDS
        )
        self._inference = self._histogram(
            "te_request_inference_duration", "Seconds that a model computed for a batch.", _SECONDS
        )
        self._length = self._histogram("te_request_input_length", "Texts or pairs of a request.", _SIZES)
        self._batch_size = self._histogram("te_batch_next_size", "Texts or pairs of a batch.", _SIZES)
        self._batch_tokens = self._histogram("te_batch_next_tokens", "Estimated tokens of a batch.", _SIZES)

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
        self._duration.observe(seconds)
        self._length.observe(texts)

    def computed(self, batch: Batch) -> None:
        """Count a batch; called in the computing thread."""
        self._batch_size.observe(batch.items)
        self._batch_tokens.observe(batch.tokens)
        self._inference.observe(batch.took)
        for waited in batch.waited:
            self._queued.observe(waited)

    def truncated(self, model: str, texts: int) -> None:
        """Count texts that a model read in part."""
        if texts:
            self._count("textkin_truncated_texts", texts, model=model)

    def matched(self, collection: str, verdict: str) -> None:
        """Count a verdict."""
        self._count("textkin_match_verdicts", collection=collection, verdict=verdict)

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        found: bytes = self._prometheus.generate_latest(self._registry)
        return found

    def collect(self) -> Iterator[Any]:
        """What Prometheus' client asks collectors; its own counters would put _total after TEI's names."""
        core = imported("prometheus_client.core", extra="server")
        names = sorted({name for name, _ in self._counts})
        for name in names:
            family = core.Metric(name, f"{name.replace('_', ' ')}.", "unknown")
            for (known, labels), value in sorted(self._counts.items()):
                if known == name:
                    family.add_sample(name, dict(labels), value)
            yield family
        yield core.GaugeMetricFamily("te_queue_size", "Texts that wait or are computed.", self._waiting())
        yield from self._watched(core)

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
        self._counts[name, tuple(sorted(labels.items()))] += by

    def _histogram(self, name: str, told: str, buckets: tuple[float, ...]) -> Any:
        return self._prometheus.Histogram(name, told, registry=self._registry, buckets=buckets)
