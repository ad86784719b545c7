"""A collection as one HTML file: in a browser it finds what Python finds, and texts stay texts."""

from __future__ import annotations

import pytest

import textkin as tk
from tests.collection.making import Letters
from tests.collection.one_file.sample_questions import sample_questions
from tests.server.browsing import SIZES, findings, in_a_browser
from textkin.base.errors import ModelError, UsageError
from textkin.data.records import Qrels

HOSTILE = [
    "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> parking",
    "</script></title><script>document.title='owned'</script>",
    "a\u2028b\u2029c how do I start the car",
    "\u202eno gnikrap\u202c \u2066isolated\u2069 \u200fmark",
    "nul\x00 in the middle \x1b[31m of a text",
    "[UNK] what is [UNK]?",
    "\u00dcn\u00efc\u00f6d\u00e9 \ufb01ne \uff11\uff12 STRASSE stra\u00dfe \u0130stanbul \u0131I e\u0301",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \u4e2d\u6587 \ud55c\uad6d\uc5b4",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22",
    "\u05d0\u05b5\u05d9\u05da",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u041f\u0440\u0438\u0432\u0435\u0442 \U0001d54f",
    "\U0001f600 \U0001f1e9\U0001f1ea \U0001f469\u200d\U0001f469\u200d\U0001f467",
    "C++ 10\u00b2 m\u00b2 2\u00bd Windows\u2122 $5M 1,000.50",
    "x" * 150 + " " + "word " * 300,
    "\x1c\u65e5\u672c\u8a9e\ufeff\ufdfastra\u00dfeno",
    "\ue000 \u0378 \ufffd \ufeff\u200b\u00ad",
]
WHERES = [
    'topic = "cars-and-bikes" and number < 40',
    "not (odd = true) or number in (1, 3, 5)",
    "group contains 'no' and number >= 10.5",
    '`topic` != "money" and missing != 3',
    'number = "7"',
    "odd exists and topic > 'f'",
]
SEARCH = """([queries, mode]) => queries.map(query =>
    textkin.search(query, { mode }).map(hit => [hit.id, hit.score, hit.probability ?? null]))"""
MATCH = """texts => texts.map(text => {
    const { verdict, nearest, probability } = textkin.match(text);
    return [verdict, nearest?.id ?? null, nearest?.cosine ?? null, nearest?.guards ?? [], probability];
})"""


@pytest.fixture(scope="module")
def asked():
    """Queries: each third question of the sample, in parts and in capitals, and hostile ones."""
    texts, _ = sample_questions(1500)
    some = texts[400::12]
    return [*HOSTILE, *some, *(" ".join(one.split()[:3]).upper() for one in some[::3])]


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    """A collection with a rule and fitted weights, hostile texts in it, and its file."""
    folder = tmp_path_factory.mktemp("page")
    texts, about = sample_questions()
    with tk.open_collection(folder / "faq.kin", create=True) as faq:
        faq.add(texts, ids=[f"q{place}" for place in range(len(texts))], metadata=about)
        faq.fit_matching(groups="group", base_rate=0.5)
        faq.add(HOSTILE)
        judged = {f"k{place}": {f"q{place}": 1} for place in range(40)}
        judged |= {f"n{place}": {"q0": 0} for place in range(40)}
        others, _ = sample_questions(1500)
        queries = {f"k{place}": texts[place].lower() for place in range(40)}
        queries |= {f"n{place}": others[-1 - place] for place in range(40)}
        faq.calibrate(Qrels.from_dict(judged), queries=queries)
    made = tk.export(folder / "faq.kin", to="html", out=folder / "faq.html")
    return folder / "faq.kin", made


