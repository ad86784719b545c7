import base64
import dataclasses
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.report.example import bare_report, errors, full_report, verdict
from textkin.report.content import (
    Epoch,
    Estimate,
    LabelCurve,
    PrecisionRecall,
    PrecisionRecallCurve,
    ScoredPair,
    StudyReport,
    SystemRow,
    Systems,
    TrainingCurve,
    VerdictKind,
    WorstErrors,
)
from textkin.report.study_page import page

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=y></title></style>\u202eabc\x00\x1b[31m"
VOID = {"meta", "br", "img", "link", "input", "hr", "wbr"}
ELEMENTS = """
    html head meta title style body main header h1 h2 h3 p bdi section nav a div small strong span ul ol li
    dl dt dd table caption thead tbody tr th td figure figcaption details summary pre code b
    svg g line polyline polygon rect circle text mark script
"""
ALLOWED = set(ELEMENTS.split())
OPTIONAL = [
    field.name
    for field in dataclasses.fields(StudyReport)
    if field.default is not dataclasses.MISSING and field.name != "seeds"
]


class Outline(HTMLParser):
    """Checks that every element is closed by its own end tag, and collects the page's text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.texts: list[str] = []  # user texts, a string for each block
        self.depth = 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        if dict(attributes).get("class") == "said":
            self.texts.append("")
            self.depth = len(self.open)

    def handle_startendtag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names))
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        self.depth = 0 if len(self.open) == self.depth else self.depth
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.depth and len(self.open) - (self.open[-1] == "mark") == self.depth:
            self.texts[-1] += data

    @property
    def said(self) -> str:
        return " ".join(self.words)


@pytest.fixture(scope="module")
def html() -> str:
    return page(full_report())


def test_every_element_is_known_and_closed(html):
    outline = Outline(html)
    assert html.startswith("<!doctype html>\n<html")
    assert {tag for tag, _ in outline.tags} <= ALLOWED
    anchors = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    links = [attributes["href"] for _, attributes in outline.tags if "href" in attributes]
    assert links == [f"#{anchor}" for anchor in anchors]  # the first one skips to the content
    assert len(anchors) == len(set(anchors)) == 12
    assert outline.tags[[tag for tag, _ in outline.tags].index("body") + 1][1]["class"] == "skip"


def test_nothing_is_loaded(html):
    assert "http://" not in html
    assert "https://" not in html
    assert not re.search(r"url\(|@import|<link|<img|<script |<iframe| src=| style=| on\w+=", html)


def test_the_policy_allows_the_style_and_the_script_and_nothing_else(html):
    outline = Outline(html)
    policy = next(a["content"] for _, a in outline.tags if a.get("http-equiv") == "Content-Security-Policy")
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    ran = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        f"script-src 'sha256-{ran}'"
    )
    assert outline.tags[2] == ("meta", {"charset": "utf-8"})


def test_every_table_has_a_caption_and_heads_to_sort_by(html):
    tables = re.findall("<table[^>]*>(.*?)</table>", html, re.DOTALL)
    assert len(tables) > 8
    for table in tables:
        assert re.match("<caption>[^<]+</caption><thead>", table)
        assert table.count("<tbody>") == 1


def test_every_plot_has_words_and_data(html):
    outline = Outline(html)
    drawings = [attributes for tag, attributes in outline.tags if tag == "svg"]
    shown = [attributes for attributes in drawings if attributes.get("aria-hidden") != "true"]
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in shown)
    figures = [tag for tag, _ in outline.tags if tag == "figure"]
    assert len(figures) == html.count("The data of this plot") == 5


def test_what_matters_is_said(html):
    said = Outline(re.sub("</?mark>", "", html)).said
    for words in (
        "siamese-lstm beats TF-IDF by 0.041 AP",
        "Test set: 4,667 pairs, in 3,981 independent groups.",
        "The minimum detectable difference is about 0.015 AP.",
        "That costs recall: 0.310 there rather than 0.402 at the threshold whose estimate reaches it.",
        "How do I reset my router?",
        "ما هي عاصمة فرنسا؟",
        "🏊",
        "textkin study quora_duplicate_questions.tsv",
        "Is 5 > 3?",
    ):
        assert words in said.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("name", OPTIONAL)
def test_each_part_can_be_left_out(name):
    field = next(field for field in dataclasses.fields(StudyReport) if field.name == name)
    value = getattr(full_report(), name)
    without = Outline(page(dataclasses.replace(full_report(), **{name: field.default})))
    alone = Outline(page(dataclasses.replace(bare_report(), **{name: value})))
    assert "None" not in without.said
    assert "None" not in alone.said


def test_a_bare_page_has_only_its_title():
    outline = Outline(page(bare_report()))
    assert "Nothing yet" in outline.said
    assert not {"section", "nav", "table", "svg"} & {tag for tag, _ in outline.tags}


def test_parts_that_are_empty_inside():
    report = dataclasses.replace(
        full_report(),
        systems=Systems(rows=()),
        precision_recall=PrecisionRecall(curves=(PrecisionRecallCurve("m", True, (), ()),)),
        label_curve=LabelCurve("m", ()),
        training=(TrainingCurve("m", 1, ()), TrainingCurve("m", 2, (Epoch(1, 0.5),))),
        errors=WorstErrors("m"),
    )
    ids = {attributes.get("id") for _, attributes in Outline(page(report)).tags}
    assert not {"systems", "labels", "errors"} & ids
    assert {"quality", "training"} <= ids


def test_a_measure_that_some_systems_lack():
    rows = (
        SystemRow("a", True, {"F1": Estimate(0.5)}),
        SystemRow("b", False, {"AP": Estimate(0.4, 0.3, 0.5)}),
        SystemRow("c", False, {}),
    )
    said = Outline(page(dataclasses.replace(bare_report(), systems=Systems(rows)))).said
    assert "0.500" in said
    only_other = (SystemRow("a", True, {"F1": Estimate(0.5)}),)
    assert "0.500" in Outline(page(dataclasses.replace(bare_report(), systems=Systems(only_other)))).said


@pytest.mark.parametrize("kind", list(VerdictKind))
def test_each_verdict_has_its_block(kind):
    outline = Outline(page(dataclasses.replace(bare_report(), verdict=verdict(kind))))
    box = "verdict good" if kind is VerdictKind.BETTER else "verdict"
    assert ("section", {"class": box, "aria-label": "verdict"}) in outline.tags


NAMED = {"AP", "precision", "recall"}  # names looked up by the page


def hostile(value):
    """The same report with every text in it made hostile."""
    if dataclasses.is_dataclass(value):
        changed = {
            field.name: hostile(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.name not in {"kind", "measure", "goal_measure"}
        }
        return dataclasses.replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(hostile(each) for each in value)
    if isinstance(value, dict):
        return {key if key in NAMED else HOSTILE + key: hostile(each) for key, each in value.items()}
    return HOSTILE + value if value and isinstance(value, str) else value


def test_every_text_is_escaped_everywhere():
    plain = Outline(page(full_report()))
    attacked = page(hostile(full_report()))
    outline = Outline(attacked)
    assert {tag for tag, _ in outline.tags} <= ALLOWED
    marks = [sum(tag == "mark" for tag, _ in one.tags) for one in (outline, plain)]
    assert len(outline.tags) - marks[0] == len(plain.tags) - marks[1]
    assert "\x00" not in attacked
    assert "\x1b" not in attacked
    assert attacked.count("</style>") == 1
    assert attacked.count("<script") == 1


def test_a_measure_s_name_is_escaped():
    outline = Outline(page(dataclasses.replace(full_report(), measure=HOSTILE)))
    assert {tag for tag, _ in outline.tags} <= ALLOWED


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_comes_out_as_it_went_in(a, b):
    found = WorstErrors("m", false_positives=(ScoredPair(a, b, 0.5),))
    report = dataclasses.replace(bare_report(), errors=found)
    clean = StudyReport.from_dict(report.to_dict())
    pair = clean.errors.false_positives[0]
    assert Outline(page(clean)).texts == [clean_of_controls(pair.a), clean_of_controls(pair.b)]


def clean_of_controls(text: str) -> str:
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)


def test_a_very_long_text_is_cut_and_says_so():
    found = dataclasses.replace(errors(), false_positives=(ScoredPair("x" * 1_000_000, "y", 0.5),))
    html = page(dataclasses.replace(bare_report(), errors=found))
    assert len(html) < 40_000
    assert "999,300 more characters" in html


def test_headings_are_words():
    # A class that was renamed once took the heading along.
    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", page(full_report()))
    assert "Threshold" in headings
    assert not [words for words in headings if re.search("[a-z][A-Z]", words)]
