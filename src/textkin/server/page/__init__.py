"""The page of a server: one file of HTML, one style beside that of reports, scripts by view."""

from __future__ import annotations

from functools import cache
from importlib import resources

from textkin.report.page_frame import hashes

SCRIPTS = ("page.js", "common.js", "duplicates.js", "label.js", "phrases.js", "runs.js")


@cache
def page_policy() -> str:
    """What a browser lets the page load: nothing from elsewhere, no script but the server's own files.

    A report of a run is shown in a frame without an origin, to which the same policy applies. So the style
    and the scripts of textkin's own reports are allowed by their hashes, and nothing else that it may hold.
    """
    style, scripts = hashes()
    return (
        f"default-src 'none'; script-src 'self' {' '.join(scripts)}; style-src 'self' {style}; "
        "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


@cache
def page_file(name: str) -> bytes:
    """A file of the page."""
    return resources.files(__package__).joinpath(name).read_bytes()


@cache
def page_style() -> bytes:
    """The style of reports, and what the page adds."""
    return report_style() + page_file("page.css")


@cache
def report_style() -> bytes:
    """The style of this version's reports, which the page gives to those of others, too."""
    return resources.files("textkin.report").joinpath("style.css").read_bytes()
