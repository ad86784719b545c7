"""A collection as one HTML file that searches without a server, and loads nothing."""

import base64
import gzip
from importlib import resources

from textkin.report.data_facts import Reproduction
from textkin.report.html import Html, details, element
from textkin.report.page_frame import MADE, VerdictBox, document, made_parts

_FOLDER = "one_file"
_MODULES = (
    *("contents", "hashes", "words", "stemmer", "tokens", "encoder", "filters", "fusion", "ranking"),
    *("amounts", "guards", "match", "collection", "page"),
)
"""The scripts in the order in which they need each other; a language's stemmer follows ``stemmer``."""


def search_page(title: str, line: str, contents: bytes, *, made: Reproduction, stemmer: str = "") -> str:
    """The whole page.

    Args:
        title: the title of the page and the window.
        line: a line about it.
        contents: the collection, see ``collection.one_file.payload``.
        made: how it was made.
        stemmer: the script of the language's stemmer; "" without.
    """
    packed = base64.b64encode(gzip.compress(contents, 9, mtime=0)).decode()
    header = element(
        "header", element("h1", title, dir="auto"), element("p", element("bdi", line), class_="muted")
    )
    body = Html(resources.files(__package__).joinpath(_FOLDER, "body.html").read_text(encoding="utf-8"))
    scripts = [f"{_FOLDER}/{name}.js" for name in _MODULES]
    if stemmer:
        scripts.insert(_MODULES.index("stemmer") + 1, Html(stemmer))
    return document(
        title,
        header,
        body,
        element("footer", details(MADE, *made_parts(made))),
        element("script", Html(packed), id="contents", type="application/gzip"),
        kind="search",
        verdict=VerdictBox("Search", line),
        scripts=scripts,
        styles=(f"{_FOLDER}/page.css",),
    )
