from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers import Reading, detect, load
from textkin.data.readers.datasets.trecqa import read_trecqa

TOKENS = st.lists(st.sampled_from(["who", "is", "<b>", "R&D", '"', "a.b", "&amp;", "é", "?"]), max_size=4)
QUESTIONS = st.lists(st.tuples(TOKENS, st.lists(st.tuples(TOKENS, st.booleans()), max_size=4)), max_size=5)

FILE = """<QApairs id='1.4'>
<question>
What\tgroup\tare\tCrip\tmembers\t?
WP\tNN\tVBP\tNN\tNNS\t.
</question>
<negative>
Prison\tgangs\tgrow\t.
NN\tNNS\tVBP\t.
</negative>
<positive>
The\tBlack\tCrips\t.
</positive>
</QApairs>
<QApairs id="2.1">
<question>
Who\t?
</question>
</QApairs>
"""


def _pseudo_xml(questions) -> str:
    lines = []
    for number, (question, candidates) in enumerate(questions):
        blocks = [("question", question)]
        blocks += [("positive" if right else "negative", tokens) for tokens, right in candidates]
        lines.append(f"<QApairs id='{number}.1'>")
        for kind, tokens in blocks:
            lines += [f"<{kind}>", escape("\t".join(tokens)), "\t".join("N" * len(tokens)), f"</{kind}>"]
        lines.append("</QApairs>")
    return "\n".join(lines) + "\n"


def _folder(folder: Path, rows, **more: str) -> Path:
    folder.mkdir(exist_ok=True)
    columns = zip(*rows, strict=True)
    for name, column in zip(("a.toks", "b.toks", "sim.txt", "id.txt"), columns, strict=True):
        (folder / name).write_text("".join(f"{cell}\n" for cell in column))
    for name, content in more.items():
        (folder / f"{name}.txt").write_text(content)
    return folder


ROWS = [("who ?", "x", "1", "7"), ("who ?", "y z", "0", "7"), ("what ?", "x", "0", "8.2")]


@given(QUESTIONS)
def test_pseudo_xml_comes_back(tmp_path_factory, questions):
    path = tmp_path_factory.getbasetemp() / "jacana.xml"
    path.write_text(_pseudo_xml(questions) or "\n")
    loaded = read_trecqa(path, questions="all")
    pair = 0
    expected = []
    for number, (question, candidates) in enumerate(questions):
        kept = []
        for tokens, right in candidates:
            if question and tokens:
                kept.append((str(pair), " ".join(tokens), int(right)))
            pair += 1
        if kept:
            expected.append((f"{number}.1", " ".join(question), kept))
    assert [
        (one.query_id, one.query, list(zip(one.doc_ids, one.docs, one.labels, strict=True)))
        for one in loaded.data
    ] == expected
    assert loaded.report.kept == sum(len(one.docs) for one in loaded.data)


def test_the_layout_of_jacana(tmp_path):
    path = tmp_path / "test-less-than-40.manual-edit.xml"
    path.write_text(FILE)
    assert detect(path) == "trecqa"
    loaded = load(path)
    (question,) = loaded.data
    assert question.query == "What group are Crip members ?"
    assert question.docs == ("Prison gangs grow .", "The Black Crips .")
    assert (question.doc_ids, question.labels) == (("0", "1"), (0, 1))
    assert loaded.report.skipped == {"question without candidates": 1}
    assert loaded.report.examples[0].line == 14
    assert len(read_trecqa(path, questions="all").data) == 1


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (FILE[: FILE.index("</negative>")], 6, "this <negative> is not closed"),
        (FILE[: FILE.index("<positive>")], 1, "this <QApairs> is not closed"),
        (FILE.replace("</question>\n", "", 1), 2, "this <question> is not closed"),
        (FILE.replace("<negative>", "<answer>"), 6, "found '<answer>', expected <question>, <positive>"),
        (FILE.replace("<question>\nWho\t?\n</question>\n", ""), 14, "'2.1': expected one <question>"),
        (FILE.replace("id='1.4'", ""), 1, "expected <QApairs id="),
        ("Who\t?\n" + FILE, 1, "expected <QApairs id="),
        (FILE.replace("2.1", "1.4") + FILE.replace("1.4", "9"), 0, ""),
    ],
)
def test_broken_pseudo_xml_names_the_line(tmp_path, content, line, words):
    path = tmp_path / "x.xml"
    path.write_text(content)
    if not words:
        assert read_trecqa(path).report.rows == 6
        return
    with pytest.raises(DataError, match=words) as caught:
        read_trecqa(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_folder_of_token_files(tmp_path):
    folder = _folder(tmp_path / "raw-test", ROWS, numrels="1\n0\n")
    assert detect(folder) == "trecqa"
    loaded = load(folder, reading=Reading(questions="all"))
    assert [(one.query_id, one.query, one.docs, one.doc_ids, one.labels) for one in loaded.data] == [
        ("7", "who ?", ("x", "y z"), ("0", "1"), (1, 0)),
        ("8.2", "what ?", ("x",), ("2",), (0,)),
    ]
    assert loaded.data.name == "raw-test, all questions"


@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        ([*ROWS, ("a", "b", "2", "9")], {}, ":4: label '2', expected 0 or 1"),
        ([*ROWS, ("a", "b", "1", "")], {}, ":4: id.txt has no id here"),
        ([*ROWS, ("a", "b", "1", "7")], {}, ":4: question '7' comes back"),
        ([*ROWS, ("a", "b", "1", "8.2")], {}, ":4: question '8.2' has two texts"),
        (ROWS, {"numrels": "1\n1\n"}, "numrels.txt:2: says 1 right candidates of question 2, sim.txt has 0"),
        (ROWS, {"numrels": "1\n"}, "numrels.txt:2: says none"),
        (ROWS, {"sim": "1\n0\n"}, r"ends before line 3, which the others have \(sim.txt\)"),
    ],
)
def test_broken_folders(tmp_path, rows, more, words):
    with pytest.raises(DataError, match=words):
        read_trecqa(_folder(tmp_path / "x", rows, **more))


@pytest.mark.parametrize("label", ["0\x1c", "\x1c1", "\x1c", "1\x1f", "1\u2003"])
def test_a_separator_byte_in_sim_txt_is_no_label(tmp_path, label):
    folder = _folder(tmp_path / "folder", [*ROWS[:2], ("what ?", "x", label, "8.2")])
    with pytest.raises(DataError) as caught:
        load(folder)
    assert caught.value.line == 3
    assert caught.value.line == 3
    assert "\x1c" not in str(caught.value)
