"""Review of the groups of a deduplication: a person's decisions outrank every score.

Decisions go to ``review.jsonl`` in the run's folder, one per line, on the disk before the call returns. The
file only grows: undone decisions remain in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.append_log import LineLog
from textkin.base.argument_checks import checked
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.files import atomic_files, atomic_path, atomic_text, refuse_overwriting, sha256_of_files
from textkin.base.parquet_files import Cell
from textkin.base.python_inputs import a_path
from textkin.base.table_writer import RowWriter, check_ending
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.texts import TextParts, open_texts
from textkin.verbs.dedupe.review.groups import GroupOrder, ReviewCounts, ReviewedGroup, ReviewedText
from textkin.verbs.dedupe.review.run_files import DedupeRun, read_run
from textkin.verbs.dedupe.review.state import DecidedBy, ReviewState
from textkin.verbs.dedupe.sample_answers import PrecisionAt

DECISIONS = "review.jsonl"
COLUMNS = ("id", "goes", "kept_id", "decided", "score", "text")


class DedupeReview:
    """The groups of a deduplication, with all that was decided about them.

    A text of a group is removed if a person accepted its group or merged it into another. Undecided texts
    are removed by score: all at the run's own threshold, at a higher one those that reach it. Texts that
    were split off are kept. A group is named by the id of its kept text.

    Args:
        folder: the folder of a deduplication.

    Raises:
        DataError: it holds no deduplication, or decisions about another one.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.dedupe(samples.path("inbox.txt"), out="run", threshold=0.8)
        >>> review = tk.review("run")
        >>> riskiest = review.groups("risk")[0]
        >>> review.counts().go, round(riskiest.lowest, 3)
        (21, 0.803)
        >>> review.split(riskiest.kept.text_id)
        >>> review.counts().go
        20
    """

    def __init__(self, folder: Path | str) -> None:
        self.run: DedupeRun = read_run(folder)
        self._entries = {one.text_id: one for one in self.run.gone}
        self._log = LineLog(
            self.run.folder / DECISIONS,
            {"kind": "textkin review", "format": 1, "removed_sha256": self.run.removed_sha256},
            fix=f"it belongs to another run: move {DECISIONS} away to start over",
        )
        self._state = ReviewState(self.run.gone)
        self._events: list[dict[str, Any]] = []
        self._seen: tuple[dict[str, Any], ...] | None = ()
        self._replay()

    @property
    def path(self) -> Path:
        """The file of decisions."""
        return self._log.path

    def accept(self, group: str, *, by: str = "") -> None:
        """Remove all texts of a group but the kept one, whatever their scores.

        Raises:
            UsageError: there is no such group, or nothing in it to go.
            OutputError: the decision can't be written.
        """
        self._decide({"do": "accept", "group": group, "by": by})

    def split(self, group: str, texts: Sequence[str] = (), *, by: str = "") -> None:
        """Split texts off a group, so that each is kept by itself; all of them if none are named.

        Raises:
            UsageError: there is no such group, or a text is none of those that go for it.
            OutputError: the decision can't be written.
        """
        self._decide({"do": "split", "group": group, "texts": list(texts), "by": by})

    def merge(self, group: str, into: str, *, by: str = "") -> None:
        """Merge a group into another: remove all its texts, the kept one too, for the other group's.

        What was split off is a group of its own, and can be merged.

        Raises:
            UsageError: there are no two such groups.
            OutputError: the decision can't be written.
        """
        self._decide({"do": "merge", "group": group, "into": into, "by": by})

    def undo(self) -> bool:
        """Take the last decision back; False if there is none.

        Raises:
            OutputError: this can't be written.
        """
        with self._log.alone() as append:
            self._replay()
            if not self._events:
                return False
            append({"do": "undo"})
            self._replay()
            return True

    def catch_up(self) -> None:
        """Read decisions that another process has made since."""
        self._log.catch_up()
        self._replay()

    def groups(
        self,
        order: GroupOrder | str = GroupOrder.SIZE,
        *,
        threshold: float | None = None,
        only_open: bool = False,
    ) -> list[ReviewedGroup]:
        """All groups: the largest first, or those with the lowest undecided score.

        Args:
            order: the order of groups.
            threshold: the threshold for undecided texts; the run's own if None.
            only_open: leave out those about which all is decided.
        """
        found = [self.group(kept, threshold=threshold) for kept in self._state.members]
        if only_open:
            found = [one for one in found if one.is_open]
        by_size = GroupOrder(order) is GroupOrder.SIZE
        return sorted(
            found,
            key=lambda one: (
                (-len(one.others), one.lowest) if by_size else (one.lowest, -len(one.others)),
                one.kept.text_id,
            ),
        )

    def group(self, kept: str, *, threshold: float | None = None) -> ReviewedGroup:
        """One group.

        Raises:
            UsageError: there is none whose kept text is this.
        """
        if kept not in self._state.members:
            raise invalid("kept", kept, expected="the id of a text that a group keeps")
        others = [self._text(one, kept, threshold) for one in self._state.members[kept]]
        others.sort(key=lambda one: -1.0 if one.score is None else one.score)
        is_open = any(one.decided is DecidedBy.SCORE for one in others)
        return ReviewedGroup(self._text(kept, kept, threshold), tuple(others), is_open)

    def goes(self, text_id: str, *, threshold: float | None = None) -> bool:
        """Check whether a text is removed; texts in no group are kept.

        Args:
            text_id: its id.
            threshold: as of :meth:`groups`.
        """
        if self._state.group_of.get(text_id, text_id) == text_id:
            return False
        if self._state.decided.get(text_id) is not DecidedBy.SCORE:
            return True
        if threshold is None or threshold <= self.run.threshold:
            return True
        return bool(np.float32(self._entries[text_id].score) >= np.float32(threshold))

    def counts(self, *, threshold: float | None = None) -> ReviewCounts:
        """The progress of the review."""
        several = [others for others in self._state.members.values() if others]
        decided = self._state.decided
        return ReviewCounts(
            texts=self.run.texts,
            go=sum(self.goes(one, threshold=threshold) for others in several for one in others),
            groups=len(several),
            open=sum(any(decided[one] is DecidedBy.SCORE for one in others) for others in several),
            decisions=len(self._events),
        )

    def precision_at(self, threshold: float | None = None) -> PrecisionAt | None:
        """Precision by labels at the highest labelled threshold that is no higher than this one.

        None where nothing is known. Nothing is learnt from decisions: they are no random sample.
        """
        cut = np.float32(self.run.threshold if threshold is None else threshold)
        told = [one for one in self.run.precision if np.float32(one.threshold) <= cut]
        return next((one for one in reversed(told) if one.precision is not None), None)

    def export(self, path: Path | str, *, threshold: float | None = None) -> int:
        """Write all texts of groups as a table: removed texts, those kept for them, and the decisions.

        Texts in no group are kept, and not listed. In CSV files formulas are texts.

        Returns:
            How many rows there are.

        Raises:
            UsageError: the name ends neither in .csv nor in .tsv or .jsonl.
            OutputError: it can't be written.
        """
        target = Path(path)
        check_ending(target)
        refuse_overwriting([target], [self.path, *self.run.folder.glob("removed.tsv")], param="path")
        with atomic_text(target) as stream:
            RowWriter(stream, target, COLUMNS).write(self.export_rows(threshold=threshold))
        return len(self._state.group_of)

    def export_rows(self, *, threshold: float | None = None) -> Iterator[tuple[Cell, ...]]:
        """The rows of :meth:`export`, group by group, the kept text first."""
        for group in self.groups(threshold=threshold):
            for one in (group.kept, *group.others):
                yield (
                    one.text_id,
                    "yes" if one.goes else "no",
                    group.kept.text_id if one.goes else one.text_id,
                    "" if one.decided is None else one.decided.value,
                    one.score,
                    one.text,
                )

    def write_kept(self, texts: Path | str, out: Path | str, *, threshold: float | None = None) -> int:
        """Write the kept rows of the run's file, unchanged, or of the files of its folder.

        Args:
            texts: what was deduplicated; of texts in memory, the ``texts.csv`` that the run wrote.
            out: the file to write, or the folder.
            threshold: as of :meth:`groups`.

        Returns:
            How many rows were written.

        Raises:
            UsageError: a path is none.
            DataError: it is another file, or can't be read.
            OutputError: ``out`` can't be written.
        """
        source = open_texts(a_path(texts, "texts"), reading=self.run.reading)
        target = a_path(out, "out")
        if sha256_of_files(source.files) != self.run.source_sha256:
            raise DataError(
                f"is not the {self.run.source} of the run", path=source.path, fix="give that file"
            )
        if isinstance(source, TextParts):
            written = [target / part.copied_name for part in source.parts]
            writing = atomic_files(target, last=written[-1].name)
        else:
            written, writing = [target], atomic_path(target)
        refuse_overwriting(written, [*source.files, self.path])
        known = self.run.text_of
        found = sum(known.get(name) == text for name, text in source.rows(SkipCounter(source.path)))
        if found < len(known):
            raise DataError(
                f"has other texts than the run under {len(known) - found:,} of {len(known):,} ids",
                path=source.path,
                fix="run `dedupe()` again",
            )
        gone = {one for one in self._state.group_of if self.goes(one, threshold=threshold)}
        with writing as path:
            return source.copy(path, without=gone)

    def _text(self, text_id: str, kept: str, threshold: float | None) -> ReviewedText:
        entry = self._entries.get(text_id)
        theirs = entry is not None and entry.kept_id == kept
        return ReviewedText(
            text_id=text_id,
            text=self.run.text_of[text_id],
            goes=self.goes(text_id, threshold=threshold),
            decided=self._state.decided.get(text_id),
            score=entry.score if entry is not None and theirs else None,
            why=entry.why if entry is not None and theirs else "",
        )

    def _decide(self, event: dict[str, Any]) -> None:
        with self._log.alone() as append:
            self._replay()
            self._state.apply(event)  # it changes nothing where it raises
            try:
                append({name: value for name, value in event.items() if value not in ("", [])})
            except BaseException:
                self._seen = None
                self._replay()
                raise
            self._events.append(event)
            self._seen = self._log.lines

    def _replay(self) -> None:
        """Make the groups anew where there are lines that they don't know: after all decisions that stand."""
        if self._seen == self._log.lines:
            return
        self._events = []
        for number, line in enumerate(self._log.lines, 2):
            if line.get("do") != "undo":
                self._events.append(line)
            elif self._events:
                self._events.pop()
            else:
                raise DataError("undoes what is not there", path=self.path, line=number)
        self._state = ReviewState(self.run.gone)
        for event in self._events:
            try:
                self._state.apply(event)
            except UsageError as error:
                raise DataError(f"can't be done: {error.message}", path=self.path) from error
        self._seen = self._log.lines


@checked
def review(folder: Path | str) -> DedupeReview:
    """Open a deduplication to go through its groups: accept, split and merge them.

    Args:
        folder: the folder that :func:`textkin.dedupe` wrote.

    Raises:
        DataError: it holds no deduplication, or decisions about another one.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.dedupe(samples.path("inbox.txt"), out="deduped", threshold=0.8)
        >>> review = tk.review("deduped")
        >>> group = review.groups()[0]
        >>> review.accept(group.kept.text_id)
        >>> review.counts().open, review.export("final.csv")
        (20, 42)
    """
    return DedupeReview(a_path(folder, "folder"))
