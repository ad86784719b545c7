"""``label``: label pairs until a precision is proven."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Seed

if TYPE_CHECKING:
    from textkin.verbs.label.session import LabelSession

ScoredPairs = Annotated[
    Any,
    Option(
        "Table with the columns score, text_a and text_b, as mine and match write it.",
        metavar="PAIRS",
        command=Path,
        python="Or the result of these, a frame, or triples (text, text, score).",
    ),
]
Precision = Annotated[
    float, Option("Precision to prove, the fraction of duplicates at or above a threshold.", metavar="SHARE")
]
Threshold = Annotated[
    float | None,
    Option("Prove it at this threshold. Finding a threshold takes more labels.", metavar="SCORE"),
]
Recall = Annotated[
    bool, Option("Then also prove a lower bound on the recall, among the pairs of the table.", rare=True)
]
Overlap = Annotated[
    float, Option("Fraction of the pairs that two people label.", metavar="SHARE", low=0, high=1, rare=True)
]
Error = Annotated[float, Option("Maximum probability of a false proof.", metavar="SHARE", rare=True)]
Answers = Annotated[
    Path | str | None,
    Option("File that keeps the labels. Default: PAIRS.labels.jsonl.", metavar="FILE", command=Path),
]


@verb
def label(
    pairs: ScoredPairs,
    /,
    *,
    precision: Precision = 0.95,
    threshold: Threshold = None,
    recall: Recall = False,
    overlap: Overlap = 0.0,
    error: Error = 0.05,
    answers: Answers = None,
    seed: Seed = 0,
) -> LabelSession:
    """Label pairs until a precision is proven.

    Pairs are drawn at random and shown without their scores. Each label is saved at once, and the same call
    resumes. The proof holds at any time: however often you look, the probability that it is false is at most
    `error`.

    Several people may label one table. A pair on which they disagree counts as unsure, and so against the
    goal, until someone settles it.

    Returns:
        :class:`LabelSession`: ask it for the next pair, and give it the answer.

    Raises:
        UsageError: a number is out of range, or the table is standard input.
        DataError: the table or the labels can't be read, or the labels are of another goal.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> session = tk.label(tk.mine(samples.path("inbox.txt"), top=50), precision=0.8)
        >>> session.answer(session.next(), "same").answered
        1
    """
    from textkin.data.readers.read_report import note_read
    from textkin.verbs.label.scored_input import answers_beside, scored_from
    from textkin.verbs.label.session import LabelGoal, LabelSession

    goal = LabelGoal(
        precision=precision, error=error, threshold=threshold, recall=recall, overlap=overlap, seed=seed
    )
    scored = scored_from(pairs)
    note_read(scored.read)
    return LabelSession(scored, goal, answers_beside(scored) if answers is None else answers)
