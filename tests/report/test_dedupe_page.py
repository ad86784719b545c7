import base64
import dataclasses
import hashlib
import re

from tests.report.test_study_page import HOSTILE, Outline
from textkin.report.content import Estimate
from textkin.report.dedupe_content import (
    DedupeReport,
    GoneText,
    GroupSizes,
    PairScores,
    PrecisionRow,
    ShownGroup,
    ShownPair,
    Step,
)
from textkin.report.dedupe_page import dedupe_page

PAIR = ShownPair(HOSTILE, "long " * 400, 0.91, ("numbers",))
REPORT = DedupeReport(
    title=f"Deduplication of {HOSTILE}",
    facts=("texts.tsv", HOSTILE),
    texts=1234,
    kept=1000,
    removed=234,
    groups=2,
    largest=200,
    forbidden=7,
    threshold=0.9,
    threshold_words="given",
    notes=("Checked.",),
    steps=(Step(0.85, 900, 334, 3, 250, (PAIR,)), Step(0.9, 1000, 234, 2, 200, ())),
    shown_groups=(ShownGroup("id1", HOSTILE, (GoneText("id2", HOSTILE, 0.95, "longest"),), 200),),
    shown_forbidden=(PAIR,),
    precision=(
        PrecisionRow(0.9, 50, Estimate(0.96, 0.9, 0.99), Estimate(0.7, 0.6, 0.8)),
        PrecisionRow(0.93, 9, Estimate(0.98, 0.92, 1.0), None, new=3),
        PrecisionRow(0.95, 5, None, None),
    ),
    agreement={"B-cubed F1": 0.75},
    made_with={"linkage": "representative"},
    scores=PairScores((0.8, 0.9, 1.0), (7, 3)),
    sizes=(GroupSizes(1, 1, 998), GroupSizes(2, 2, 0), GroupSizes(129, 256, 2)),
)
BARE = dataclasses.replace(
    REPORT,
    texts=1,
    steps=(),
    shown_groups=(),
    shown_forbidden=(),
    precision=(),
    agreement={},
    made_with={},
    scores=None,
    sizes=(),
)


def test_all_is_said_and_escaped():
    html = dedupe_page(REPORT)
    words = " ".join(Outline(html).words)
    for said in (
        "1,234",
        "go, 19.0 %",
        "other numbers",
        "and 198 more texts",
        "0.96",
        "B-cubed F1",
        "(chosen)",
    ):
        assert said in words
    assert "<script>alert" not in html and "<img" not in html
    assert "more characters" in words  # a long text is cut


def test_nothing_is_loaded_and_only_the_script_runs():
    html = dedupe_page(REPORT)
    script = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert len(script) == 2
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in script]
    policy = dict(Outline(html).tags[3][1])["content"]
    assert policy.startswith("default-src 'none'") and policy.endswith(
        f"script-src 'sha256-{digests[0]}' 'sha256-{digests[1]}'"
    )
    assert not re.search(r'(?:src|href)="(?!#)|style="|url\(|@import', html)


def test_without_the_script_everything_is_there():
    tags = Outline(dedupe_page(REPORT)).tags
    hidden = [dict(attributes).get("class") for _, attributes in tags if "hidden" in dict(attributes)]
    assert hidden == ["slider"]
    assert sum("data-step" in dict(attributes) for _, attributes in tags) == 2
    (slider,) = (dict(attributes) for tag, attributes in tags if tag == "input")
    assert (slider["type"], slider["max"], slider["value"]) == ("range", "1", "1")


def test_what_is_not_there_leaves_no_trace():
    html = dedupe_page(BARE)
    Outline(html)
    for title in ("Other thresholds", "Precision", "Largest", "guard", "made"):
        assert f"<h2>{title}" not in html


def test_scores_precision_and_sizes_are_drawn():
    html = dedupe_page(REPORT)
    labels = [
        attributes["aria-label"]
        for tag, attributes in Outline(html).tags
        if tag == "svg" and "aria-label" in attributes
    ]
    assert "Scores of 10 similar pairs from 0.8000 on; threshold 0.9000." in labels
    assert any(
        label.startswith("Precision by threshold: 0.960 (0.900 to 0.990) from 0.9000 on") for label in labels
    )
    assert "<caption>Groups by size; texts that stay alone are groups of one</caption>" in html
    assert "129 to 256" in html and "new since" in html
    drawing = html[html.index("Precision by threshold: 0.960") :]
    band = re.search('polygon points="([^"]*)" class="area model"', drawing)[1].split()
    assert len(band) == 4  # two thresholds, each with both ends
    assert 'class="dot model"' in drawing[: drawing.index("</svg>")]


def test_a_precision_without_intervals_has_no_band():
    judged = tuple(PrecisionRow(at, 9, Estimate(at), None) for at in (0.9, 0.95))
    html = dedupe_page(dataclasses.replace(REPORT, precision=judged))
    drawn = html[html.index("<figcaption>Precision by threshold") :]
    figure = drawn[: drawn.index("</figure>")]
    assert "precision, all pairs judged" in figure
    assert "95 % interval" not in figure and "polygon" not in figure
