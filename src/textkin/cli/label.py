"""``textkin label``."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.standard_streams import typed_lines
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_read
from textkin.cli.shared_options import AsJson
from textkin.measures.decisions.goal import Aim, Goal

if TYPE_CHECKING:
    from textkin.measures.labels.answer_file import LabelAnswer
    from textkin.verbs.label.progress import LabelState
    from textkin.verbs.label.session import LabelSession

EXAMPLES = """
textkin label mined.tsv --goal precision=0.95
textkin label mined.tsv --goal precision=0.95 --threshold 0.82 --out labelled.tsv
textkin label mined.tsv --goal precision=0.95 --recall --page
textkin label mined.tsv --goal precision=0.95 --overlap 0.2 --by ann
textkin label mined.tsv --goal precision=0.95 --overlap 0.2 --by ann --settle
"""

_KEYS = "y the same, n not the same, u unsure, b back, q leave"


def command(
    pairs: Annotated[
        Path,
        Option("Table with the columns score, text_a and text_b, such as mine writes.", metavar="PAIRS"),
    ],
    /,
    *,
    goal: Annotated[
        str, Option("Goal to prove, such as precision=0.95.", metavar="precision=SHARE")
    ] = "precision=0.95",
    threshold: Annotated[
        float | None,
        Option("Prove it at this threshold. Finding a threshold takes more labels.", metavar="SCORE"),
    ] = None,
    recall: Annotated[
        bool,
        Option("Once a precision is proven, also prove a lower bound on the recall among these pairs."),
    ] = False,
    overlap: Annotated[
        float,
        Option(
            "Fraction of the pairs that two people label independently.",
            metavar="SHARE",
        ),
    ] = 0.0,
    settle: Annotated[
        bool,
        Option("Label the pairs on which people disagree."),
    ] = False,
    error: Annotated[float, Option("Maximum probability of a false proof.", metavar="SHARE")] = 0.05,
    answers: Annotated[
        Path | None,
        Option("File of labels. Default: PAIRS with .labels.jsonl.", metavar="FILE"),
    ] = None,
    out: Annotated[
        Path | None,
        Option("File for the labelled pairs: .tsv, .csv, .jsonl or .parquet.", metavar="FILE"),
    ] = None,
    by: Annotated[str | None, Option("Annotator. Default: your login name.", metavar="NAME")] = None,
    page: Annotated[bool, Option("Label in a browser, on this machine only.")] = False,
    port: Annotated[
        int, Option("Port of the page; 0 for a free one.", metavar="PORT", low=0, high=65_535)
    ] = 8080,
    seed: Annotated[int, Option("Random seed.", low=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Label pairs until a precision is proven.

    Pairs are drawn at random and shown without their scores. Each answer
    updates the proof. The test is valid at any time: of a hundred sessions
    at most five ever prove a precision that is not there. Answers are saved
    at once, and the same command resumes the session.

    Several people may label one file, in turn. Pairs on which they disagree
    count as unsure, and so against the goal, until someone settles them.
    """
    from textkin.verbs.label.progress import fields_of
    from textkin.verbs.label.session import label

    session = label(
        pairs,
        precision=_precision(goal),
        threshold=threshold,
        error=error,
        recall=recall,
        overlap=overlap,
        answers=answers,
        seed=seed,
    )
    note_read(session.pairs.read)
    if page:
        _serve(session, port)
    elif settle:
        _settle(session, by or _login())
    else:
        _ask(session, by or _login())
    state, agreement = session.state(), session.agreement()
    if out is not None:
        note(f"{session.export(out):,} judged pairs written to {shown_output(out)}")
    if as_json:
        emit_json({**fields_of(state), "agreement": None if agreement is None else agreement.fields()})
        return
    _show(state)
    if agreement is not None:
        emit_text(agreement.sentence)


