"""HTML from small functions that can't forget to escape: only :class:`Html` passes unchanged."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from textkin.report.tables import Grid

_VOID = frozenset({"meta", "input", "circle", "line", "polyline", "polygon", "rect"})
_LONGEST_TEXT = 700
# C0 and C1 controls except tab and line ends: HTML allows none of them.
_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10, 13)
}


class Html(str):
    """A string that is already markup. Joining it with ``+`` gives a plain string, which is escaped again."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str) -> Html:
    """An element; children and attributes are escaped unless they are :class:`Html`.

    A trailing underscore of an attribute's name is dropped and inner ones become hyphens: ``class_`` and
    ``aria_label``. Void elements and empty SVG shapes are self-closing.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    if name in _VOID and not children:
        return Html(f"<{name}{given}/>")
    return Html(f"<{name}{given}>{join(children)}</{name}>")


def text(value: str) -> Html:
    """The value as markup: escaped unless it is already markup."""
    return value if isinstance(value, Html) else Html(escape(value.translate(_CONTROLS)))


def join(parts: Sequence[str], between: str = "") -> Html:
    """Concatenate parts, escaping each unless it is markup."""
    return Html(text(between).join(text(part) for part in parts))


def unbroken(value: str) -> Html:
    """The text with "95 %", "p = 0.03" and options kept on one line."""
    return whole_options(re.sub(r" (?=[%=<])|(?<=[=<]) ", "\N{NO-BREAK SPACE}", value))


def whole_options(value: str) -> Html:
    """The text with options kept whole: else lines break after their hyphens."""
    return Html(
        re.sub(r"(?<![^\s(])--?[a-z][a-z0-9-]{0,30}", r'<span class="option">\g<0></span>', text(value))
    )


def with_minus_signs(value: str) -> str:
    """A cell of numbers with minus signs for the hyphens before them."""
    return re.sub(r"(?<![^\s(])-(?=[\d.])", "\N{MINUS SIGN}", value)


def user_text(value: str, tag: str = "p") -> Html:
    """A user's text in a block with its own direction; a very long one is truncated, with a note."""
    return element(tag, *cut_text(value), dir="auto", class_="said")


def cut_text(value: str) -> tuple[str, Html]:
    """The shown part of a text, and a note on the rest, which is empty unless it is very long."""
    left_out = len(value) - _LONGEST_TEXT
    if left_out <= 0:
        return value, Html()
    return value[:_LONGEST_TEXT], element("small", f" … ({left_out:,} more characters)", class_="muted")


def grid_table(grid: Grid, *, caption: str) -> Html:
    """A table that scrolls sideways if it is too wide; number columns are right-aligned."""
    right = [all(_numeric(row[column]) for row in grid.rows) for column in range(len(grid.header))]

    def cell(column: int, value: str) -> Html:
        if right[column]:
            return element("td", with_minus_signs(value), class_="num")
        return element("td", value, class_="word")

    head = [
        element("th", name, class_="num" if number else "word", scope="col")
        for number, name in zip(right, grid.header, strict=True)
    ]
    body = [element("tr", *(cell(column, value) for column, value in enumerate(row))) for row in grid.rows]
    title = element("caption", caption)
    return scrolling(element("table", title, element("thead", element("tr", *head)), element("tbody", *body)))


def scrolling(table: Html) -> Html:
    """The table in a frame that scrolls sideways, also by keyboard."""
    frame = element("div", table, class_="scroll", tabindex="0", role="group", aria_label="table")
    return element("div", frame, class_="table")


def bullets(notes: Iterable[str]) -> Html:
    """A list of notes; nothing without any."""
    found = [element("li", whole_options(note)) for note in notes]
    return element("ul", *found, class_="notes") if found else Html()


def definitions(terms: Mapping[str, str], **attributes: str) -> Html:
    """Terms with their definitions; nothing without any."""
    pairs = ((element("dt", name), element("dd", whole_options(said))) for name, said in terms.items())
    return element("dl", *(part for pair in pairs for part in pair), **attributes) if terms else Html()


def block(parts: Iterable[Html], kind: str = "figures") -> Html:
    """Figures or tables side by side; nothing without any."""
    found = list(parts)
    return element("div", *found, class_=kind) if found else Html()


def search_field(of: str, label: str) -> Html:
    """A field that hides what has none of its words, by ``filter.js``; nothing without scripts.

    Args:
        of: a selector of what is searched.
        label: its name.
    """
    field = element("input", type="search", data_of=of, autocomplete="off")
    found = element("output", "", class_="muted small")
    return element("p", element("label", f"{label} ", field), " ", found, class_="filter", hidden="hidden")


def details(summary: str, *children: Html) -> Html:
    """A section that opens on demand."""
    return element("details", element("summary", summary), *children)


def _numeric(cell: str) -> bool:
    return not cell.strip("-") or cell.lstrip("+-< ")[:1].isdigit()
