"""Results of verbs on standard output: the lines that they make of themselves, or JSON."""

import sys
from collections.abc import Iterator

from textkin.base.locks import is_first_process
from textkin.base.results import Printed


def show_result(result: Printed | Iterator[Printed], *, as_json: bool) -> None:
    """Print a result, and leave with its exit code if it has one. Several are printed as they come.

    Of several processes that train together, the first one prints.

    Raises:
        SystemExit: the exit code isn't 0.
    """
    from textkin.cli.output import emit_json, emit_text, emit_tsv, note

    if not is_first_process():
        return
    if isinstance(result, Iterator):
        for one in result:
            show_result(one, as_json=as_json)
        return
    if as_json:
        emit_json(result.as_dict())
    elif (table := result.as_lines()) is not None:
        emit_tsv(*table)
        for remark in result.printed_notes():
            note(remark)
    else:
        emit_text(result.text())
    sys.stdout.flush()  # for scripts that wait for it
    if result.exit_code:
        raise SystemExit(result.exit_code)
