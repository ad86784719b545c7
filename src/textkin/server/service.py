"""The service behind all routes: models, collections, and the queue of texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import did_you_mean, invalid
from textkin.collection.watch.watch_log import WatchLog
from textkin.data.protocols import Side
from textkin.server.batching import Batcher, Work
from textkin.server.call import Call, ServerLimits, units_of
from textkin.server.keys import Keys
from textkin.server.metrics import ServerMetrics, SharedMetrics
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.served_collection import ServedCollection
from textkin.server.served_labels import ServedLabels
from textkin.server.served_model import EncodedTexts, ScoredPairs, ServedModel
from textkin.server.served_phrases import ServedPhrases
from textkin.server.served_runs import ServedRuns

_LONGER = (
    "send shorter texts, `truncate=True` where the route has it, or start the server with `auto_truncate`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedBeside:
    """Further things served besides models and collections.

    Attributes:
        phrases: phrase indexes; the first is the default.
        runs: a folder with results of other commands; None to show none.
        link: the address of the page of a text, with ``{id}`` for its id; None without such pages.
        shared: the metrics files shared by all worker processes; None with a single one.
    """

    phrases: Sequence[ServedPhrases] = ()
    runs: ServedRuns | None = None
    link: str | None = None
    shared: SharedMetrics | None = None


class Service:
    """Models and collections, with the queue of work.

    Args:
        models: the models; the default is the first with the requested ability.
        collections: the collections; the first is the default.
        keys: the API keys.
        limits: the server's limits.
        auto_truncate: truncate texts longer than the model's limit, and report it, unless the client says
            otherwise; if False they are rejected.
        read_only: reject changes to collections.
        labels: a labelling session.
        beside: further things to serve.
    """

    def __init__(
        self,
        models: Sequence[ServedModel],
        collections: Sequence[ServedCollection] = (),
        *,
        keys: Keys | None = None,
        limits: ServerLimits | None = None,
        auto_truncate: bool = False,
        read_only: bool = False,
        labels: ServedLabels | None = None,
        beside: ServedBeside | None = None,
    ) -> None:
        self.limits, self.keys = limits or ServerLimits(), keys or Keys()
        self.auto_truncate, self.read_only, self.labels = auto_truncate, read_only, labels
        beside = beside or ServedBeside()
        self.metrics = ServerMetrics(self._watches, shared=beside.shared)
        self.batcher = Batcher(self.limits, told=self.metrics.computed, queued=self.metrics.queued)
        self.is_ready = True
        self._models = _by_name(models, "model")
        self._collections = _by_name(collections, "collection")
        self._phrases, self.runs = _by_name(beside.phrases, "index"), beside.runs
        self.link = beside.link

    @property
    def models(self) -> Mapping[str, ServedModel]:
        """All models by name."""
        return MappingProxyType(self._models)

    @property
    def collections(self) -> Mapping[str, ServedCollection]:
        """All collections by name."""
        return MappingProxyType(self._collections)

    def _watches(self) -> dict[str, WatchLog]:
        return {name: one.watch for name, one in self._collections.items() if one.watch is not None}

    @property
    def phrases(self) -> Mapping[str, ServedPhrases]:
        """All phrase indexes by name."""
        return MappingProxyType(self._phrases)

    def reload(self) -> list[str]:
        """Reopen models whose files have changed; those in use stay until their requests end.

        Returns:
            The names of the reopened models.
        """
        found = []
        for name, model in list(self._models.items()):
            if model.has_changed:
                self._models[name] = model.again()
                found.append(name)
        return found

    def close(self) -> None:
        """Answer waiting requests, then close everything."""
        self.is_ready = False
        self.batcher.close()
        for one in self._collections.values():
            one.close()
        for index in self._phrases.values():
            index.close()
        if self.labels is not None:
            self.labels.close()
        if self.runs is not None:
            self.runs.close()

    def model(
        self, name: str | None, can: Callable[[ServedModel], Any], what: str, *, param: str = "model"
    ) -> ServedModel:
        """The named model, or the first with an ability.

        Args:
            name: the client's name for it.
            can: True for models with the ability.
            what: the ability in words, for the error.
            param: the field that names it.

        Raises:
            RequestError: there is no such model.
        """
        if name is not None:
            named = self.named_model(name, param=param)
            if not can(named):
                raise RequestError(
                    f"the model {name} doesn't {what}",
                    trouble=Trouble.BACKEND,
                    fix="name another",
                    param=param,
                )
            return named
        found = next((one for one in self._models.values() if can(one)), None)
        if found is None:
            raise RequestError(
                f"no model here can {what}", trouble=Trouble.BACKEND, fix="serve another model"
            )
        return found

    def named_model(self, name: str, *, param: str = "model") -> ServedModel:
        """The model with a name, which the field ``param`` gives.

        Raises:
            RequestError: there is no such model.
        """
        if name not in self._models:
            raise RequestError(
                f"there is no model {name!r}",
                trouble=Trouble.NOT_FOUND,
                fix=did_you_mean(name, self._models),
                param=param,
            )
        return self._models[name]

    def collection(self, name: str | None) -> ServedCollection:
        """The named collection, or the first.

        Raises:
            RequestError: there is no such collection.
        """
        return _named_or_first(self._collections, name, "collection")

    def phrase_index(self, name: str | None) -> ServedPhrases:
        """The named phrase index, or the first.

        Raises:
            RequestError: there is no such index.
        """
        return _named_or_first(self._phrases, name, "index", option="phrases")

    def count(self, call: Call, texts: Sequence[str], *, items: int | None = None) -> None:
        """Count a request's texts, before anything is computed.

        Args:
            call: the request.
            texts: its texts.
            items: the counted items, such as pairs; the texts if None.

        Raises:
            RequestError: it exceeds the limit per request or that of its key.
        """
        number = len(texts) if items is None else items
        if number > self.limits.texts:
            raise RequestError(
                f"{number:,} texts in one request, of {self.limits.texts:,} at most",
                fix=f"send at most {self.limits.texts:,} at once",
            )
        self.keys.count(call.key, number)
        call.texts += number
        call.characters += sum(map(len, texts))

    def count_queries(self, call: Call, queries: Sequence[str], *, items: int | None = None) -> None:
        """Count a request's queries by size: one long query takes as long as many.

        Args:
            call: the request.
            queries: its queries or questions.
            items: other counted items, such as pairs with them.

        Raises:
            RequestError: one is too long, or there are too many.
        """
        longest = max((len(one.encode(errors="replace")) for one in queries), default=0)
        if longest > self.limits.query_bytes:
            raise RequestError(
                f"a query of {longest:,} bytes, of {self.limits.query_bytes:,} at most",
                status=413,
                fix="send a shorter one, or start the server with a larger `max_query_bytes`",
                param="query",
            )
        self.count(call, queries, items=units_of(queries) if items is None else items)

    async def embed(
        self,
        call: Call,
        model: ServedModel,
        texts: Sequence[str],
        *,
        side: Side = Side.TEXT,
        truncate: bool | None = None,
    ) -> EncodedTexts:
        """Encode texts that were counted.

        Raises:
            RequestError: a text exceeds the model's limit and may not be truncated, or the queue is full.
        """
        work: Work = partial(model.encode, side=side)
        vectors, tokens = await self._run(call, model, ("embed", side), work, texts)
        lengths = np.asarray(tokens)
        cut = self.note_lengths(call, model, lengths, truncate)
        return EncodedTexts(np.asarray(vectors), lengths, cut)

    async def score(
        self,
        call: Call,
        model: ServedModel,
        pairs: Sequence[tuple[str, str]],
        *,
        ranks: bool = False,
        truncate: bool | None = None,
    ) -> ScoredPairs:
        """Score pairs that were counted.

        Args:
            call: the request.
            model: a scorer.
            pairs: the texts.
            ranks: True if they are queries with possible answers, which some encoders distinguish.
            truncate: truncate long texts; None for the server's default.

        Raises:
            RequestError: a pair exceeds the model's limit and may not be truncated, or the queue is full.
        """
        work: Work = model.rank if ranks else model.score
        scores, cut = await self._run(call, model, ("rank" if ranks else "score",), work, pairs)
        truncated = int(np.asarray(cut).sum())
        self._note_cut(call, model, truncated, truncate)
        return ScoredPairs(np.asarray(scores), truncated)

    async def classify(
        self,
        call: Call,
        model: ServedModel,
        pairs: Sequence[tuple[str, str]],
        *,
        truncate: bool | None = None,
    ) -> ScoredPairs:
        """The probability of each class for each pair. Shape [pairs, classes]."""
        found, cut = await self._run(call, model, ("classify",), model.classify, pairs)
        truncated = int(np.asarray(cut).sum())
        self._note_cut(call, model, truncated, truncate)
        return ScoredPairs(np.asarray(found), truncated)

    async def compute_all(
        self, call: Call, model: ServedModel, work: Work, items: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Run a request's own work in the queue, unbatched."""
        return await self._run(call, model, (object(),), work, items)

    def note_lengths(
        self, call: Call, model: ServedModel, lengths: NDArray[np.int64], truncate: bool | None
    ) -> int:
        """Count tokens, and report texts longer than the model's limit, or reject them."""
        most, tokens = model.max_tokens, lengths.tolist()  # usually from one text
        cut = 0 if most is None else sum(one > most for one in tokens)
        call.tokens += sum(tokens)
        self._note_cut(call, model, cut, truncate, longest=max(tokens, default=0))
        return cut

    async def _run(
        self, call: Call, model: ServedModel, kind: tuple[Any, ...], work: Work, items: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Queue items for a model."""
        key = (id(model), *kind)
        return await self.batcher.run(key, work, items, characters=call.characters, deadline=call.deadline)

    def _note_cut(
        self, call: Call, model: ServedModel, cut: int, truncate: bool | None, *, longest: int | None = None
    ) -> None:
        """Report the number of truncated texts, or reject them."""
        if not cut:
            return
        if not (self.auto_truncate if truncate is None else truncate):
            given = "" if longest is None else f"; the longest has {longest:,}"
            raise RequestError(
                f"{cut:,} of {call.texts:,} texts are longer than the {model.max_tokens:,} tokens that "
                f"{model.name} reads{given}",
                status=413,
                fix=_LONGER,
            )
        call.truncated += cut
        self.metrics.truncated(model.name, cut)


class _Named(Protocol):
    name: str


_Thing = TypeVar("_Thing", bound=_Named)


def _named_or_first(
    things: Mapping[str, _Thing], name: str | None, what: str, *, option: str = "collection"
) -> _Thing:
    found = next(iter(things.values()), None) if name is None else things.get(name)
    if found is None:
        raise RequestError(
            f"this server has no {what}" if name is None else f"there is no {what} {name!r}",
            trouble=Trouble.NOT_FOUND,
            fix=did_you_mean(name, things) if name and things else f"start the server with `{option}`",
            param=what,
        )
    return found


def _by_name(things: Sequence[_Thing], what: str) -> dict[str, _Thing]:
    found: dict[str, _Thing] = {}
    for one in things:
        if one.name in found:
            raise invalid(f"{what}s", one.name, expected=f"different names: NAME={what.upper()}")
        found[one.name] = one
    return found
