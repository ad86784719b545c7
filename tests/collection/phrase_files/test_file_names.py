import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from textkin.collection.phrase_files.file_names import (
    asked_paragraph_names,
    paragraph_names,
    raw_paragraph_names,
    safe_names,
)
from textkin.data.readers.datasets.squad_parts import ContextPart, PlacedQuestion, QuestionPart

HOSTILE = ["AC/DC", "AC%2FDC", "..", ".", "", "", "a\0b", "x" * 400, "x" * 401, "É", "É", "éa", "ÉA", "nul\n"]


def test_safe_names_stay():
    names = ["Super_Bowl_50", "Beyonc%C3%A9", "Pub_rock_(Australia)", "Ω mega", "56be4db0acb8001400a502ec"]
    assert safe_names(names) == names


def test_what_is_said_of_others():
    assert safe_names(["AC/DC", "AC%2FDC", "it", "IT", "it", ".git"]) == [
        *("AC%2FDC", "AC%2FDC%-2", "it", "IT%-2", "it%-3", "%2Egit"),
    ]


def check(names):
    found = safe_names(names)
    assert len({unicodedata.normalize("NFC", name).casefold() for name in found}) == len(names)
    for name in found:
        assert not set(name) & set('/\\:*?"<>|\0\n') and not name.startswith(".")
        assert len(name.encode("utf-8", "surrogatepass")) <= 220


def test_hostile_names():
    check(HOSTILE)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=12))
def test_any_names(names):
    check(names)


@given(st.lists(st.sampled_from(["a", "A", "a%-2", "a%-3", "a/b", "a%2Fb", "ß", "ss"]), max_size=10))
def test_names_that_look_like_made_ones(names):
    check(names)


def test_both_sides_give_a_paragraph_one_name(tmp_path):
    titles = tuple(HOSTILE)
    contexts = ContextPart(titles, tuple(("one", "two") for _ in titles))
    places = [(article, place) for article in range(len(titles)) for place in range(2)]
    questions = QuestionPart(titles, tuple(PlacedQuestion(str(each), "?", *each) for each in places))
    names = [name for article in paragraph_names(contexts) for name in article]
    assert asked_paragraph_names(questions) == names and len(set(names)) == len(names)
    assert raw_paragraph_names(questions)[:2] == ["AC/DC_0", "AC/DC_1"]
    for name in names:
        (tmp_path / f"{name}.json").write_text("")
    assert len(list(tmp_path.iterdir())) == len(names)
