"""The command line: ``textkin COMMAND``.

Commands parse, call a verb and print. This module prints an error as one line on standard error, and gives
its exit code (see ``base/errors.py``). Streams and signals are in ``process.py``.
"""

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from textkin.base.errors import OutputError, TextkinError, UsageError
from textkin.base.printable import shortened
from textkin.base.progress import note, same_level, timed
from textkin.base.spelling import Spelling, spelling_as
from textkin.cli.completion import COMPLETE
from textkin.cli.process import Ended, drop, in_process, signals_that_end
from textkin.cli.torchrun import has_the_word, interruption, part_from_others

_BY_SIGNAL = 128  # and its number is what shells report for a process that a signal ends
_LONGEST = 4_000  # characters of a message
_DEFECT = 70  # EX_SOFTWARE of sysexits.h


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the words after the program's name; the process's own if None.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    with in_process(), spelling_as(Spelling("command")):
        try:
            with signals_that_end():
                code = _run(given)
                part_from_others()
                return code
        except KeyboardInterrupt as end:
            number = end.number if isinstance(end, Ended) else signal.SIGINT
            return _fail(interruption(number), _BY_SIGNAL + number, end)
        except BrokenPipeError:
            drop(sys.stdout)
            return _BY_SIGNAL + signal.SIGPIPE
        except TextkinError as error:
            return _fail(f"error: {error}", error.exit_code, error)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EROFS):
                return _defect(error)
            drop(sys.stdout)
            place = error.filename or "the output"
            return _fail(f"error: can't write {place}: {error.strerror}", OutputError.exit_code, error)
        except Exception as error:
            return _defect(error)


def _run(arguments: list[str]) -> int:
    _require_utf8(arguments)
    from textkin.cli.command import completing, run

    if arguments[:1] == [COMPLETE]:
        completing(arguments).app(arguments)
        return 0

    try:
        with same_level(), timed("in all"):
            run(arguments)
        code = 0
    except SystemExit as done:
        code = int(done.code or 0)
    sys.stdout.flush()
    return code


def _require_utf8(arguments: Sequence[str]) -> None:
    """Refuse what no result could name.

    Raises:
        UsageError: an argument's bytes are not UTF-8.
    """
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            said = os.fsencode(argument).decode(errors="backslashreplace")
            raise UsageError(f"the argument {said!r} is not UTF-8", fix="rename the file") from error


def _fail(message: str, code: int, error: BaseException | None = None) -> int:
    """Print the error and the notes attached to it."""
    said = "; ".join([message, *getattr(error, "__notes__", ())])
    if has_the_word():
        note(shortened(" ".join(said.splitlines()), _LONGEST))
    return code


def _defect(error: Exception) -> int:
    if os.environ.get("TEXTKIN_DEBUG") == "1":
        import traceback

        with suppress(OSError):
            traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}"
    return _fail(
        f"error: this is a defect of textkin: {what}; run again with TEXTKIN_DEBUG=1 for the traceback",
        _DEFECT,
    )
