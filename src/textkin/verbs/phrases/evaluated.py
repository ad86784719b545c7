"""Figures of an index of phrases: its answers out of all passages, and its recall."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from textkin.base.errors import UsageError
from textkin.base.progress import progress
from textkin.base.results import Result, ResultRow
from textkin.data.readers.datasets.squad import is_squad, read_squad
from textkin.data.span_records import SpanSet
from textkin.kinds.squad_measures import MeasuredSpans, SpanPredictions, measure_predictions
from textkin.measures.intervals.sampling import Sampling
from textkin.vectors.index.recall import MeasuredRecall
from textkin.verbs.phrases.indexing import AskedIndex, questions_of

Side = Literal["below", "within", "above"]

_AT_ONCE = 64


@dataclass(frozen=True, slots=True, repr=False)
class EvaluatedPhrases(Result):
    """Figures of an index of phrases.

    Attributes:
        answers: exact match and F1 of the best phrases of all passages; None for questions without answers.
        stated: the recall when the index was built, by depth; empty for exact search.
        measured: the recall on these questions, by the same depths; empty if it can't be measured.
    """

    answers: MeasuredSpans | None
    stated: tuple[MeasuredRecall, ...]
    measured: tuple[MeasuredRecall, ...]

    def sides(self) -> list[Side]:
        """The side of the stated interval on which each measured recall lies, by depth; below is worse."""
        return [
            "below"
            if other.share.value < one.share.low
            else "above"
            if other.share.value > one.share.high
            else "within"
            for one, other in zip(self.stated, self.measured, strict=False)
        ]

    def _rows(self) -> Iterator[ResultRow]:
        if self.answers is not None:
            yield from self.answers.rows()
        for name, found in (("stated", self.stated), ("measured", self.measured)):
            for one in found:
                bounds = {"value": one.share.value, "low": one.share.low, "high": one.share.high}
                yield {"figure": f"recall@{one.depth} {name}", **bounds, "note": one.of}

    def text(self) -> str:
        """The figures of the answers, and each stated recall beside the measured one."""
        lines = [] if self.answers is None else [self.answers.text()]
        lines += ["exact search"] if not self.stated else []
        for place, one in enumerate(self.stated):
            lines.append(f"stated    {one.sentence()}")
            if place < len(self.measured):
                other, side = self.measured[place], self.sides()[place]
                lines.append(f"measured  {other.sentence()}, {side} the stated interval")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The figures of the answers, the recall and its sides."""
        stated, measured = ([one.as_json() for one in some] for some in (self.stated, self.measured))
        answers = None if self.answers is None else self.answers.as_dict()
        return {"answers": answers, "stated": stated, "measured": measured, "sides": self.sides()}


def evaluate_phrases(
    index: Path,
    questions: Any,
    *,
    model: str | None,
    text: str | int | Sequence[str] | None,
    sampling: Sampling,
) -> EvaluatedPhrases:
    """Measure an index on questions.

    Raises:
        UsageError: there is nothing to measure.
        DataError: a file can't be read, or the folder is no index.
        ModelError: the encoder isn't at its place.
    """
    gold = questions if isinstance(questions, SpanSet) else None
    if isinstance(questions, str | Path) and is_squad(Path(questions)):
        gold = read_squad(questions, every=True).data
    asked_texts = questions_of(questions, text) if gold is None else [one.question for one in gold.questions]
    with AskedIndex(index, model=model) as asked:
        recall, keeps_vectors = asked.index.recall, asked.index.options.keeps_vectors
        if gold is None and not (recall and keeps_vectors):
            why = "searched exactly" if keeps_vectors else "without the vectors to search exactly"
            raise UsageError(
                f"{index} is {why}, so questions without answers measure nothing",
                fix="give questions of SQuAD",
                params=("questions",),
            )
        answers = None
        if gold is not None:
            found = _answers(asked, asked_texts)
            ids = [one.question_id for one in gold.questions]
            said = SpanPredictions(gold, dict(zip(ids, found, strict=True)), None)
            answers = measure_predictions(said, sampling=sampling)
        return EvaluatedPhrases(answers, recall, asked.measured(asked_texts))


def _answers(index: AskedIndex, questions: Sequence[str]) -> list[str]:
    """The best phrase of all passages for each question; "" for no answer."""
    found: list[str] = []
    with progress("questions", total=len(questions)) as shown:
        for start in range(0, len(questions), _AT_ONCE):
            some = index.ask(questions[start : start + _AT_ONCE], 1)
            found += ["" if one.is_none else one.hits[0].phrase for one in some]
            shown.advance(len(some))
    return found