def _precision(goal: str) -> float:
    """The precision of a goal.

    Raises:
        UsageError: it is another one.
    """
    found = Goal.parse(goal)
    if found.aim is not Aim.PRECISION or found.level is None:
        raise UsageError(f"the goal {goal!r} can't be proven by labels", fix="write precision=0.95")
    return found.level


def _serve(session: LabelSession, port: int) -> None:
    """Serve the page until it is stopped by Ctrl-C; answers are kept as they come."""
    from textkin.base.extras import require_server

    require_server()
    from textkin.server.served_labels import ServedLabels
    from textkin.server.server_process import Address, run
    from textkin.server.service import Service

    service = Service([], labels=ServedLabels(session))
    run(service, Address(port=port), log="errors", started=_tell)


def _tell(port: int) -> None:
    emit_text(f"listening at http://127.0.0.1:{port}")
    sys.stdout.flush()
    note("open it in a browser to judge; end with Ctrl-C")


def _ask(session: LabelSession, by: str) -> None:
    """Show pairs until nothing more can be proven, or the person leaves."""
    note(_KEYS)
    replies = _replies()
    while (question := session.next(by)) is not None:
        _put(question.first, question.second)
        reply = next(replies, "q")
        if reply == "q":
            break
        if reply == "b":
            note("your last answer is taken back" if session.undo(by) else "you have no answer to take back")
            continue
        if (said := _answer(reply)) is None:
            continue
        try:
            state = session.answer(question, said[0], by=by, note=said[1])
        except UsageError as error:  # another annotator has answered it meanwhile
            note(str(error))
            continue
        note(f"{state.answered:,} judged: {state.sentence}")


def _settle(session: LabelSession, by: str) -> None:
    """Show the pairs on which annotators disagree, with their labels."""
    if not session.disputes():
        note("there is no disagreement to settle")
        return
    note(_KEYS)
    replies = _replies()
    while disputes := session.disputes():
        one = disputes[0]
        _put(one.first, one.second)
        for said in one.answers:
            words = f"{said.answer}: {said.note}" if said.note else f"{said.answer}"
            note(f"  {said.by} said {words}")
        reply = next(replies, "q")
        if reply == "q":
            break
        if reply == "b":
            note("your last answer is taken back" if session.undo(by) else "you have no answer to take back")
            continue
        if (settled := _answer(reply)) is None:
            continue
        try:
            state = session.settle(one.row, settled[0], by=by, note=settled[1])
        except UsageError as error:  # another annotator has settled it meanwhile
            note(str(error))
            continue
        note(f"{state.disputed:,} left to settle: {state.sentence}")


def _answer(reply: str) -> tuple[LabelAnswer, str] | None:
    """The answer that was typed and its note; None, with a message, if it is no valid answer."""
    from textkin.measures.labels.answer_file import LabelAnswer

    keys = {"y": LabelAnswer.SAME, "n": LabelAnswer.DIFFERENT, "u": LabelAnswer.UNSURE}
    said, _, remark = reply.partition(" ")
    if said not in keys:
        note(_KEYS)
        return None
    return keys[said], remark.strip()


def _put(first: str, second: str) -> None:
    """Show a pair; on standard error, so that standard output has the result alone."""
    note("")
    note(f"  1  {first}")
    note(f"  2  {second}")


def _replies() -> Iterator[str]:
    """Read the user's replies, one per line."""
    for _, line in typed_lines(blank=True):
        yield line.lower() if len(line) == 1 else line


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _show(state: LabelState) -> None:
    header = ["from score", "pairs", "labels", "same", "proven precision", "goal proven"]
    rows = [
        [
            f"{one.threshold:.4f}",
            f"{one.pairs:,}",
            f"{one.labels:,}",
            f"{one.same:,}",
            f"{one.least:.3f}",
            "yes" if one.proven else "no",
            *([] if one.recall is None else [f"{one.recall:.3f}"]),
        ]
        for one in state.thresholds
    ]
    bounded = any(one.recall is not None for one in state.thresholds)
    emit_table((*header, "proven recall in the file") if bounded else header, rows)
    emit_text(state.sentence)
