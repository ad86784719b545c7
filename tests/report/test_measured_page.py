"""Every kind of measured data has a page."""

import csv
import json
import re

import pytest

from tests.report.test_study_page import HOSTILE, Outline
from tests.server.browsing import SIZES, in_a_browser
from textkin.data import samples
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.report.html import bullets, grid_table
from textkin.report.page_frame import document
from textkin.report.tables import Grid
from textkin.verbs.evaluate.comparison import compared

QUICK = Sampling(20, 20)
PAIRS = [(f"{HOSTILE} one {n}", f"{HOSTILE} one {n + n % 2}", int(n % 2 == 0)) for n in range(12)]
CLASSES = [(f"a {n}", f"b {n % 3}", ("same", "other", "opposite")[n % 3]) for n in range(12)]
EXAM = [
    {"id": str(n), "question": f"Which is {n}? <b>", "choices": [f"it is {n}", "none", "all"], "answer": "A"}
    for n in range(6)
]


@pytest.mark.parametrize(
    ("kind", "model"),
    [("pairs", "tfidf"), ("candidates", "tfidf"), ("classes", None), ("choices", "tfidf"), ("spans", None)],
)
def test_a_page_of_each_kind(kind, model, tmp_path):
    page = tmp_path / "report.html"
    data = {"pairs": PAIRS, "classes": CLASSES}.get(kind)
    if kind == "choices":
        data = tmp_path / "exam.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in EXAM))
    elif kind == "candidates":
        data = tmp_path / "candidates.tsv"
        rows = [f"q{n // 3}\tquestion {n // 3}\tanswer {n % 4} <b>\t{int(n % 3 == 0)}" for n in range(18)]
        data.write_text("\n".join(["question_id\tquestion\tanswer\tlabel", *rows]))
    elif kind == "spans":
        data = samples.path("town.json")
    models = [model] if model else []
    found = compared(data, models=models, options=Options(report=page, sampling=QUICK))
    made = page.read_text()
    outline = Outline(made)
    assert made.count("<script") == 1 and "<img" not in made
    assert found.reference in outline.said and found.measure in outline.said
    assert "How this was made" in outline.said
    assert f"The dashed line is {found.reference}; an arrow head stands for" in outline.said
    tables = [tag for tag, _ in outline.tags if tag == "table"]
    assert tables and len(tables) == sum(tag == "caption" for tag, _ in outline.tags)


@in_a_browser
def test_long_names_stay_on_a_narrow_screen(tmp_path, browser):
    place = tmp_path / "report.html"
    compared(
        PAIRS, models={"x" * 80: "tfidf", "y" * 80: "bm25"}, options=Options(report=place, sampling=QUICK)
    )
    page = browser.new_page(viewport=SIZES["narrow"])
    page.goto(place.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES["narrow"]["width"]
    page.close()


@in_a_browser
def test_a_saved_table_has_plain_numbers_and_no_formulas(tmp_path, browser):
    place = tmp_path / "report.html"
    models = {"=1+1": "bm25", "-2+3": "tfidf", "other": "tfidf-char"}
    compared(PAIRS, models=models, options=Options(report=place, sampling=QUICK))
    page = browser.new_page()
    page.goto(place.as_uri())
    with page.expect_download() as waiting:
        page.click("#systems button.csv")
    rows = list(csv.reader(waiting.value.path().read_text(encoding="utf-8-sig").splitlines()))
    page.close()
    assert rows[0][:4] == ["system", "kind", "AP", "AP, 95 % interval"] and "" not in rows[0]
    assert {"'=1+1", "'-2+3", "other"} <= {row[0] for row in rows[1:]}
    assert {row[1] for row in rows[1:]} <= {"baseline", "baseline, reference", "trained"}
    assert all(0 <= float(row[2]) <= 1 for row in rows[1:]), "a column of numbers"
    (column,) = [
        at for at, name in enumerate(rows[0]) if name.startswith("against") and "interval" not in name
    ]
    differences = [row[column : column + 2] for row in rows[1:]]
    assert any(
        re.fullmatch(r"-\d\.\d+", one) and re.fullmatch(r"-\d\.\d+ to [-+]\d\.\d+", other)
        for one, other in differences
    )


@in_a_browser
def test_times_and_sizes_are_sorted_as_such_and_what_is_empty_comes_last(tmp_path, browser):
    times = ("2 min 11 s", "58 s", "", "1 h 4 min", "0.4 s")
    sizes = ("1.24 M", "812", "", "50.2 k", "3.1 G")
    grid = Grid(("time", "size", "name"), tuple(zip(times, sizes, "abcde", strict=True)))
    place = tmp_path / "page.html"
    write_page(place, grid)
    page = browser.new_page()
    page.goto(place.as_uri())

    def after(column, clicks):
        page.reload()
        for _ in range(clicks):
            page.locator("thead button").nth(column).click()
        return "".join(page.locator("tbody tr > :nth-child(3)").all_text_contents())

    assert (after(0, 1), after(0, 2)) == ("ebadc", "dabec")
    assert (after(1, 1), after(1, 2)) == ("bdaec", "eadbc")
    page.close()


def write_page(place, grid):
    """A page with one table."""
    place.write_text(document("t", grid_table(grid, caption="c"), kind="table"))


def test_numbers_have_minus_signs_and_dates_and_words_hyphens():
    grid = Grid(
        ("gain", "day", "name"), (("-0.5 (-0.6 to 0.1)", "2024-05-01", "-0.5 or so"), ("1", "2", "x"))
    )
    html = grid_table(grid, caption="c")
    assert '<td class="num">\N{MINUS SIGN}0.5 (\N{MINUS SIGN}0.6 to 0.1)</td>' in html
    assert '<td class="num">2024-05-01</td>' in html and '<td class="word">-0.5 or so</td>' in html


def test_options_are_marked_so_that_no_line_breaks_within_them():
    notes = bullets(["give <b> --dev-data (--f1) or 1 - 2 -5 a--b"])
    assert notes.count('<span class="option">') == 2 and "&lt;b&gt;" in notes
    assert '<span class="option">--dev-data</span> (<span class="option">--f1</span>)' in notes


def test_decisions_at_a_threshold(tmp_path):
    page = tmp_path / "report.html"
    options = Options(report=page, sampling=QUICK, threshold=0.5)
    compared(PAIRS, models=["tfidf"], options=options)
    assert "Decisions at the threshold" in page.read_text()
