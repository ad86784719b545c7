"""Duplicates, runs and phrases in a browser: by mouse and keys, narrow, dark, with hostile texts."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import textkin as tk
from tests.server.browsing import SIZES, answered, findings, needs_a_browser
from tests.server.process import Served, serving
from textkin.data import samples
from textkin.data.readers.texts import Texts
from textkin.report.html import Html, element
from textkin.report.page_frame import VerdictBox, document
from textkin.verbs.phrases.indexing import index_phrases

pytestmark = [pytest.mark.apart, needs_a_browser()]

HOSTILE = "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> parking"
TEXTS = [
    f"\N{GRINNING FACE} {HOSTILE} here",
    f"\N{GRINNING FACE} {HOSTILE} there",
    f"\N{GRINNING FACE} {HOSTILE} here today",
    "When do you open?",
    "When do you open up?",
    "Do you sell green tea?",
    "Do you sell black tea?",
    "=HYPERLINK(1) is a formula",
    "=HYPERLINK(1) is a formula!!",
]
PASSAGES = (f"Clemency Hurst \N{GRINNING FACE} {HOSTILE}", "Tea.")
ATTACK = (
    "<script>top.document.title='owned'; document.title='owned'</script>"
    '<script src="/page/page.js"></script><img src="{elsewhere}/x"><iframe src="/about"></iframe>'
    '<form action="{elsewhere}/form"><button>Send</button></form><a href="{elsewhere}/link">Away</a>'
    "<style>body {{ background: url({elsewhere}/style) }}</style>"
)
MOVES = '<meta http-equiv="refresh" content="0;url={elsewhere}/moved">'


def make_runs(folder: Path, elsewhere: str = "http://192.0.2.1") -> Path:
    """A deduplication without labels, one with, and two hostile reports."""
    texts = folder / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": one}) + "\n" for one in TEXTS))
    tk.dedupe(texts, out=folder / "runs/mine", threshold=0.5, guards=())
    for name, attack in (("hostile", ATTACK), ("moving", MOVES)):
        body = (element("p", "kept"), Html(attack.format(elsewhere=elsewhere)))
        page = document(f"{HOSTILE} {name}", *body, kind="study", verdict=VerdictBox("", HOSTILE))
        (folder / f"runs/{name}.html").write_text(page)
    other = document("of another version", element("nav", "links"), kind="study").replace(
        "<style>", "<style>main{background:red} "
    )
    (folder / "runs/other.html").write_text(other)
    tk.dedupe(
        samples.path("inbox.txt"),
        out=folder / "runs/inbox",
        threshold=0.7,
        sample=60,
    )
    sample = folder / "runs/inbox/sample.csv"
    head, *rows = sample.read_text().splitlines()
    place = head.split(",").index("same")
    assert place == 2
    sample.write_text("\n".join([head, *(row.replace(",,", ",yes,", 1) for row in rows)]) + "\n")
    return folder / "runs"


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[socket.socket]:
    """A listener that must get no requests."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, elsewhere: socket.socket) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("shown")
    index_phrases(
        Texts(("p", "q"), (f"Clemency Hurst \N{GRINNING FACE} {HOSTILE}", "Tea.")), folder / "town", "tfidf"
    )
    with serving(
        *("default", folder / "town", "--log", "nothing"),
        *("--runs", make_runs(folder, f"http://127.0.0.1:{elsewhere.getsockname()[1]}")),
    ) as found:
        yield found


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[tuple[Served, Path]]:
    """A separate server, for decisions."""
    folder = make_runs(tmp_path)
    with serving("default", "--runs", folder, "--log", "nothing") as found:
        yield found, folder / "mine"


def opened(open_page: Any, run: str, **options: Any) -> Any:
    page = open_page("#duplicates", **options)
    page.wait_for_selector("#dup-controls:not([hidden])")
    page.select_option("#dup-run", run)
    said(page, {"mine": "9 texts", "inbox": "184 texts"}[run])
    page.wait_for_selector(".group")
    return page


