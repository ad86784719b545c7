"""An index of phrases that is served."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

from textkin.collection.phrases.search import PhraseHits, PhraseIndexFacts
from textkin.server.call import Call
from textkin.server.limits import units_of
from textkin.server.single_thread import SingleThread
from textkin.verbs.answer.phrases import AskedIndex


@final
@dataclass(frozen=True, slots=True)
class AskedPhrases:
    """What an index answers, and how long encoding and search took.

    Attributes:
        found: for each question.
        milliseconds: for each question, in the mean.
    """

    found: tuple[PhraseHits, ...]
    milliseconds: float


@final
class ServedPhrases:
    """An index of phrases with the encoder of its questions, in a thread of its own.

    Args:
        folder: where it lies.
        name: how clients call it; the folder's name if None.

    Attributes:
        name: how clients call it.
        model: the encoder's name.
        passport: the hash of what its vectors depend on.
        facts: how large the index is, and how it is searched.

    Raises:
        DataError: the folder is no index, or was made by another encoder.
        UsageError: there is no encoder where it was.
    """

    def __init__(self, folder: Path | str, *, name: str | None = None) -> None:
        self.name = name or Path(folder).name
        self._thread = SingleThread(partial(_rehearsed, folder), name=self.name)
        self.model, self.passport = self._thread.thing.model, self._thread.thing.model_hash
        self.facts: PhraseIndexFacts = self._thread.thing.facts

    async def ask(self, call: Call, questions: Sequence[str], k: int) -> AskedPhrases:
        """The best phrases for each question."""

        def work(index: AskedIndex) -> AskedPhrases:
            began = time.perf_counter()
            found = index.ask(questions, k)
            return AskedPhrases(tuple(found), (time.perf_counter() - began) * 1_000 / len(questions))

        return await self._thread.run(call, work, count=units_of(questions))

    def close(self) -> None:
        """Finish what waits, and close it."""
        self._thread.close(AskedIndex.close)


def _rehearsed(folder: Path | str) -> AskedIndex:
    """An index that has been asked, so that nobody waits for what comes with the first question."""
    index = AskedIndex(folder)
    index.rehearse()
    return index
