from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load
from textkin.data.readers.datasets.semeval import read_semeval

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE xml [
<!ELEMENT RelQuestion (RelQSubject, RelQBody)>
<!ELEMENT RelComment (RelCText)>
]>
<xml version="1.0">
"""
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
COMMENTS = st.lists(st.tuples(TEXT, st.sampled_from(["Good", "PotentiallyUseful", "Bad"])), max_size=3)


def _thread(key: str, subject: str, body: str, comments, mark: str = "") -> str:
    skip = f" SubtaskA_Skip_Because_Same_As_RelQuestion_ID={quoteattr(mark)}" if mark else ""
    texts = "".join(
        f'<RelComment RELC_ID="{key}_C{number}" RELC_RELEVANCE2RELQ="{label}">'
        f"<RelCText>{escape(text)}</RelCText></RelComment>\n"
        for number, (text, label) in enumerate(comments, 1)
    )
    return (
        f'<OrgQuestion ORGQ_ID="Q1"><OrgQSubject>no</OrgQSubject><Thread THREAD_SEQUENCE="{key}"{skip}>\n'
        f'<RelQuestion RELQ_ID="{key}"><RelQSubject>{escape(subject)}</RelQSubject>\n'
        f"<RelQBody>{escape(body)}</RelQBody></RelQuestion>\n{texts}</Thread></OrgQuestion>\n"
    )


def _write(path: Path, *threads: str) -> Path:
    path.write_text(HEAD + "".join(threads) + "</xml>\n", encoding="utf-8")
    return path


BANK = ("Bank?", "Which one & why", [("CBQ <3", "Good"), ("maybe", "PotentiallyUseful"), ("hi", "Bad")])
CAR = ("Car?", "", [("walk", "Bad"), ("", "Good")])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return _write(
        tmp_path / "dev.xml",
        _thread("Q1_R1", *BANK),
        _thread("Q1_R2", *CAR),
        _thread("Q2_R5", *BANK, mark="Q1_R1"),
        _thread("Q2_R6", "Elsewhere?", "", [("yes", "Good")], mark="Q9_R9"),
        _thread("Q2_R7", "Nobody?", "", []),
    )


def test_questions_with_comments(file):
    assert detect(file) == "semeval"
    loaded = load(file, reading=Reading(questions="all"))
    first, second = loaded.data
    assert (first.query_id, first.query) == ("Q1_R1", "Bank? Which one & why")
    assert first.docs == ("CBQ <3", "maybe", "hi")
    assert first.doc_ids == ("Q1_R1_C1", "Q1_R1_C2", "Q1_R1_C3")
    assert first.labels == (1, 0, 0)
    assert (second.query, second.docs, second.labels) == ("Car?", ("walk",), (0,))
    assert loaded.report.rows == 10
    assert loaded.report.skipped == {
        "comment of a thread that is marked as a repetition": 4,
        "empty text": 1,
        "question without candidates": 1,
    }
    assert loaded.data.name == "dev.xml, unmarked threads, all questions"


def test_graded_labels(file):
    data = load(file, reading=Reading(labels="graded")).data
    assert data.queries[0].labels == (2, 1, 0)
    assert data.name == "dev.xml, unmarked threads, graded labels, questions with a right candidate"
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(labels="relatedness"))
    assert error.value.params == ("labels",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<RelQBody>", '<RelQBody/></RelQuestion><RelQuestion RELQ_ID="Q9"><RelQBody>'),
        ("</RelQBody>", "</RelQBody><RelQBody>again</RelQBody>"),
        ("</RelCText>", "</RelCText><RelCText>again</RelCText>"),
        ('<RelQuestion RELQ_ID="Q1_R1">', ""),
    ],
)
def test_what_comes_twice_or_too_early_is_refused_and_not_overwritten(tmp_path, old, new):
    thread = _thread("Q1_R1", *BANK).replace(old, new, 1)
    if not new:
        thread = thread.replace("</RelQuestion>", "")
    with pytest.raises(DataError) as error:
        read_semeval(_write(tmp_path / "dev.xml", thread))
    assert error.value.line is not None


def test_a_thread_without_comments_repeats_nothing(tmp_path):
    threads = _thread("Q1_R1", "Bank?", "", []), _thread("Q2_R1", "Bank?", "", BANK[2])
    loaded = load(_write(tmp_path / "dev.xml", *threads), reading=Reading(repeats="once"))
    assert [one.query_id for one in loaded.data] == ["Q2_R1"]


def test_each_question_once(file):
    loaded = load(file, reading=Reading(repeats="once"))
    assert [one.query_id for one in loaded.data] == ["Q1_R1", "Q2_R6"]
    assert loaded.report.skipped["comment of a thread that repeats an earlier question"] == 3
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(repeats="never"))
    assert error.value.params == ("repeats",)


@given(st.lists(st.tuples(TEXT, TEXT, COMMENTS), min_size=1, max_size=4))
def test_whatever_the_texts_are(tmp_path_factory, threads):
    path = _write(
        tmp_path_factory.getbasetemp() / "any.xml",
        *(_thread(f"Q{number}", *thread) for number, thread in enumerate(threads)),
    )
    expected = {}
    for number, (subject, body, comments) in enumerate(threads):
        query = " ".join(text for text in (subject.strip(), body.strip()) if text)
        kept = [(text.strip(), int(label == "Good")) for text, label in comments if text.strip()]
        if query and kept:
            expected[f"Q{number}"] = (query, kept)
    loaded = read_semeval(path, questions="all")
    assert {
        one.query_id: (one.query, list(zip(one.docs, one.labels, strict=True))) for one in loaded.data
    } == expected


BOMB = '<!DOCTYPE xml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<xml><Thread>&b;</Thread></xml>'
OUTSIDE = '<!DOCTYPE xml [\n<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<xml>&a;</xml>'
PARAMETER = '<!DOCTYPE xml [<!ENTITY % p SYSTEM "http://localhost/x"> %p;]><xml/>'


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (BOMB, 1, "defines the entity 'a'"),
        (OUTSIDE, 2, "defines the entity 'a'"),
        (PARAMETER, 1, "defines the entity 'p'"),
        ('<!DOCTYPE xml SYSTEM "other.dtd"><xml>&a;</xml>', 1, "refers to the file 'other.dtd'"),
        ("<xml>\n&a;</xml>", 2, "broken XML: undefined entity"),
        ("<xml>\n<Thread><RelQuestion RELQ_ID='1'>", 2, "broken XML: no element found"),
        ("<xml><RelQuestion RELQ_ID='1'/></xml>", 1, "<RelQuestion> outside a <Thread>"),
        ("<xml><Thread><RelQuestion/></Thread></xml>", 1, "<RelQuestion> has no RELQ_ID"),
        ("<xml><Thread>\n<RelComment RELC_ID='1'/></Thread></xml>", 2, "has no RELC_RELEVANCE2RELQ"),
        ("<xml><Thread><RelCText>a</RelCText></Thread></xml>", 1, "<RelCText> outside a <RelComment>"),
        ("<xml/>", None, "holds no <Thread>"),
    ],
)
def test_bad_xml(tmp_path, content, line, words):
    path = tmp_path / "x.xml"
    path.write_text(content)
    with pytest.raises(DataError, match=words) as caught:
        read_semeval(path)
    assert caught.value.line == line


def test_broken_threads_name_the_line(tmp_path):
    path = tmp_path / "x.xml"
    _write(path, _thread("Q1", *BANK), _thread("Q2", "a", "b", [("c", "?")]))
    with pytest.raises(DataError) as error:
        read_semeval(path)
    assert error.value.line == 17
    _write(path, _thread("Q1", *BANK), _thread("Q2", *CAR), _thread("Q1", *BANK))
    with pytest.raises(DataError) as error:
        read_semeval(path)
    assert error.value.line == 23
