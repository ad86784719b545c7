"""The process of a command as one of several that torchrun started."""

import signal
import sys

from textkin.base.locks import is_first_process, is_one_of_several


def has_the_word() -> bool:
    """Check whether this process reports the error for all of them."""
    if not is_one_of_several():
        return True
    try:
        from textkin.training import distributed as together
    except ImportError:  # there is no torch, which each of them is about to say
        return is_first_process()
    return together.has_the_word()


def part_from_others() -> None:
    """Wait for the other processes of a training, and leave their group."""
    if is_one_of_several() and "torch" in sys.modules:
        from textkin.training import distributed as together

        together.leave()


def interruption(number: int) -> str:
    """The reason for ending after a signal."""
    if is_one_of_several() and number == signal.SIGTERM:
        return "interrupted: another process of this training failed, or torchrun was stopped"
    return "interrupted"
