"""``textkin measure --squad``: its options, and how its figures are printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, final

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, emit_tsv, note

if TYPE_CHECKING:
    from textkin.kinds.squad_measures import MeasuredSpans, SpanFigure

Squad = Annotated[
    bool,
    Option(
        "Measure predictions for SQuAD data: by the rules of 2.0 if a question is impossible.", flag="--squad"
    ),
]
NoAnswerFile = Annotated[
    Path | None,
    Option("SQuAD 2.0: probabilities of no answer by id, as JSON.", flag="--na-prob", metavar="FILE"),
]
NoAnswerThreshold = Annotated[
    float | None,
    Option("SQuAD 2.0: above it the answer is none; 1 if left out.", flag="--na-threshold", metavar="F"),
]
ThresholdFrom = Annotated[
    tuple[Path, Path, Path] | None,
    Option(
        "SQuAD 2.0: other questions to choose a threshold on; figures there stand beside.",
        flag="--threshold-from",
        metavar="DATA PREDICTIONS NA_PROB",
    ),
]
GroupBy = Annotated[
    Literal["paragraph", "article"] | None,
    Option("SQuAD: which questions are drawn together; paragraph if left out.", flag="--group-by"),
]


@final
@dataclass(frozen=True, slots=True)
class SpanOptions:
    """What only SQuAD predictions are measured with."""

    na_prob: NoAnswerFile = None
    na_threshold: NoAnswerThreshold = None
    threshold_from: ThresholdFrom = None
    group_by: GroupBy = None


class Resampling(NamedTuple):
    """How often, and from which seed, questions are drawn."""

    resamples: int
    seed: int


def measure_squad(
    data: Path,
    predictions: Path,
    asked: SpanOptions,
    drawn: Resampling,
    *,
    per_query: bool,
    as_json: bool,
) -> None:
    """Measure the predictions and print what they score."""
    from textkin.kinds.pair_figures import Sampling
    from textkin.verbs.evaluate.measure_spans import measure_spans

    found = measure_spans(
        predictions,
        gold=data,
        no_answer=asked.na_prob,
        threshold=asked.na_threshold,
        threshold_from=asked.threshold_from,
        by=asked.group_by or "paragraph",
        sampling=Sampling(drawn.resamples, seed=drawn.seed),
    )
    for line in found.warnings():
        note(f"warning: {line}")
    if as_json:
        emit_json(_object(found, per_query=per_query))
    elif per_query:
        emit_tsv(("figure", "question", "value"), _lines(found))
    else:
        emit_table(("figure", "value", "95 % interval", ""), [_row(one) for one in found.figures])
        emit_text(f"\n{found.counts()}")


def _object(found: MeasuredSpans, *, per_query: bool) -> dict[str, Any]:
    """The official script's own object, and under further names what it doesn't tell."""
    told: dict[str, Any] = {
        **found.official,
        "version": found.version,
        "questions": found.questions,
        "groups": found.groups,
        "missing": found.missing,
        "unknown": found.unknown,
        "figures": found.figures,
    }
    return told | {"per_question": found.per_question()} if per_query else told


def _lines(found: MeasuredSpans) -> Iterator[tuple[str, str, str]]:
    for question, values in found.per_question().items():
        for name, value in values.items():
            yield name, question, repr(value)
    for one in found.figures:
        yield one.name, "all", repr(one.value)


def _row(one: SpanFigure) -> tuple[str, str, str, str]:
    ends = "" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
    return one.name, repr(one.value), ends, one.note
