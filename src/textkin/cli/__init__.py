"""The command line: ``textkin COMMAND``.

Commands parse, call a task and print. Here is what surrounds them: every error is one line on standard error,
and the exit code says its kind (see ``errors.py``).
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

from textkin.errors import OutputError, TextkinError, UsageError

_INTERRUPTED = 130  # what shells report for a process that ends by SIGINT
_PIPE_CLOSED = 141  # and by SIGPIPE
_DEFECT = 70  # EX_SOFTWARE of sysexits.h


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: what follows the program's name; the process's own arguments if None.
    """
    _print_any_character()
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        return _PIPE_CLOSED
    except TextkinError as error:
        return _fail(f"error: {error}", error.exit_code)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EROFS):
            return _defect(error)
        _drop_output()
        return _fail(
            f"error: can't write {error.filename or 'the output'}: {error.strerror}", OutputError.exit_code
        )
    except Exception as error:
        return _defect(error)


def _run(arguments: list[str]) -> int:
    import typer
    from typer.main import get_command

    from textkin.cli.app import build

    arguments = _by_new_names(arguments)
    command = get_command(build(arguments))
    try:
        # Not command.main(), which would print errors in its own way.
        with command.make_context("textkin", arguments or ["--help"]) as context:
            command.invoke(context)
        code = 0
    except typer.Exit as done:
        code = done.exit_code
    except typer.TyperException as error:
        place = getattr(getattr(error, "ctx", None), "command_path", "textkin")
        message = error.format_message().replace("Value error, ", "").strip().removesuffix(".")
        raise UsageError(message, fix=f"see: {place} --help") from error
    sys.stdout.flush()
    return code


def _by_new_names(arguments: list[str]) -> list[str]:
    """What the user wrote, with a command that has got another name called by it."""
    if arguments[:1] != ["compare"] or not any(one.partition("=")[0] == "--recipes" for one in arguments):
        return arguments
    sys.stderr.write("textkin: compare --recipes is a command of its own now: textkin contest\n")
    return ["contest", *arguments[1:]]


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"textkin: {' '.join(message.splitlines())}\n")
    return code


def _defect(error: Exception) -> int:
    if os.environ.get("TEXTKIN_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}"
    return _fail(
        f"error: this is a defect of textkin: {what}; run again with TEXTKIN_DEBUG=1 for the traceback",
        _DEFECT,
    )


def _print_any_character() -> None:
    """Escape what the terminal's encoding doesn't have, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Let what is still buffered go nowhere, so that Python doesn't stumble over it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
