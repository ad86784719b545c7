"""``tk.label``."""

from __future__ import annotations

from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.python_inputs import a_path
from textkin.base.standard_streams import refuse_input
from textkin.measures.labels.scored_pairs import read_scored
from textkin.verbs.label.session import LabelGoal, LabelSession


@checked
def label(
    data: Path | str,
    *,
    precision: float = 0.95,
    threshold: float | None = None,
    error: float = 0.05,
    recall: bool = False,
    overlap: float = 0.0,
    answers: Path | str | None = None,
    seed: int = 0,
) -> LabelSession:
    """Begin to judge pairs until a precision is proven, or go on with it.

    Args:
        data: the path of a table with the columns score, text_a and text_b, as :func:`textkin.mine` makes it.
        precision: of the pairs from a threshold on, at least so many are the same: what is to be proven.
        threshold: the only one that is tried; None to try a few, which takes more labels.
        error: how probable a false proof may be, however often one looks and whenever one stops.
        recall: once a precision is proven, draw below its threshold, too, for a lower bound on its recall
            among the pairs of ``data``. What nobody mined is not counted. Half of ``error`` is for this.
        overlap: the share of the pairs that two people judge, each without knowing of the other.
        answers: the file that keeps answers; beside ``data`` if left out.
        seed: of the draws.

    Raises:
        UsageError: ``precision``, ``error`` or ``overlap`` is out of range, or ``data`` is standard input.
        DataError: the pairs or the answers can't be read, or the answers were begun otherwise.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), options=tk.MineOptions(top=50), out="mined.tsv")
        >>> session = tk.label("mined.tsv", precision=0.8)
        >>> question = session.next()
        >>> session.answer(question, tk.LabelAnswer.SAME).answered
        1
    """
    place = a_path(data, "data")
    refuse_input(place, "answers are kept beside the pairs, and may come from there")
    aim = LabelGoal(
        precision=precision, error=error, threshold=threshold, recall=recall, overlap=overlap, seed=seed
    )
    kept = place.with_name(place.name + ".labels.jsonl") if answers is None else answers
    return LabelSession(read_scored(place), aim, kept)
