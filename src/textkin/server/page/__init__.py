"""The server's web page: one HTML file, a style sheet besides the reports' one, a script per view."""

from functools import cache
from importlib import resources

from textkin.report.page_frame import hashes

SCRIPTS = (
    *("page.js", "common.js", "duplicates.js", "explained.js", "file.js", "keys.js", "label.js", "match.js"),
    *("phrases.js", "runs.js", "search.js", "table.js"),
)


@cache
def page_policy() -> str:
    """The page's content security policy: only the server's own files and scripts.

    A run's report is shown in a frame without an origin, under the same policy. So the style and the scripts
    of textkin's own reports are allowed by their hashes, and nothing else in it.
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
    """The reports' style sheet with the page's additions."""
    return report_style() + page_file("page.css")


@cache
def report_style() -> bytes:
    """The style sheet of this version's reports, also used for reports of other versions."""
    return resources.files("textkin.report").joinpath("style.css").read_bytes()
