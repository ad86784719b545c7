import base64
import dataclasses
import hashlib
import re

import pytest

from tests.report.test_study_page import HOSTILE, Outline
from tests.server.browsing import SIZES, findings, in_a_browser
from textkin.report.content import Estimate
from textkin.report.data_facts import Reproduction
from textkin.report.dedupe_content import (
    DedupeReport,
    GoneText,
    GroupSizes,
    PairScores,
    PrecisionRow,
    ShownGroup,
    ShownPair,
    Step,
    TriedThresholds,
)
from textkin.report.dedupe_page import dedupe_page

PAIR = ShownPair(HOSTILE, "long " * 400, 0.91, ("id7", "id8"), ("numbers",))
REPORT = DedupeReport(
    title=f"Deduplication of {HOSTILE}",
    facts=("texts.tsv", HOSTILE),
    texts=1234,
    kept=1000,
    removed=234,
    groups=2,
    largest=200,
    forbidden=7,
    thresholds=TriedThresholds(
        0.9,
        steps=(Step(0.85, 900, 334, 3, 250, (PAIR,)), Step(0.9, 1000, 234, 2, 200, ())),
        scores=PairScores((0.8, 0.9, 1.0), (7, 3)),
        precision=(
            PrecisionRow(0.9, 50, Estimate(0.96, 0.9, 0.99), Estimate(0.7, 0.6, 0.8)),
            PrecisionRow(0.93, 9, Estimate(0.98, 0.92, 1.0), None, new=3),
            PrecisionRow(0.95, 5, None, None),
        ),
    ),
    threshold_words="given",
    shown=False,
    advice="",
    notes=("Checked.",),
    shown_groups=(ShownGroup("id1", HOSTILE, (GoneText("id2", HOSTILE, 0.95, "longest"),), 200),),
    shown_forbidden=(PAIR,),
    agreement={"B-cubed F1": 0.75},
    made=Reproduction("", settings={"linkage": "representative"}),
    sizes=(GroupSizes(1, 1, 998), GroupSizes(2, 2, 0), GroupSizes(129, 256, 2)),
)
BARE = dataclasses.replace(
    REPORT,
    texts=1,
    thresholds=TriedThresholds(0.9, ()),
    shown_groups=(),
    shown_forbidden=(),
    agreement={},
    made=Reproduction(""),
    sizes=(),
)


def test_all_is_said_and_escaped():
    html = dedupe_page(REPORT)
    words = " ".join(Outline(html).words)
    for said in (
        "1,234",
        "removed, 19.0 %",
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
    assert len(script) == 3
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in script]
    policy = dict(Outline(html).tags[3][1])["content"]
    allowed = " ".join(f"'sha256-{one}'" for one in digests)
    assert policy.startswith("default-src 'none'") and policy.endswith(f"script-src {allowed}")
    assert not re.search(r'(?:src|href)="(?!#)|style="|url\(|@import', html)


def test_without_the_script_everything_is_there():
    tags = Outline(dedupe_page(REPORT)).tags
    hidden = [dict(attributes).get("class") for _, attributes in tags if "hidden" in dict(attributes)]
    assert hidden == ["slider", "filter"]
    assert sum("data-step" in dict(attributes) for _, attributes in tags) == 2
    slider = next(dict(attributes) for tag, attributes in tags if tag == "input")
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
    assert "Scores of 10 similar pairs at or above 0.8000; threshold 0.9000." in labels
    assert any(
        label.startswith("Precision by threshold: 0.960 (0.900 to 0.990) at 0.9000")
        and label.endswith("Texts removed, by threshold: 334 at 0.8500; 234 at 0.9000.")
        for label in labels
    )
    assert "<caption>Groups by size; a text without duplicates is a group of one</caption>" in html
    assert "129 to 256" in html and "new since" in html
    drawing = html[html.index("Precision by threshold: 0.960") :]
    band = re.search('polygon points="([^"]*)" class="area model"', drawing)[1].split()
    assert len(band) == 4  # two thresholds, each with both ends


def test_a_precision_without_intervals_has_no_band():
    judged = tuple(PrecisionRow(at, 9, Estimate(at), None) for at in (0.9, 0.95))
    tried = dataclasses.replace(REPORT.thresholds, precision=judged)
    html = dedupe_page(dataclasses.replace(REPORT, thresholds=tried))
    drawn = html[html.index("<figcaption>Precision and texts removed") :]
    figure = drawn[: drawn.index("</figure>")]
    assert "precision, all pairs labelled" in figure
    assert "95 % interval" not in figure and "polygon" not in figure


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    """A page of 30 groups in a browser."""
    place = tmp_path_factory.mktemp("page") / "report.html"
    groups = tuple(
        ShownGroup(f"kept-{n}", f"text {n}", (GoneText(f"gone-{n}", "like it", 0.9, "longest"),), 2)
        for n in range(30)
    )
    place.write_text(dedupe_page(dataclasses.replace(REPORT, shown_groups=groups)))
    page = browser.new_page(viewport=SIZES["narrow"])
    page.goto(place.as_uri())
    yield page
    page.close()


@in_a_browser
def test_the_handle_shows_the_border_pairs_of_its_threshold(shown):
    steps, grip = shown.locator("[data-step]"), shown.locator(".handle circle").first
    assert [steps.nth(place).is_visible() for place in (0, 1)] == [False, True]
    right = float(grip.get_attribute("cx"))
    shown.locator("svg.chart").first.scroll_into_view_if_needed()
    box = shown.locator("svg.chart").first.bounding_box()
    shown.mouse.move(box["x"] + box["width"] * right / 420, box["y"] + 60)
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] * 0.12, box["y"] + 60)
    shown.mouse.up()
    assert [steps.nth(place).is_visible() for place in (0, 1)] == [True, False]
    assert float(grip.get_attribute("cx")) == 50 and shown.input_value("#threshold") == "0"
    shown.locator("#threshold").press("ArrowRight")
    assert float(grip.get_attribute("cx")) == right and steps.nth(1).is_visible()


@in_a_browser
def test_groups_are_found_by_id_and_word(shown):
    groups = shown.locator(".group")
    shown.get_by_label("Search groups").fill("GONE-27 like")
    assert [place for place in range(30) if groups.nth(place).is_visible()] == [27]
    assert shown.locator(".filter output").text_content() == "1 of 30"
    shown.get_by_label("Search groups").fill("")
    assert sum(groups.nth(place).is_visible() for place in range(30)) == 20


@in_a_browser
def test_nothing_leaves_a_narrow_screen_and_axe_finds_nothing(shown):
    assert shown.evaluate("document.documentElement.scrollWidth") == SIZES["narrow"]["width"]
    assert findings(shown) == []


def test_the_box_says_what_is_shown():
    measured = dataclasses.replace(REPORT, shown=True)
    for report, title in ((BARE, "not measured"), (REPORT, "not shown"), (measured, "shown")):
        assert f'<p class="kind">Precision {title}</p>' in dedupe_page(report)
    assert "is 96.0 % (90.0 to 99.0 %)." in dedupe_page(REPORT).replace("\N{NO-BREAK SPACE}", " ")


def test_a_report_without_duplicates():
    step = Step(0.9, 5, 0, 0, 1, ())
    nothing = dataclasses.replace(
        BARE,
        texts=5,
        removed=0,
        groups=0,
        thresholds=TriedThresholds(0.9, (step,)),
        sizes=(GroupSizes(1, 1, 5),),
    )
    page = dedupe_page(nothing)
    assert "No duplicates found" in page and "None of 5 texts" in page
    assert "in the largest" not in page and "the largest with" not in page and 'id="sizes"' not in page
