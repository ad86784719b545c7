"""Two texts side by side, with their differing words marked."""

import re
from difflib import SequenceMatcher

from textkin.report.html import Html, cut_text, element, join

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST = 400  # words of a text; longer ones are shown unmarked


def two_texts(one: str, other: str) -> Html:
    """Both texts in separate blocks, with differences marked if they share anything."""
    return element("div", *_marked(one, other), class_="two")


Spans = list[tuple[int, int]]
"""Start and end of parts of a text, in characters."""


def differing(one: str, other: str) -> tuple[Spans, Spans]:
    """The parts unique to each of two texts; nothing if they share no word, or have very many."""
    places = [[found.span() for found in _TOKEN.finditer(text)] for text in (one, other)]
    words = [
        [text[start:end].casefold() for start, end in spans]
        for text, spans in zip((one, other), places, strict=True)
    ]
    marks: tuple[Spans, Spans] = ([], [])
    if max(map(len, words)) <= _MOST:
        codes = SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes()
        if any(code[0] == "equal" for code in codes):
            for kind, start, end, other_start, other_end in codes:
                for side, first, last in ((0, start, end), (1, other_start, other_end)):
                    if kind != "equal" and last > first:
                        marks[side].append((places[side][first][0], places[side][last - 1][1]))
    return marks


def _marked(one: str, other: str) -> tuple[Html, Html]:
    shown = [cut_text(text) for text in (one, other)]
    marks = differing(shown[0][0], shown[1][0])
    blocks = (
        element("p", _with_marks(text, spans), rest, dir="auto", class_="said")
        for (text, rest), spans in zip(shown, marks, strict=True)
    )
    first_block, second_block = blocks
    return first_block, second_block


def _with_marks(text: str, spans: Spans) -> Html:
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts += [text[last:start], element("mark", text[start:end])]
        last = end
    return join([*parts, text[last:]])
