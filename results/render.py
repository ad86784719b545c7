"""Pages from results: one a subject, and an index."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from results import ROOT
from results.entries import DataSet, Entry, Subject, Table, WrongResult, cell

PAGES = ROOT / "docs/results"
WIDTH = 100
MADE = "<!-- Made of results/{name} by `python3 dev.py results`: change that. -->"
STALE = "†"
TAKEN = "= "  # begins a cell that another page has: "= page / entry / row / column"
_INDEX = (
    "Every figure here was measured by the command on its page. Intervals are 95 % intervals "
    "over connected components of pairs, or over queries. Those that were recorded before commit "
    "20891e8 are percentiles of the bootstrap, which are too narrow with few groups and hardly "
    "differ with hundreds. p values come from a paired randomisation test with 10,000 rounds and are "
    "corrected by Holm over the table, unless a page says otherwise. The data sets are not part of "
    "textkin. A "
    "commit is the one that the figures were measured at, or that first recorded them. Rows with "
    f"{STALE} were measured before a change that may move them."
)


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def render(subjects: Sequence[Subject]) -> dict[str, str]:
    """The text of every page by its name."""
    entries = {(subject.name, entry.title): entry for subject in subjects for entry in subject.entries}
    pages = {f"{subject.name}.md": _page(subject, entries) for subject in subjects}
    return {"index.md": _index(subjects), **pages}


def write_pages(subjects: Sequence[Subject], folder: Path = PAGES) -> list[Path]:
    """Write all pages, remove those of subjects that are gone, and return the paths written."""
    pages = render(subjects)
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]


def _index(subjects: Sequence[Subject]) -> str:
    rows, links = [], []
    entries = [(subject, entry) for subject in subjects for entry in subject.entries if entry.index]
    for number, (subject, entry) in enumerate(entries, 1):
        asked, answer, figure = entry.index
        rows.append(f"| [{asked}][{number}] | {answer} | {figure} |")
        links.append(f"[{number}]: {subject.name}.md#{slug(entry.title)}")
    head = ["| asked | answer | figure (95 % interval) |", "|---|---|---|"]
    blocks = ["# Results", MADE.format(name="*.toml"), _wrapped(_INDEX), "\n".join([*head, *rows])]
    listed = [f"- [{subject.title}]({subject.name}.md)" for subject in subjects]
    return "\n\n".join([*blocks, "\n".join(links), "## All pages", "\n".join(listed)]) + "\n"


def _page(subject: Subject, entries: Mapping[tuple[str, str], Entry]) -> str:
    links: dict[str, int] = {}
    blocks = [f"# {subject.title}", MADE.format(name=f"{subject.name}.toml")]
    if subject.about:
        blocks.append(_wrapped(subject.about))
    for entry in subject.entries:
        blocks += _entry(replace(entry, tables=tuple(_filled(each, entries, links) for each in entry.tables)))
    if links:
        blocks.append("\n".join(f"[{number}]: {target}" for target, number in links.items()))
    return "\n\n".join([*blocks, "[All results](index.md)"]) + "\n"


def _filled(table: Table, entries: Mapping[tuple[str, str], Entry], links: dict[str, int]) -> Table:
    """The table with the figures that cells take from other pages; ``links`` grows by the places."""
    return replace(
        table, rows=tuple(tuple(_figure(text, entries, links) for text in row) for row in table.rows)
    )


def _figure(text: str, entries: Mapping[tuple[str, str], Entry], links: dict[str, int]) -> str:
    if not text.startswith(TAKEN):
        return text
    page, title, row, column = (text.removeprefix(TAKEN).split(" / ") + [""] * 4)[:4]
    entry = entries.get((page, title))
    figure = cell(entry.tables, row, column) if entry else ""
    if entry is None or not figure:
        raise WrongResult(f"{text} leads to no figure")
    number = links.setdefault(f"{page}.md#{slug(title)}", len(links) + 1)
    old = any(row in stale.rows or not stale.rows for stale in entry.stale)
    return f"[{figure}{f' {STALE}' if old else ''}][{number}]"


def _entry(entry: Entry) -> Iterator[str]:
    yield f"## {entry.title}"
    yield _wrapped(f"**Asked:** {entry.question}")
    yield _wrapped(f"**Answer:** {entry.answer}")
    if entry.commands:
        yield f"```console\n{entry.commands}\n```"
    yield from map(_wrapped, entry.protocol)
    old = {name for stale in entry.stale for name in stale.rows}
    for table in entry.tables:
        if table.title:
            yield _wrapped(table.title)
        yield from _table(table, old)
    for file, shows in entry.pictures:
        yield f"![{shows}]({file})"
    for stale in entry.stale:
        what = f"{STALE} Measured" if stale.rows else "All of it was measured"
        yield _wrapped(f"{what} before {stale.commit}: {stale.reason}")
    yield from map(_wrapped, entry.notes)
    if entry.tried:
        yield "Tried, without a command that repeats it, so no result:"
        yield "\n".join(_wrapped(text, bullet="- ") for text in entry.tried)
    if entry.machine:
        yield "\n".join(_setting(entry))


def _setting(entry: Entry) -> Iterator[str]:
    yield _wrapped(f"Machine: {entry.machine}.", bullet="- ")
    if entry.commit:
        yield f"- Commit: {entry.commit}."
    for data in entry.data:
        yield from _data_set(data)


def _data_set(data: DataSet) -> Iterator[str]:
    yield _wrapped(f"Data: {f'`{data.name}` is ' if data.name else ''}{data.words}.", bullet="- ")
    for name, digest in data.files.items():
        yield _wrapped(f"`{name}`, SHA-256 {digest[:16]}...", bullet="  - ")


def _table(table: Table, old: Iterable[str]) -> Iterator[str]:
    """The table, in several parts with the same first columns where it is wider than a line."""
    rows = [(f"{row[0]} {STALE}", *row[1:]) if row[0] in old else row for row in table.rows]
    keys = tuple(range(table.keys))
    part = keys
    for column in range(table.keys, len(table.columns)):
        wider = (*part, column)
        if part != keys and max(len(_row(row, wider)) for row in (table.columns, *rows)) > WIDTH:
            yield _lines(table.columns, rows, part)
            part = (*keys, column)
        else:
            part = wider
    yield _lines(table.columns, rows, part)


def _lines(columns: Sequence[str], rows: Sequence[Sequence[str]], part: Sequence[int]) -> str:
    rule = "|" + "---|" * len(part)
    return "\n".join([_row(columns, part), rule, *(_row(row, part) for row in rows if _counts(row, part))])


def _counts(row: Sequence[str], part: Sequence[int]) -> bool:
    """Whether a row has any figure in these columns, which need not be so in a part of a table."""
    return len(part) == len(row) or any(row[column] for column in part[1:])


def _row(cells: Sequence[str], part: Sequence[int]) -> str:
    return "| " + " | ".join(cells[column] for column in part) + " |"


def _wrapped(text: str, *, bullet: str = "") -> str:
    """A paragraph of lines of at most ``WIDTH`` characters, none of which begins like another block."""
    glued = re.sub(r" (?=([-+*>#|]|\d+[.)])( |$))", "\0", " ".join(text.split()))
    lines = textwrap.wrap(
        glued,
        WIDTH,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")