def said(page: Any, words: str) -> None:
    page.wait_for_selector(f"#said:has-text('{words}')")


def ids(page: Any) -> list[str]:
    return [
        str(one) for one in page.eval_on_selector_all(".group", "all => all.map((one) => one.dataset.group)")
    ]


def test_groups_are_shown_with_what_differs_and_texts_stay_texts(open_page: Any) -> None:
    page = opened(open_page, "mine")
    said(page, "9 texts")
    first = page.locator(".group").nth(0)
    assert HOSTILE in first.text_content() and first.locator("img, script").count() == 0
    assert page.title() == "Duplicates · textkin"
    marks = [one.strip() for one in first.locator("ul mark").all_text_contents()]
    assert marks and set(marks) <= {"here", "there", "here today", "today"}, marks
    assert "Precision unknown" in page.text_content("#dup-known") and "unknown" in page.get_attribute(
        "#dup-known", "class"
    )


def test_the_slider_tells_what_goes_and_what_is_known(open_page: Any) -> None:
    page = opened(open_page, "inbox")
    said(page, "30 removed")
    assert "are the same" in page.text_content("#dup-known")
    assert "unknown" not in (page.get_attribute("#dup-known", "class") or "")
    before = page.text_content("#dup-known")
    page.focus("#dup-threshold")
    page.keyboard.press("End")
    page.wait_for_selector("#said:not(:has-text('30 removed'))")
    assert page.text_content("#dup-cut") == "1.0000" and page.text_content("#dup-known") != before
    assert "kept: below the threshold" in page.locator(".group").nth(0).text_content()
    page.keyboard.press("Home")
    said(page, "30 removed")
    page.select_option("#dup-order", "risk")
    page.wait_for_selector(".groups > .group:first-child .facts:has-text('score 0.74')")


ANSWERS_COME_LATE = """() => {
  const fetched = window.fetch;
  window.fetch = async (...given) => {
    const answer = await fetched(...given);
    await new Promise((done) => setTimeout(done, 400));
    return answer;
  };
  document.querySelector("#dup-order").dispatchEvent(new Event("change"));
  setTimeout(() => {
    const bar = document.querySelector("#dup-threshold");
    bar.value = bar.max;
    bar.dispatchEvent(new Event("input"));
  }, 390);
}"""


def test_an_answer_on_its_way_does_not_move_the_slider_back(open_page: Any) -> None:
    page = opened(open_page, "inbox")
    said(page, "30 removed")
    page.evaluate(ANSWERS_COME_LATE)
    page.wait_for_selector("#said:not(:has-text('30 removed'))")
    assert page.text_content("#dup-cut") == "1.0000"


def test_decisions_by_keys_are_kept_and_undone(open_page: Any, mine: tuple[Served, Path]) -> None:
    server, folder = mine
    page = opened(open_page, "mine", url=server.url)
    said(page, "decisions: 0")
    total = len(ids(page))
    page.locator("#dup-open").focus()
    page.keyboard.press("j")
    first = ids(page)[0]
    assert page.evaluate("document.activeElement.dataset.group") == first
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("n")
    said(page, "decisions: 1")
    assert page.locator("details .group").count() == 1, "the ticked text stays by itself"
    page.wait_for_selector(f".group:focus[data-group='{first}']")
    page.keyboard.press("y")
    said(page, "decisions: 2")
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'z', repeat: true, bubbles: true}))"
    )
    decided = page.locator(".group.done").nth(0)
    assert decided.evaluate("one => getComputedStyle(one).display") == "list-item"
    there, back = ("k", "j") if ids(page).index(first) else ("j", "k")  # it may have moved down the list
    page.keyboard.press(there)
    second = page.evaluate("document.activeElement.dataset.group")
    assert second != first
    page.keyboard.press("m")
    said(page, "Choose the group to merge into")
    page.wait_for_selector(f".group:focus[data-group='{second}']")
    page.keyboard.press(back)
    page.keyboard.press("m")
    said(page, "decisions: 3")
    assert second not in ids(page) and "removed: merged" in page.text_content(f"[data-group='{first}']")
    assert [one["do"] for one in map(json.loads, (folder / "review.jsonl").read_text().splitlines()[1:])] == [
        "split",
        "accept",
        "merge",
    ]
    for left in (2, 1, 0):
        page.keyboard.press("z")
        said(page, f"decisions: {left}")
    assert len(ids(page)) == total
    page.fill("#dup-by", "y n m z")  # which are no keys here
    assert tk.review(folder).counts().decisions == 0


