"""The page of a server: one file of HTML, one style beside that of reports, one script."""

from __future__ import annotations

from functools import cache
from importlib import resources

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser lets the page load: nothing from elsewhere, and no script but the server's own file."""


@cache
def page_file(name: str) -> bytes:
    """A file of the page."""
    return resources.files(__package__).joinpath(name).read_bytes()


@cache
def page_style() -> bytes:
    """The style of reports, and what the page adds."""
    of_reports = resources.files("textkin.report").joinpath("style.css").read_bytes()
    return of_reports + page_file("page.css")
