"""A served phrase index."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textkin.collection.phrases.search import PhraseHits
from textkin.server.batching import SingleThread
from textkin.server.call import Call, units_of
from textkin.verbs.phrases.indexing import AskedIndex


@dataclass(frozen=True, slots=True)
class AskedPhrases:
    """An index's answers, and the time for encoding and search.

    Attributes:
        found: the answers to each question.
        milliseconds: the mean time per question.
    """

    found: tuple[PhraseHits, ...]
    milliseconds: float


class ServedPhrases:
    """A phrase index with the encoder of its questions, in its own thread.

    Args:
        folder: its location.
        name: its name for clients; the folder's name if None.

    Attributes:
        name: its name for clients.
        model: the encoder's name.
        passport: the hash of everything its vectors depend on.
        facts: the size of the index, and its search method.

    Raises:
        DataError: the folder isn't an index, or was made by another encoder.
        UsageError: the encoder isn't at its noted place.
    """

    def __init__(self, folder: Path | str, *, name: str | None = None) -> None:
        self.name = name or Path(folder).name
        self._thread = SingleThread(partial(_rehearsed, folder), name=self.name)
        index = self._thread.thing.index
        self.model, self.passport, self.facts = index.model, index.model_hash, index.facts

    async def ask(self, call: Call, questions: Sequence[str], k: int) -> AskedPhrases:
        """The best phrases for each question."""

        def work(index: AskedIndex) -> AskedPhrases:
            began = time.perf_counter()
            found = index.ask(questions, k)
            return AskedPhrases(tuple(found), (time.perf_counter() - began) * 1_000 / len(questions))

        return await self._thread.run(call, work, count=units_of(questions))

    def close(self) -> None:
        """Finish waiting requests, and close it."""
        self._thread.close(AskedIndex.close)


def _rehearsed(folder: Path | str) -> AskedIndex:
    """An index warmed up with a question, so that the first client needn't wait."""
    index = AskedIndex(folder)
    index.rehearse()
    return index