def test_decisions_by_mouse_and_the_final_list(open_page: Any, mine: tuple[Served, Path]) -> None:
    server, folder = mine
    page = opened(open_page, "mine", url=server.url)
    page.fill("#dup-by", "ann")
    page.locator(".group").nth(0).get_by_role("button", name="Accept").click()
    said(page, "decisions: 1")
    page.locator(".group").nth(1).get_by_role("button", name="Split").click()
    said(page, "decisions: 2")
    page.locator("#found details summary").click()
    page.locator("details .group").nth(0).get_by_role("button", name="Merge").click()
    said(page, "Choose the group")
    page.locator("ol.groups > .group").nth(0).get_by_role("button", name="Merge into this").click()
    said(page, "decisions: 3")
    page.check("#dup-open")
    page.wait_for_selector(".group.done", state="detached")
    page.select_option("#dup-format", "csv")
    with page.expect_download() as download:
        page.click("#dup-export")
    content = Path(download.value.path()).read_text()
    review = tk.review(folder)
    review.export(folder.parent / "same.csv")
    assert content == (folder.parent / "same.csv").read_text() and "merged" in content
    assert download.value.suggested_filename == "final.csv" and '"by": "ann"' in review.path.read_text()
    page.click("#dup-undo")
    said(page, "decisions: 2")


def test_runs_are_listed_and_lead_to_reports_and_groups(open_page: Any) -> None:
    page = open_page("#runs")
    said(page, "5 runs.")
    assert page.locator(".runs img, .runs script").count() == 0
    assert any(HOSTILE in one for one in page.locator(".runs > li").all_text_contents())
    page.get_by_role("button", name="Report: Deduplication of inbox.txt").click()
    frame = page.frame_locator("iframe.report")
    assert frame.locator("h1").text_content() == "Deduplication of inbox.txt"
    assert frame.locator(".slider").is_visible(), "the scripts of textkin's own reports run"
    assert page.evaluate("document.activeElement.textContent") == "Back to the list"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the file").click()
    assert Path(download.value.path()).read_text().startswith("<!doctype html>")
    page.keyboard.press("Shift+Tab")
    page.get_by_role("button", name="Back to the list").press("Enter")
    said(page, "5 runs")
    page.get_by_role("button", name="Report: of another version").click()
    colour = frame.locator("main").evaluate("one => getComputedStyle(one).backgroundColor")
    assert (
        colour == "rgba(0, 0, 0, 0)"
        and frame.locator("nav").evaluate("one => getComputedStyle(one).display") == "flex"
    ), "this version's style in place of its own"
    page.get_by_role("button", name="Back to the list").press("Enter")
    page.get_by_role("button", name="Go through its groups: inbox").press("Enter")
    page.wait_for_selector("#duplicates:not([hidden]) .fields")
    said(page, "184 texts")
    assert page.input_value("#dup-run") == "inbox"


