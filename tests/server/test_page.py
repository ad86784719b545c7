"""The page in a browser: its main paths, by keyboard, on a narrow screen, in the dark, and accessibly."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import textkin as tk
from tests.server.asking import httpx
from tests.server.browsing import SIZES, answered, findings, needs_a_browser
from tests.server.process import Served, running, serving
from tests.verbs.label.test_session import write_pairs
from textkin.server.keys import add_key

pytestmark = [pytest.mark.apart, needs_a_browser()]

HOSTILE = "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> parking"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("page") / "notes.kin"
    with tk.open_collection(place, create=True) as notes:
        notes.add(["Where can I park?", "When do you open?", HOSTILE, "word " * 400], ids=list("abcd"))
    with serving("default", place, "--log", "nothing") as found:
        yield found


def test_search_finds_and_explains_and_texts_stay_texts(open_page: Any) -> None:
    page = open_page("#search")
    page.fill("#search-query", "Where to park?")
    page.click("#search button")
    assert "results" in answered(page)
    assert page.locator(".hits > li").count() == 4
    assert page.locator(".hits .said").nth(0).text_content() == "Where can I park?"
    assert HOSTILE in page.locator(".hits .said").all_text_contents()
    assert page.title() == "Search · textkin" and page.locator(".hits img, .hits script").count() == 0
    assert page.locator(".hits .shared").nth(0).locator("mark").all_text_contents() == ["Where", "park"]
    bars = page.locator(".hits > li").nth(0).locator(".bars dt").all_text_contents()
    assert bars == ["Similar meaning", "Shared words"]
    fills = page.locator(".hits .fill").evaluate_all(
        "all => all.map(one => Number(one.getAttribute('width')))"
    )
    assert fills[1] == 100 and 0 < fills[0] <= 100, "the most shared words of all results fill the bar"
    page.locator(".hits > li").nth(0).get_by_role("button", name="Why this?").click()
    page.wait_for_selector(".hits .tokens mark.h8")
    assert "park" in page.locator(".hits mark.h8").nth(0).text_content()
    page.fill("#search-query", "")
    page.locator("#search-query").press("Enter")
    assert page.locator(".hits > li").count() == 4, "the browser itself says that the field is empty"


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("where can I park", "duplicate", "Somebody said this before."),
        ("Do you sell tea?", "new", "This is new."),
    ],
)
def test_is_this_new(open_page: Any, text: str, verdict: str, said: str) -> None:
    page = open_page("#match")
    page.fill("#match-text", text)
    page.fill("#match-threshold", "0.8")
    page.click("#match form button")
    assert answered(page) == said
    assert page.locator("#said").bounding_box()["height"] <= 1, "seen once, in the verdict"
    assert page.locator(".verdict .kind").text_content() == verdict
    page.set_viewport_size(SIZES["narrow"])
    page.locator("#found summary").click()
    assert "passport " in page.locator("#found details").text_content()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a hash is a long word"
    page.fill("#match-threshold", "")
    page.wait_for_selector("#found .unfitted")
    shown = page.text_content("#found .unfitted")
    assert "not fitted" in shown and "calibrate" in shown, "the page says what to do"
    page.fill("#match-precision", "0.8")
    with page.expect_request("**/match") as sent:
        page.click("#match form button")
    wanted = {"texts": [text], "collection": "notes", "precision": 0.8, "differences": True}
    assert sent.value.post_data_json == wanted


def test_a_verdict_comes_while_it_is_typed_and_is_not_counted(open_page: Any, server: Served) -> None:
    page, before = open_page("#match"), counted_verdicts(server)
    page.fill("#match-threshold", "0.8")
    with page.expect_response("**/match") as got:
        page.locator("#match-text").press_sequentially("where can we park?")
    assert got.value.request.post_data_json["draft"] is True
    page.wait_for_selector(".verdict.duplicate")
    assert page.locator(".differing mark").all_text_contents() == ["we", "I"]
    assert page.locator(".two .agrees").all_text_contents() == ["where can", "park", "Where can", "park"]
    said = page.locator(".bars dd span").all_text_contents()
    assert [one.split(" ", 1)[1] for one in said] == ["(duplicate from 0.80)"]
    assert page.evaluate("document.activeElement.id") == "match-text", "the focus stays in the text"
    page.fill("#match-text", "do you sell tea?")
    page.wait_for_selector(".verdict.new")
    page.fill("#match-text", "")
    page.wait_for_selector(".verdict", state="detached")
    assert counted_verdicts(server) == before
    page.fill("#match-text", "where can we park?")
    page.click("#match form button")
    page.wait_for_selector(".verdict.duplicate")
    assert counted_verdicts(server) == before + 1


def counted_verdicts(server: Served) -> float:
    """The verdicts that the server's metrics count."""
    told = httpx.get(server.url + "/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in told if line.startswith("textkin_match_verdicts_total{"))


TABLE = (
    'id;subject;note\r\n1;"Where can I park?; please";=1+1\r\n2;When do you open?;\r\n3;;x\r\n'
    '4;"Is it\r\nfree?"\r\n'
)


def test_a_table_is_answered_row_by_row(open_page: Any, tmp_path: Path) -> None:
    file = tmp_path / "tickets.csv"
    file.write_bytes(TABLE.encode("cp1252"))
    page = open_page("#match")
    page.fill("#match-threshold", "0.9")
    page.click("#match-drop summary")
    page.set_input_files("#match-file", file)
    page.wait_for_selector("#match-column")
    assert page.locator("#match-column option:checked").text_content() == "subject"
    assert page.evaluate("document.activeElement.textContent") == "Look up 4 rows"
    page.keyboard.press("Enter")
    page.wait_for_selector("#said:has-text('1 without a text')")
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.suggested_filename == "tickets-matched.csv"
    with Path(saved.value.path()).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";"))
    assert rows[0] == [
        *("id", "subject", "note", "verdict", "probability", "similarity", "nearest_id", "nearest_text"),
    ]
    assert [row[:3] for row in rows[1:]] == [
        ["1", "Where can I park?; please", "=1+1"],
        ["2", "When do you open?", ""],
        ["3", "", "x"],
        ["4", "Is it\r\nfree?", ""],
    ]
    assert rows[2][3] == "duplicate" and rows[2][6:] == ["b", "When do you open?"]
    assert rows[3][3:] == [""] * 5 and all(row[3] in ("new", "duplicate") for row in (rows[1], rows[4]))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'a,b\r\n1,"open\r\n2,x', "line 2: a quotation mark is never closed"),
        (b"a,b\n1,2\n1,2,3\n", "row 2 below the names: 3 cells, but 2"),
        (b"PK\x03\x04", "is a workbook"),
        (b"only names", "has no rows"),
    ],
)
def test_what_is_no_table_is_refused(open_page: Any, tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    page = open_page("#match")
    page.click("#match-drop summary")
    page.set_input_files("#match-file", file)
    page.wait_for_selector(f"#said.error:has-text('{said}')")


def test_a_stopped_file_keeps_what_is_there(open_page: Any, tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("text\n" + "".join(f"question {number}\n" for number in range(200)))
    page = open_page("#match")
    waiting: list[Any] = []
    page.route("**/match", lambda one: waiting.append(one))
    page.click("#match-drop summary")
    page.set_input_files("#match-file", file)
    page.wait_for_selector("#match-column")
    page.click(".file button")
    page.wait_for_selector("#found progress")
    assert page.evaluate("document.querySelector('#match .fields').inert"), "nothing else is asked meanwhile"
    waiting[0].continue_()
    page.wait_for_selector("#found .advance:has-text('64 of')")
    page.get_by_role("button", name="Stop").click()
    waiting[1].continue_()
    page.wait_for_selector("#said:has-text('72 not looked up')")
    assert page.get_by_role("button", name="Save as CSV").is_visible()
    assert not page.evaluate("document.querySelector('#match .fields').inert")
    page.unroute("**/match")


def test_a_file_is_asked_in_smaller_parts_where_a_key_takes_no_more(open_page: Any, tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text("text\nWhere can I park?\n\nWhen do you open?\nDo you sell tea?\n")
    page, sizes = open_page("#match"), list[int]()

    def limited(one: Any) -> None:
        sizes.append(len(one.request.post_data_json["texts"]))
        if sizes[-1] > 1 or len(sizes) == 4:
            one.fulfill(status=429, headers={"retry-after": "1"}, json={"error": "too many texts"})
        else:
            one.continue_()

    page.route("**/match", limited)
    page.click("#match-drop summary")
    page.set_input_files("#match-file", file)
    page.click(".file button")
    page.wait_for_selector("#said:has-text('1 without a text')")
    assert page.locator("#found tbody tr").count() == 3 and sizes == [3, 1, 2, 1, 1, 1]
    page.unroute("**/match")


def test_a_late_answer_does_not_replace_a_newer_one(open_page: Any) -> None:
    page = open_page("#match")

    def slow(one: Any) -> None:
        if not one.request.post_data_json.get("draft"):
            page.wait_for_timeout(1500)
        one.continue_()

    page.fill("#match-threshold", "0.8")
    page.route("**/match", slow)
    page.fill("#match-text", "where can I park")
    page.click("#match form button")
    page.fill("#match-text", "do you sell tea?")
    page.wait_for_selector(".verdict.new")
    page.wait_for_timeout(1800)
    assert page.locator(".verdict.new").count() == 1
    page.unroute("**/match")
    page.route("**/match", lambda one: one.fulfill(status=429, json={"error": "too many texts"}))
    page.fill("#match-text", "do you sell cake?")
    page.wait_for_selector("#said.error")
    assert page.locator(".verdict").count() == 0, "it was said of another text"


def test_keys_are_told_and_lead_to_the_text(open_page: Any) -> None:
    page = open_page("#search")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    page.keyboard.type("?")
    assert page.input_value("#search-query") == "?", "which is not a key here"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    assert page.locator("#keys kbd").all_text_contents() == ["/", "?"] and findings(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys[open]", state="detached")
    page.click("#keys-open")
    page.get_by_label("Use these shortcuts").uncheck()
    page.reload()  # the choice is kept
    page.locator("h1").press("?")
    assert page.locator("#keys[open]").count() == 0
    page.click("#keys-open")
    page.get_by_label("Use these shortcuts").check()
    page.get_by_role("button", name="Close").click()
    page.locator("h1").press("?")
    page.wait_for_selector("#keys[open]")


def test_a_link_asks_at_once(open_page: Any) -> None:
    page = open_page("#match=where%20can%20we%20park%3D")
    page.wait_for_selector(".verdict")
    assert (
        page.input_value("#match-text") == "where can we park=" and page.title() == "Is this new? · textkin"
    )
    page.goto(page.url.partition("#")[0] + "#search=100% parking")
    page.wait_for_selector(".hits > li")


def test_ids_lead_to_the_pages_of_their_texts(open_page: Any, tmp_path: Path) -> None:
    with tk.open_collection(tmp_path / "n.kin", create=True) as notes:
        notes.add(["Where can I park?"], ids=["a/b?"])
    with serving(tmp_path / "n.kin", "--link", "https://tickets.example/{id}") as linked:
        page = open_page("#search", url=linked.url)
        page.fill("#search-query", "park")
        page.click("#search button")
        answered(page)
        link = page.locator(".hits .facts a")
        assert link.get_attribute("href") == "https://tickets.example/a%2Fb%3F"
        assert link.text_content() == "a/b?" and link.get_attribute("rel") == "noreferrer"


def test_two_texts_are_compared(open_page: Any) -> None:
    page = open_page("#compare")
    page.fill("#compare-a", "park here")
    page.fill("#compare-b", HOSTILE)
    page.click("#compare button")
    assert answered(page).startswith("Score 0.")
    assert page.locator("#found .tokens").count() == 2 and page.title() == "Compare · textkin"
    lines = "one => getComputedStyle(one).textDecorationLine"
    weighty, light = ("#found .tokens mark[class]", "#found .tokens mark:not([class])")
    assert set(page.eval_on_selector_all(weighty, f"all => all.map({lines})")) == {"underline"}
    assert set(page.eval_on_selector_all(light, f"all => all.map({lines})")) == {"none"}, "adds nothing"


def test_the_whole_way_by_keyboard(open_page: Any) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        if reached[-1] == "search-query":
            break
    assert reached[:5] == ["Search", "Is this new?", "Compare", "API", "keys-open"], reached
    page.keyboard.type("parking")
    page.keyboard.press("Enter")
    assert "results" in answered(page)
    page.focus("#search button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search button:not([disabled])")
    assert page.evaluate("document.activeElement.textContent") == "Search", "the focus stays"
    page.locator(".hits button").nth(0).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .tokens")
    assert page.evaluate("document.activeElement.querySelector('.tokens') !== null")


def test_a_server_that_is_gone_is_told_of(browser: Any, tmp_path: Path) -> None:
    with serving("default", "--log", "nothing") as there:
        page = browser.new_page()
        page.goto(there.url)
        page.fill("#compare-a", "park")
        page.fill("#compare-b", "parking")
        page.wait_for_selector("#views:not([hidden])")
        there.stop()
        page.click("#compare button")
        page.wait_for_selector("#said.error")
        assert page.text_content("#said") == "The server does not answer. Is it still running?"
        page.route("**/score", lambda one: one.fulfill(status=502, body="<h1>Bad gateway</h1>"))
        page.click("#compare button")
        page.wait_for_selector("#said:has-text('status 502')")
        page.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    open_page: Any, size: str, scheme: str
) -> None:
    page = open_page("#search", viewport=SIZES[size], color_scheme=scheme)
    assert findings(page) == []
    page.fill("#search-query", "park")
    page.click("#search button")
    answered(page)
    page.locator(".hits button").nth(0).click()
    page.wait_for_selector(".hits details")
    page.locator(".hits summary").nth(0).click()
    assert findings(page) == []
    page.goto(page.url.partition("#")[0] + "#match")
    page.fill("#match-text", "where can we park here?")
    page.wait_for_selector(".verdict")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for view in ("match", "compare"):
        page.goto(page.url.partition("#")[0] + f"#{view}")
        page.wait_for_selector(f"#{view}:not([hidden])")
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view


@pytest.mark.parametrize("size", SIZES)
def test_the_list_of_routes(open_page: Any, server: Served, size: str) -> None:
    page = open_page(viewport=SIZES[size])
    page.goto(server.url + "/docs")
    assert "POST /v1/embeddings" in page.text_content("main") and findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_key_is_asked_for_and_kept_in_the_tab(open_page: Any, tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.toml", "me")
    with serving("default", "--api-key-file", tmp_path / "keys.toml", "--log", "nothing") as guarded:
        page = open_page(url=guarded.url)
        assert page.is_visible("#key") and not page.is_visible("#views") and findings(page) == []
        assert page.text_content("#about") == "This server answers those who have a key."
        page.fill("#key", "wrong")
        page.click("#key-form button")
        page.wait_for_selector("#about:has-text('knows no such key')")
        assert page.is_visible("#key")
        page.fill("#key", key)
        page.keyboard.press("Enter")
        page.wait_for_selector("#views:not([hidden])")
        assert not page.is_visible("#key") and page.evaluate("document.activeElement.id") == "view"
        page.reload()
        page.wait_for_selector("#views:not([hidden])")


def test_pairs_are_judged_by_keys_until_proven(open_page: Any, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv")
    with running("label", pairs, "--precision", "0.5", "--threshold", "0.5", "--page") as judging:
        page = open_page("#label", url=judging.url)
        page.wait_for_selector("#found table")
        assert findings(page) == [] and "0 labelled" in answered(page)
        first = page.text_content("#label-first")
        page.keyboard.press("n")
        page.wait_for_selector("#said:has-text('1 labelled')")
        page.keyboard.press("z")
        page.wait_for_selector("#said:has-text('0 labelled')")
        page.fill("#label-note", "y")  # which is not a key here
        page.click("[data-answer=same]")
        page.wait_for_selector("#said:has-text('1 labelled')")
        assert page.text_content("#label-first") != first
        for count in range(2, 8):
            page.keyboard.press("y")
            page.wait_for_selector(f"#said:has-text('{count} labelled'), #said:has-text('proven at')")
        assert "proven at threshold 0.5" in page.text_content("#said")
        assert (
            page.is_hidden("[data-answer=same]")
            and page.is_hidden("#label-texts")
            and page.text_content("#label-title") == "It is proven"
            and page.locator("#found td").last.text_content() == "proven"
        )
        assert page.locator("#views a:visible").all_text_contents() == ["Label pairs", "API"]
    assert '"note": "y"' in (tmp_path / "pairs.tsv.labels.jsonl").read_text()


def test_the_page_says_who_labels_and_that_more_labels_wont_do(open_page: Any, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 12)
    with running("label", pairs, "--precision", "0.95", "--page", "--by", "ann") as judging:
        page = open_page("#label", url=judging.url)
        with page.expect_response("**/label?by=ann"):
            page.reload()
        page.wait_for_selector("#label-first")
        for count in range(1, 13):
            page.keyboard.press("n")
            page.wait_for_selector(f"#said:has-text('{count} labelled')")
            if page.is_hidden("[data-answer=same]"):
                break
        assert count < 12 and page.text_content("#label-title") == "More labels won't prove it"
        assert page.is_hidden("#label-note")
    assert '"by": "ann"' in (tmp_path / "pairs.tsv.labels.jsonl").read_text()


def test_recall_is_told_in_plain_words(open_page: Any, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 200)
    given = ("--precision", "0.5", "--threshold", "0.5", "--recall")
    with running("label", pairs, *given, "--page") as judging:
        page = open_page("#label", url=judging.url)
        page.wait_for_selector("#found th:has-text('Proven recall')")
        assert "pairs in this file" in page.text_content("#found .facts")
        for count in range(1, 13):
            page.keyboard.press("y" if count < 9 else "n")
            page.wait_for_selector(f"#said:has-text('{count} labelled')")
        said = page.text_content("#said")
        assert "recall at least 0." in said and "of the duplicates in this file" in said
        assert 0 < float(page.locator("#found td").last.text_content()) < 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_two_people_judge_and_settle_by_keys_alone(
    open_page: Any, tmp_path: Path, size: str, scheme: str
) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 200)
    given = ("--threshold", "0.5", "--overlap", "1", "--recall", "--page")
    with running("label", pairs, *given) as judging:
        page = open_page("#label", url=judging.url, viewport=SIZES[size], color_scheme=scheme)
        page.wait_for_selector("#found table")
        page.keyboard.press("y")
        page.wait_for_selector("#said.error:has-text('Enter your name')")
        asked = answer_as(page, "ann", "y")
        assert page.text_content("#label-first") not in asked and page.is_hidden("#label-settle")
        assert set(answer_as(page, "bob", "n", note="another year")) == set(asked), (
            "the same pair, in either order"
        )
        page.wait_for_selector("#label-settle:has-text('Settle disagreements (1)')")
        assert page.is_hidden("#label-said") and "another year" not in page.text_content("#view")
        page.keyboard.press("d")
        assert page.text_content("#label-title") == "Who is right?"
        told = page.locator("#label-said li").all_text_contents()
        assert told == ["ann said yes", "bob said no: another year"] and findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert "Cohen's kappa" in page.locator("#found .facts").last.text_content()
        page.keyboard.press("n")
        page.wait_for_selector("#label-settle", state="hidden")
        assert page.text_content("#label-title") == "Do these say the same?"
        page.reload()
        page.wait_for_selector("#found table")
        assert page.input_value("#label-by") == "bob", "answers after a reload are the same person's"
        page.keyboard.press("z")  # bob settled it, and takes that back
        page.wait_for_selector("#label-settle:has-text('Settle disagreements (1)')")


def test_who_is_late_sees_the_next_pair(open_page: Any, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 200)
    with running("label", pairs, "--threshold", "0.5", "--page") as judging:
        first, late = (open_page("#label", url=judging.url) for _ in range(2))
        asked = late.text_content("#label-first")
        late.fill("#label-note", "of this pair")
        first.keyboard.press("y")
        first.wait_for_selector("#said:has-text('1 labelled')")
        late.click("[data-answer=different]")
        late.wait_for_selector("#said.error:has-text('the answer is not kept')")
        shown = late.text_content("#label-first")
        assert asked != shown == first.text_content("#label-first") and not late.input_value("#label-note")
        late.click("[data-answer=different]")
        late.wait_for_selector("#said:has-text('2 labelled')")
    lines = (tmp_path / "pairs.tsv.labels.jsonl").read_text().splitlines()[1:]
    assert [json.loads(line)["answer"] for line in lines] == ["same", "different"]


def answer_as(page: Any, name: str, key: str, *, note: str = "") -> list[str]:
    """Enter a name, answer, and return the labelled texts; by keys alone."""
    page.focus("#label-by")
    page.keyboard.press("Control+a")
    page.keyboard.type(name)
    with page.expect_response(lambda one: "/label?" in one.url):
        page.keyboard.press("Tab")  # leaving the field asks for this person's pair
    page.keyboard.type(note)
    page.wait_for_timeout(100)
    asked = [page.text_content(f"#label-{which}") for which in ("first", "second")]
    judged = page.text_content("#said")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(key)
    page.wait_for_function("before => document.getElementById('said').textContent !== before", arg=judged)
    return asked