@pytest.fixture
def open_file(browser):
    """Opens a file; checks at the end that nothing was requested, and nothing failed."""
    contexts, troubles = [], []

    def opened(path, *, fragment="", **options):
        context = browser.new_context(**{"viewport": SIZES["wide"], **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda one: troubles.append(one.text))
        page.on("pageerror", lambda one: troubles.append(str(one)))
        page.on("request", lambda one: one.url.startswith(("file:", "blob:")) or troubles.append(one.url))
        page.goto(f"{path.as_uri()}{fragment}")
        page.evaluate("opened.then(() => 1)")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def ranked(found):
    return [[(hit.entry_id, hit.score, hit.probability) for hit in hits] for hits in found.hits]


def assert_same(shown, expected):
    for ours, theirs in zip(shown, expected, strict=True):
        assert [one[0] for one in ours] == [one[0] for one in theirs]
        assert [one[1] for one in ours] == pytest.approx([one[1] for one in theirs], abs=1e-4)
        assert [one[2] for one in ours] == pytest.approx([one[2] for one in theirs], abs=1e-4)


@in_a_browser
@pytest.mark.parametrize("mode", ["hybrid", "words", "vectors"])
def test_the_same_hits_and_probabilities_as_in_python(open_file, questions, asked, mode):
    place, made = questions
    with tk.open_collection(place) as faq:
        expected = ranked(faq.search(asked, mode=mode))
    assert_same(open_file(made.path).evaluate(SEARCH, [asked, mode]), expected)


@in_a_browser
@pytest.mark.parametrize("analyser", ["plain", "english", "german"])
def test_the_same_hits_without_a_fit_by_the_words_of_a_language(open_file, tmp_path, asked, analyser):
    texts, _ = sample_questions()
    with tk.open_collection(tmp_path / "faq.kin", create=True, analyser=analyser) as faq:
        faq.add([*texts, *HOSTILE], metadata=[{} for _ in (*texts, *HOSTILE)])
        made = tk.export(faq, to="html", out=tmp_path / "faq.html")
        expected = ranked(faq.search(asked))
    assert made.entries == len(texts) + len(HOSTILE) and not made.has_rule and made.cosine > 1 - 1e-6
    assert_same(open_file(made.path).evaluate(SEARCH, [asked, "hybrid"]), expected)


@in_a_browser
def test_the_same_verdicts_as_in_python(open_file, questions, asked):
    place, made = questions
    texts, _ = sample_questions()
    given = [*asked, *texts[:40], *(f"{text} Not 5 mg?" for text in texts[:30])]
    with tk.open_collection(place) as faq:
        expected = [*faq.match(given).matches, *faq.match(given, threshold=0.8).matches]
    page = open_file(made.path)
    shown = page.evaluate(MATCH, given)
    fixed = {"duplicate_from": 0.8, "ask_from": None, "floor": 0.8, "probabilities": None}
    page.evaluate("rule => opened.then(page => Object.assign(page.collection.matcher.rule, rule))", fixed)
    shown += page.evaluate(MATCH, given)
    for (verdict, nearest, cosine, guards, probability), one in zip(shown, expected, strict=True):
        assert (verdict, nearest, guards) == (one.verdict.value, one.nearest_id, list(one.guards)), one.text
        assert cosine == pytest.approx(one.score, abs=1e-5)
        assert probability == pytest.approx(one.probability, abs=1e-3)
    assert {one.verdict.value for one in expected[: len(given)]} == {"duplicate", "new", "ask"}
    assert sum(one.verdict.value == "duplicate" for one in expected[len(given) :]) > 40


@in_a_browser
def test_the_same_filters_as_in_python(open_file, questions):
    place, made = questions
    with tk.open_collection(place) as faq:
        expected = [sorted(one.entry_id for one in faq.store.entries(where=where)) for where in WHERES]
        hits = [one.id for one in faq.search("car", where=WHERES[0])]
    page = open_file(made.path)
    shown = page.evaluate(
        """async wheres => { const page = await opened; return wheres.map(where =>
        page.collection.facts.ids.filter((_, number) => page.collection.allowed(where)[number]).sort()); }""",
        WHERES,
    )
    assert shown == expected and all(expected)
    assert page.evaluate("where => textkin.search('car', { where }).map(hit => hit.id)", WHERES[0]) == hits
    page.locator("#filters summary").click()
    page.get_by_label("topic", exact=True).select_option('"cars-and-bikes"')
    page.get_by_label("number: to").fill("39")
    page.fill("#text", "car")
    page.wait_for_selector("#hits > li")
    assert page.text_content("#filters-used") == " (in use)"
    shown = page.locator("#hits .facts > li:first-child").all_text_contents()
    assert shown == [one for one in shown if one in expected[0]] and len(shown) == 10
    page.fill("#where", "topic = ")
    page.wait_for_selector("#where-error:not(:empty)")
    page.fill("#where", 'topic exists or colour = "red" or not tpic in ("a", "b") or size exists')
    page.wait_for_selector("#where-error:has-text('No entry has')")
    told = page.text_content("#where-error")
    assert "“colour”" in told and "“tpic”" in told and "topic" not in told and "size" not in told
    page.click("#clear")
    page.wait_for_selector("#where-error:empty", state="attached")


WRITTEN = [
    2003.0,
    2003,
    "2003",
    "2003.0",
    0.1 + 0.2,
    1e16,
    1e-5,
    -0.0,
    0,
    9007199254740993,
    9007199254740992,
    True,
]
WRITTEN += ["True", ["a", 2.0], -(2**63), 2**63 - 1]
SPELT = ['"2003"', '"2003.0"', "2003", '"0.30000000000000004"', '"1e+16"', '"1e-05"', '"-0.0"', "0"]
SPELT += ["9007199254740993", "9007199254740992.0", '"9007199254740993"', "-9223372036854775808"]


@in_a_browser
def test_filters_read_numbers_as_they_are_written(open_file, tmp_path):
    wheres = [f"v {sign} {value}" for sign in ("=", "<", ">=") for value in SPELT]
    wheres += ["v = true", *(f'v contains "{part}"' for part in (".0", "e", "r", "1", ", "))]
    with tk.open_collection(tmp_path / "w.kin", create=True) as written:
        written.add(
            [f"text {place}" for place in range(len(WRITTEN))], metadata=[{"v": value} for value in WRITTEN]
        )
        expected = [sorted(hit.id for hit in written.search("text", k=20, where=where)) for where in wheres]
        made = tk.export(written, to="html", out=tmp_path / "w.html")
    page = open_file(made.path)
    shown = page.evaluate(
        "wheres => wheres.map(where => textkin.search('text', { k: 20, where }).map(hit => hit.id).sort())",
        wheres,
    )
    assert dict(zip(wheres, shown, strict=True)) == dict(zip(wheres, expected, strict=True))
    page.fill("#text", "text")
    page.wait_for_selector("#hits > li")
    page.locator("#more").click()
    facts = page.locator("#hits .facts").all_text_contents()
    assert {"v: 2003.0", "v: 9007199254740993", "v: -9223372036854775808", "v: 1e-05"} <= set(facts)
    page.locator("#filters summary").click()
    page.get_by_label("v", exact=True).select_option("9007199254740993")
    page.wait_for_selector("#said:has-text('1 text found')")


@in_a_browser
def test_texts_stay_texts(open_file, questions):
    page = open_file(questions[1].path)
    for text in HOSTILE:
        if not text.strip("\ue000\u0378\ufffd \ufeff\u200b\u00ad"):
            continue
        page.fill("#text", text.replace("\x00", ""))
        page.wait_for_selector("#hits > li .said")
        page.locator("#hits summary").first.click()
        page.wait_for_selector("#hits .shades")
        page.get_by_text("Is this new?", exact=True).click()
        page.wait_for_selector(".answer")
        page.get_by_text("Search", exact=True).first.click()
    assert page.title() == "faq" and page.locator("main img, #hits script, #verdict script").count() == 0
    page.fill("#text", "nul in the middle")
    page.wait_for_selector("#hits >> text=nul\ufffd")
    assert page.locator("#hits .said").first.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"


@in_a_browser
def test_half_a_surrogate_pair_is_a_text_like_any(open_file, questions):
    page = open_file(questions[1].path)
    assert page.evaluate("textkin.search('\\ud83d car').length") == 10
    assert page.evaluate("textkin.match('\\udc00').verdict") in ("new", "ask")


@in_a_browser
def test_a_verdict_shows_what_it_rests_on(open_file, questions):
    page = open_file(questions[1].path, fragment="#match=C%2B%2B%2010%C2%B2%20m%C2%B2")
    page.wait_for_selector(".answer.ask, .answer.new")
    page.fill("#text", next(text for text in HOSTILE if text.startswith("C++")))
    page.wait_for_selector(".answer.duplicate")
    assert page.get_attribute(".scale", "aria-label").startswith("Similarity 1.00")
    assert page.text_content("#said").startswith("Somebody said this before.")
    page.fill("#text", next(text for text in HOSTILE if text.startswith("C++")) + " never")
    page.wait_for_selector(".answer.ask")
    assert "a negation" in page.text_content(".answer")
    assert page.locator(".answer mark.differs").first.text_content() == "never"
    page.locator(".answer summary").click()
    assert "rule: fitted to the field group" in page.text_content(".answer details")


@in_a_browser
def test_without_a_rule_the_nearest_text_is_shown(open_file, tmp_path):
    tk.add(tmp_path / "few.kin", ["Where can I park?", "When do you open?"])
    page = open_file(
        tk.export(tmp_path / "few.kin", to="html", out=tmp_path / "few.html").path, fragment="#match=park"
    )
    page.wait_for_selector(".answer")
    assert "No rule was fitted" in page.text_content(".answer")
    assert page.locator(".answer .said").nth(1).text_content() == "Where can I park?"
    assert page.locator("#filters").is_hidden(), "there is nothing to filter by"


@in_a_browser
def test_the_whole_way_by_keyboard(open_file, questions):
    page = open_file(questions[1].path)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.type("car clicks")
    page.keyboard.press("Enter")
    page.wait_for_selector("#hits > li")
    assert "best texts" in page.text_content("#said")
    page.locator("#more").focus()
    page.keyboard.press("Enter")
    assert page.locator("#hits > li").count() == 20
    assert page.evaluate("document.activeElement.textContent") == "Why this?", "the focus is at the new ones"
    page.keyboard.press("Enter")
    page.wait_for_selector("#hits .shades")
    page.locator("[value=search]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".answer")


@in_a_browser
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(open_file, questions, size, scheme):
    page = open_file(questions[1].path, viewport=SIZES[size], color_scheme=scheme)
    for task, text in (
        ("search", "car clicks"),
        ("search", HOSTILE[-2]),
        ("match", "Why does the car click?"),
    ):
        page.get_by_text("Search" if task == "search" else "Is this new?", exact=True).first.click()
        page.fill("#text", text)
        page.keyboard.press("Enter")
        closed = page.locator("details:not([open]) > summary:visible")
        for _ in range(min(closed.count(), 3)):
            closed.first.click()
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_errors_tell_what_to_do(tmp_path):
    tk.add(tmp_path / "few.kin", ["Where can I park?"])
    with tk.open_collection(tmp_path / "letters", model=Letters(), create=True) as letters:
        letters.add(["a text"])
        with pytest.raises(ModelError) as error:
            tk.export(letters, to="html", out=tmp_path / "a.html")
    assert "distil" in error.value.fix
    for wrong, model, options in (
        (("model",), "default", {}),
        (("out",), tmp_path / "few.kin", {"out": tmp_path}),
        (("out",), tmp_path / "few.kin", {"out": tmp_path / "page.txt"}),
        (("dtype",), tmp_path / "few.kin", {"dtype": "fp16"}),
        (("texts", "accept_loss"), tmp_path / "few.kin", {"texts": tmp_path, "accept_loss": True}),
        (("to",), tmp_path / "few.kin", {"to": "onnx"}),
    ):
        with pytest.raises(UsageError) as refused:
            tk.export(model, **{"to": "html", "out": tmp_path / "a.html"} | options)
        assert refused.value.params == wrong
    assert not (tmp_path / "a.html").exists()
