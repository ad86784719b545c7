"""Labelling in the terminal or in a browser, before ``textkin label`` prints what is proven."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.counts import count
from textkin.base.errors import UsageError, inapplicable
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.progress import show_text
from textkin.base.standard_streams import typed_lines
from textkin.cli.output import emit_text, note

if TYPE_CHECKING:
    from textkin.measures.labels.answer_file import LabelAnswer
    from textkin.verbs.label.session import LabelSession

_KEYS = "y same, n different, u unsure, z undo, q quit; a note may follow, such as: n another year"
_PORT = 8080
_ANSWERS = {"y": "same", "n": "different", "u": "unsure"}


def label_by_hand(
    session: LabelSession,
    /,
    *,
    out: Annotated[
        Path | None,
        Option("Write the labelled pairs: .tsv, .csv, .jsonl or .parquet.", metavar="FILE"),
    ] = None,
    by: Annotated[str | None, Option("Your name. Default: your login name.", metavar="NAME")] = None,
    settle: Annotated[
        bool, Option("Label the pairs on which people disagree, which settles them.", rare=True)
    ] = False,
    page: Annotated[bool, Option("Label in a browser, on this machine only.")] = False,
    port: Annotated[
        int, Option("Port of the page; 0 for a free one.", metavar="PORT", low=0, high=65_535, rare=True)
    ] = _PORT,
) -> None:
    """Ask a person for labels, and write the labelled pairs.

    Raises:
        UsageError: the table can't be written to ``out``; ``settle`` with the page; or ``port`` without.
        MissingExtraError: the page without the extra ``server``.
        OutputError: a file can't be written.
    """
    if out is not None:  # before a person has given a label
        from textkin.base.files import refuse_overwriting
        from textkin.base.table_writer import check_ending

        check_ending(out)
        refuse_overwriting([out], [session.pairs.path, session.path])
    if page:
        if settle:
            raise inapplicable("settle", to="the page, which has a button for it")
        _serve(session, port, by or "")
    else:
        if port != _PORT:
            raise inapplicable("port", to="labelling in a terminal", fix="add `page`")
        ask = _settle if settle else _label
        ask(session, by or _login())
    if out is not None:
        written, unsure = session.export(out), session.state().unsure
        left_out = f"; without {unsure:,} unsure or not settled" if unsure else ""
        note(f"{count(written, 'labelled pair')} written to {shown_output(out)}{left_out}")


def _serve(session: LabelSession, port: int, by: str) -> None:
    """Serve the page until it is stopped by Ctrl-C; labels are kept as they come."""
    from textkin.base.extras import require_server

    require_server()
    from textkin.server.log import ServerLog
    from textkin.server.served_labels import ServedLabels
    from textkin.server.server_process import ListenAddress, run
    from textkin.server.service import Service

    service = Service([], labels=ServedLabels(session, by))
    run(service, ListenAddress(port=port), log=ServerLog("errors"), started=_tell)


def _tell(port: int) -> None:
    emit_text(f"listening at http://127.0.0.1:{port}")
    sys.stdout.flush()
    note("open it in a browser to label; end with Ctrl-C")


def _label(session: LabelSession, by: str) -> None:
    """Show pairs until nothing more can be proven, or the person quits."""

    def show() -> Callable[[LabelAnswer, str], str] | None:
        if (question := session.next(by)) is None:
            return None
        _put(question.first, question.second)

        def answer(said: LabelAnswer, remark: str) -> str:
            state = session.answer(question, said, by=by, note=remark)
            return f"{state.answered:,} labelled; {state.sentence}"

        return answer

    _converse(session, by, show)


def _settle(session: LabelSession, by: str) -> None:
    """Show the pairs on which people disagree, with their labels."""
    if not session.disputes():
        note("there is no disagreement to settle")
        return

    def show() -> Callable[[LabelAnswer, str], str] | None:
        if not (disputes := session.disputes()):
            return None
        one = disputes[0]
        _put(one.first, one.second)
        for said in one.answers:
            show_text(f"  {said.by} said {said.answer}{f': {said.note}' if said.note else ''}")

        def settle(said: LabelAnswer, remark: str) -> str:
            state = session.settle(one.row, said, by=by, note=remark)
            return f"{state.disputed:,} left to settle; {state.sentence}"

        return settle

    _converse(session, by, show)


def _converse(
    session: LabelSession, by: str, show: Callable[[], Callable[[LabelAnswer, str], str] | None]
) -> None:
    """Show pairs and take replies, one per line, until none is left or the person quits."""
    from textkin.measures.labels.answer_file import LabelAnswer

    note(_KEYS)
    replies = _replies()
    while (take := show()) is not None:
        reply = next(replies, "q")
        key, _, remark = reply.partition(" ")
        if reply == "q":
            break
        if reply == "z":
            note("your last label is removed" if session.undo(by) else "you have no label to remove")
        elif key not in _ANSWERS:
            note(_KEYS)
        else:
            try:
                note(take(LabelAnswer(_ANSWERS[key]), remark.strip()))
            except UsageError as error:  # another person was faster
                note(str(error))


def _put(first: str, second: str) -> None:
    """Show a pair; on standard error, so that standard output has the result alone."""
    note("")
    show_text(f"  1  {first}")
    show_text(f"  2  {second}")


def _replies() -> Iterator[str]:
    """Read the user's replies, one per line."""
    for _, line in typed_lines(blank=True):
        yield line.lower() if len(line) == 1 else line


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
