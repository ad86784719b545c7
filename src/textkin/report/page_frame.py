"""The common frame of all pages: a self-contained file, with sections and links to them."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from textkin.report.data_facts import Reproduction
from textkin.report.html import Html, definitions, details, element, join, unbroken, whole_options

Section = tuple[str, str, Html]
"""Anchor, title and markup."""


_SCRIPTS = ("tables.js", "filter.js", "slider.js")
_STYLE, TABLES = "style.css", "tables.js"
MADE, HASHES = "How this was made", "Hashes (SHA-256)"
FIGURES = "figures"
"""The name of a page's figures, a JSON object."""
GENERATOR = "textkin"
"""The generator name in a page; its kind follows after a semicolon."""


@dataclass(frozen=True, slots=True)
class VerdictBox:
    """The answer of a report, at its top and in lists of reports.

    Attributes:
        title: the answer in a few words.
        sentence: the answer.
        more: what else readers should know at once; "" for nothing.
        good: True if the answer is that something was shown or proven.
        figures: the most important figures by name, for comparisons of reports.
    """

    title: str
    sentence: str
    more: str = ""
    good: bool = False
    figures: Mapping[str, str] = field(default_factory=dict)


def document(
    title: str,
    *body: Html,
    kind: str,
    verdict: VerdictBox | None = None,
    scripts: Sequence[str] = (TABLES,),
    styles: Sequence[str] = (),
    refresh: int | None = None,
) -> str:
    """A whole page. Style and script are allowed by their hashes, so that nothing else can apply or load.

    Args:
        title: the window title.
        body: the contents.
        kind: the kind of report, in a word, for lists of reports.
        verdict: its answer, for these lists.
        scripts: files of this package to run at the end, or code.
        styles: further style sheets of this package.
        refresh: seconds after which the page loads itself again; None for never.
    """
    style = "".join(map(_bundled, (_STYLE, *styles)))
    codes = [one if isinstance(one, Html) else _bundled(one) for one in scripts]
    about = {"generator": f"{GENERATOR}; {kind}"}
    if verdict is not None:
        about["description"] = verdict.sentence
        if verdict.figures:
            about[FIGURES] = json.dumps(dict(verdict.figures))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'; script-src "
        + " ".join(f"'{_hash(code)}'" for code in codes)
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        *([] if refresh is None else [element("meta", http_equiv="refresh", content=str(refresh))]),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        *(element("meta", name=name, content=content) for name, content in about.items()),
        element("title", title),
        element("style", Html(style)),
    )
    skip = element("a", "Skip to the content", href="#content", class_="skip")
    last = [element("script", Html(code)) for code in codes]
    whole = element(
        "html", head, element("body", skip, element("main", *body, id="content"), *last), lang="en"
    )
    return f"<!doctype html>\n{whole}\n"


def page_of(
    title: str,
    facts: Iterable[str],
    found: Iterable[tuple[str, str, Sequence[Html]]],
    *,
    kind: str,
    verdict: VerdictBox | None,
    made: Reproduction | None,
    first: Sequence[Html] = (),
    scripts: Sequence[str] = (),
) -> str:
    """A whole page: title, facts, verdict, sections with links to them, and how it was made.

    Args:
        title: the title of the page and the window.
        facts: short facts on its subject.
        found: see :func:`sections`.
        kind: as in :func:`document`.
        verdict: the answer; None without one.
        made: command, settings, hashes and versions; None if unknown.
        first: the part between the verdict and the links.
        scripts: files of this package to run at the end, besides that of tables.
    """
    parts = sections((*found, ("made", MADE, [] if made is None else made_parts(made))))
    line = join([element("bdi", each) for each in facts], " · ")
    header = element("header", element("h1", title, dir="auto"), element("p", line, class_="muted"))
    boxes = [] if verdict is None else [_verdict(verdict)]
    body = (header, *boxes, *first, contents(parts), *(part for _, _, part in parts))
    return document(title, *body, kind=kind, verdict=verdict, scripts=(TABLES, *scripts))


def made_parts(how: Reproduction) -> list[Html]:
    """Command, settings, machine, versions, hashes and recipe."""
    versions = ", ".join(f"{name} {version}" for name, version in how.versions.items())
    known = {**how.settings, "machine": how.machine, "versions": versions}
    return [
        element("pre", element("code", whole_options(how.command))) if how.command else Html(),
        definitions({term: value for term, value in known.items() if value}),
        details(HASHES, definitions(how.hashes, class_="hashes")) if how.hashes else Html(),
        details("The recipe", element("pre", element("code", how.recipe))) if how.recipe else Html(),
    ]


def _verdict(verdict: VerdictBox) -> Html:
    return element(
        "section",
        element("p", verdict.title, class_="kind"),
        element("p", unbroken(verdict.sentence), class_="sentence"),
        element("p", unbroken(verdict.more)) if verdict.more else Html(),
        class_="verdict good" if verdict.good else "verdict",
        aria_label="verdict",
    )


def hashes() -> tuple[str, tuple[str, ...]]:
    """The hashes of style and scripts of this version's pages, for a policy."""
    return f"'{_hash(_bundled(_STYLE))}'", tuple(f"'{_hash(_bundled(name))}'" for name in _SCRIPTS)


def sections(found: Iterable[tuple[str, str, Sequence[Html]]]) -> list[Section]:
    """The sections (anchor, title, content) with any content."""
    return [
        (anchor, title, element("section", element("h2", title), *children, id=anchor))
        for anchor, title, children in found
        if any(children)
    ]


def contents(parts: Sequence[Section]) -> Html:
    """Links to the sections, if there are several."""
    if len(parts) < 2:
        return Html()
    links = [element("a", title, href=f"#{anchor}") for anchor, title, _ in parts]
    return element("nav", *links, aria_label="contents")


def _bundled(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(code: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