def test_runs_are_sorted_and_searched(open_page: Any) -> None:
    page = open_page("#runs")
    said(page, "5 runs.")
    titles = page.locator(".runs h3")
    latest = titles.all_text_contents()
    page.select_option("[aria-label='Sort runs']", "By title")
    assert titles.all_text_contents() == sorted(latest, key=str.casefold) != latest
    page.fill("[aria-label='Search runs']", "deduplication INBOX")
    said(page, "1 of 5 runs.")
    assert titles.all_text_contents() == ["Deduplication of inbox.txt"]
    page.get_by_role("button", name="Report: Deduplication of inbox.txt").click()
    page.get_by_role("button", name="Back to the list").click()
    said(page, "1 of 5 runs.")
    page.fill("[aria-label='Search runs']", "")
    page.select_option("[aria-label='Sort runs']", "Latest first")
    assert titles.all_text_contents() == latest


def test_a_hostile_report_does_nothing(browser: Any, server: Served, elsewhere: socket.socket) -> None:
    page = browser.new_context().new_page()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(f"{server.url}/#runs")
    page.locator(".runs > li", has_text="hostile.html").get_by_role("button").click()
    frame = page.frame_locator("iframe.report")
    assert frame.locator("p").first.text_content() == "kept"
    frame.get_by_role("button", name="Send").click()
    page.wait_for_timeout(500)
    assert page.title() == "Runs · textkin" and page.url == f"{server.url}/#runs"
    assert frame.locator("p").first.text_content() == "kept", "the frame went nowhere"
    page.get_by_role("button", name="Back to the list").click()
    page.locator(".runs > li", has_text="moving.html").get_by_role("button").click()
    page.wait_for_selector("iframe.report")
    page.wait_for_timeout(500)
    assert page.url == f"{server.url}/#runs"
    for name in ("hostile.html", "moving.html"):
        page.goto(f"{server.url}/runs/report?run={name}")
        page.wait_for_timeout(500)
        assert page.title() != "owned" and page.url.endswith(name)
    elsewhere.setblocking(False)
    with pytest.raises(BlockingIOError):
        elsewhere.accept()
    assert sum(one.endswith("/about") for one in asked) == 1, "the page alone asked what is served"


def test_phrases_are_marked_in_their_passages(open_page: Any) -> None:
    page = open_page("#phrases")
    page.fill("#phrases-question", "Who is Clemency Hurst?")
    page.keyboard.press("Enter")
    assert " phrases in " in answered(page) and " ms" in answered(page)
    assert "exact search, without cells" in page.text_content(".searched")
    assert page.locator(".hits img, .hits script").count() == 0
    for item in page.locator(".hits > li").all():
        passage = item.locator(".answer").text_content()
        assert passage in PASSAGES
        start, end = map(int, item.locator(".facts").text_content().rsplit(", ", 1)[1].split(" to "))
        assert item.locator("mark").text_content() == passage[start:end]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    open_page: Any, size: str, scheme: str
) -> None:
    page = opened(open_page, "mine", viewport=SIZES[size], color_scheme=scheme)

    def check(where: str) -> None:
        assert findings(page) == [], where
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where

    check("groups")
    page.goto(f"{page.url.partition('#')[0]}#runs")
    page.wait_for_selector(".runs > li")
    check("runs")
    page.get_by_role("button", name="Report: Deduplication of inbox.txt").click()
    page.frame_locator("iframe.report").locator("h1").wait_for()
    check("report")
    page.goto(f"{page.url.partition('#')[0]}#phrases")
    page.fill("#phrases-question", "Clemency")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits > li")
    check("phrases")


def test_who_only_reads_has_no_buttons(open_page: Any, tmp_path: Path) -> None:
    with serving("default", "--runs", make_runs(tmp_path), "--read-only", "--log", "nothing") as reading:
        page = opened(open_page, "mine", url=reading.url)
        assert page.locator(".group button").count() == 0 and page.is_disabled(".group input >> nth=0")
        page.locator(".group").nth(0).press("a")
        page.locator(".group").nth(0).press("u")
        page.wait_for_timeout(200)
    assert not (tmp_path / "runs/mine/review.jsonl").exists()
