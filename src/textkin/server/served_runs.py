"""A served folder of runs: their list, their reports, and reviews of deduplications."""

import io
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from textkin.base.errors import DataError
from textkin.base.table_writer import RowWriter
from textkin.report.runs_page import FoundRun
from textkin.report.text_diff import differing
from textkin.server.batching import SingleThread
from textkin.server.call import Call
from textkin.server.request_errors import RequestError, Trouble
from textkin.verbs.dedupe.review.groups import ReviewedGroup, ReviewedText
from textkin.verbs.dedupe.review.review import COLUMNS, DedupeReview
from textkin.verbs.runs.listing import RunsFolder

_OPEN = 4  # reviews held in memory
_LONGEST = 2_000  # characters of a text in a list
SHOWN = 20
"""Texts of a group shown in a list; the others are on request."""

_Found = TypeVar("_Found")


class ServedRuns:
    """A folder of runs, in its own thread.

    Args:
        folder: its location; nothing else is read or written.

    Raises:
        DataError: there is no such folder.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = RunsFolder(Path(folder))
        self._reviews: OrderedDict[str, tuple[tuple[int, ...], DedupeReview]] = OrderedDict()
        self._thread = SingleThread(lambda: self._folder, name="the folder of runs")

    async def runs(self, call: Call) -> list[FoundRun]:
        """All runs, newest first."""
        return await self._thread.run(call, RunsFolder.runs)

    async def report(self, call: Call, name: str) -> str:
        """A report, as stored in its file."""

        def work(folder: RunsFolder) -> str:
            try:
                return folder.report(name)
            except DataError as error:
                raise _not_there(error) from error

        return await self._thread.run(call, work)

    async def review(self, call: Call, name: str, ask: Callable[[DedupeReview], _Found]) -> _Found:
        """Call the review of a deduplication."""

        def work(folder: RunsFolder) -> _Found:
            return ask(self._review(folder, name))

        return await self._thread.run(call, work)

    def close(self) -> None:
        """Finish waiting requests."""
        self._thread.close()

    def _review(self, folder: RunsFolder, name: str) -> DedupeReview:
        """A review with all decisions so far, reopened if the run was repeated."""
        try:
            version = folder.version(name)
        except DataError as error:
            raise _not_there(error) from error
        known, review = self._reviews.get(name, ((), None))
        if review is None or known != version:
            review = folder.dedupe(name)
        self._reviews[name] = (version, review)
        self._reviews.move_to_end(name)
        if len(self._reviews) > _OPEN:
            self._reviews.popitem(last=False)
        review.catch_up()
        return review


def told_review(review: DedupeReview, threshold: float | None) -> dict[str, Any]:
    """The progress of a review, and the evidence on a threshold."""
    run, counts = review.run, review.counts(threshold=threshold)
    at = review.precision_at(threshold)
    return {
        "source": run.source,
        "threshold": run.threshold if threshold is None else threshold,
        "run_threshold": run.threshold,
        "threshold_words": run.threshold_words,
        "counts": counts,
        "precision": at,
        "known_from": [one.threshold for one in run.precision if one.precision is not None],
    }


def told_group(group: ReviewedGroup, *, most: int | None = None) -> dict[str, Any]:
    """A group as JSON values, with the differences between its texts.

    Args:
        group: the group.
        most: the number of texts besides the kept one, truncated if long; None for all of them in full.
    """
    longest = None if most is None else _LONGEST
    kept = group.kept.text[:longest]
    return {
        "id": group.kept.text_id,
        "text": kept,
        "characters": len(group.kept.text),
        "open": group.is_open,
        "lowest": group.lowest,
        "size": len(group.others) + 1,
        "others": [_told_text(one, kept, longest) for one in group.others[:most]],
    }


def exported(review: DedupeReview, ending: str, threshold: float | None) -> bytes:
    """The final list as a file with a given ending; see ``DedupeReview.export``."""
    stream = io.StringIO()
    RowWriter(stream, Path(f"final{ending}"), COLUMNS).write(review.export_rows(threshold=threshold))
    return stream.getvalue().encode()


def _told_text(one: ReviewedText, kept: str, longest: int | None) -> dict[str, Any]:
    shown = one.text[:longest]
    in_kept, in_this = differing(kept, shown)
    return {
        "id": one.text_id,
        "text": shown,
        "characters": len(one.text),
        "goes": one.goes,
        "decided": None if one.decided is None else one.decided.value,
        "score": one.score,
        "why": one.why,
        "marks": in_this,
        "kept_marks": in_kept,
    }


def _not_there(error: DataError) -> RequestError:
    return RequestError(error.message, trouble=Trouble.NOT_FOUND, fix=error.fix, param="run")
