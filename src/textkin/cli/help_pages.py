"""Help as two columns of plain text, for every terminal, screen reader and pipe."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any

from textkin.base.spelling import spelt

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel

_WIDEST = 100  # characters of a line
_LEFT = 26  # characters of the left column
_HELP = ("--help", "-h")


class HelpPages:
    """Formatter of cyclopts that writes help pages.

    cyclopts hands over a console of rich, which isn't used: escapes and boxes don't help a reader of a pipe.
    """

    def __call__(self, console: Any, options: Any, panel: HelpPanel) -> None:
        """Write one panel: its heading and its entries."""
        entries = [entry for entry in panel.entries if entry.display_labels[:1] != _HELP[:1]]
        if not entries:
            return
        lines = [f"{_text(panel.title)}:"]
        widest = max(len(", ".join(entry.display_labels_with_metavar)) for entry in entries)
        for entry in entries:
            lines += _entry(entry, left=min(_LEFT, widest + 2))
        sys.stdout.write("\n" + "\n".join(lines) + "\n")

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Write the line that shows how to call it."""
        sys.stdout.write(f"Usage: {_text(usage).strip()}\n" if usage else "")

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Write the help's paragraphs; lines that are set by hand keep their breaks."""
        said = _text(description).strip()
        paragraphs = [each if "\n  " in each else fill(each, _width()) for each in said.split("\n\n")]
        sys.stdout.write("\n" + "\n\n".join(paragraphs) + "\n" if said else "")


def _entry(entry: HelpEntry, *, left: int) -> list[str]:
    names = ", ".join(entry.display_labels_with_metavar)
    notes = [] if entry.choices is None else [f"[{'|'.join(entry.choices)}]"]
    if entry.default is not None:
        notes.append(f"[default: {entry.default}]")
    elif entry.required and not entry.positional_label:
        notes.append("[required]")
    text = " ".join([_text(entry.description), *notes])
    lines = wrap(text, _width() - left - 2, break_on_hyphens=False, break_long_words=False)
    if len(names) > left - 2:
        return [f"  {names}", *(f"  {'':{left}}{line}" for line in lines)]
    first, *rest = lines or [""]
    return [f"  {names:{left}}{first}".rstrip(), *(f"  {'':{left}}{line}" for line in rest)]


def _text(value: Any) -> str:
    """The words of what cyclopts shows, which it may have wrapped for rich, with options spelt."""
    inner = getattr(value, "primary_renderable", value)
    return spelt(str(getattr(inner, "plain", inner) or ""))


def _width() -> int:
    return min(get_terminal_size((80, 24)).columns, _WIDEST)
