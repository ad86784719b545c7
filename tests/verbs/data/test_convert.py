import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin import convert
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import detect, load

TEXT = "Ada met Bob. Bob\tleft. Cy came\nlater. Bob slept."
SENTENCES = ["Ada met Bob.", "Bob left.", "Cy came later.", "Bob slept."]


def _squad(path, *questions, text=TEXT):
    qas = [
        {
            "id": f"q{number}",
            "question": f"Who\t{number}?",
            "answers": [{"text": text[start:end], "answer_start": start} for start, end in spans],
        }
        for number, spans in enumerate(questions)
    ]
    data = {"data": [{"title": "Page one", "paragraphs": [{"context": text, "qas": qas}]}]}
    path.write_text(json.dumps(data))
    return path


def _at(sentence, *, shift=0):
    start = TEXT.replace("\t", " ").replace("\n", " ").index(SENTENCES[sentence]) + shift
    return (start, start + 3)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.tsv"


def test_the_sentence_that_holds_the_answer_is_right(tmp_path, out):
    source = _squad(tmp_path / "train.json", [_at(1)], [_at(3)])
    done = convert(source, out=out)
    assert (done.questions, done.written, done.sentences, done.right, done.dropped) == (2, 2, 8, 2, {})
    assert detect(out) == "wikiqa"
    first, second = load(out).data
    assert (first.query_id, first.query) == ("q0", "Who 0?")
    assert list(first.docs) == SENTENCES
    assert first.doc_ids == ("0-0-0", "0-0-1", "0-0-2", "0-0-3")
    assert (first.labels, second.labels) == ((0, 1, 0, 0), (0, 0, 0, 1))
    assert out.read_text().splitlines()[1].split("\t")[2:4] == ["0-0", "Page one"]


def test_what_annotators_that_differ_mean(tmp_path, out):
    across = (_at(0)[0], _at(1)[1])
    source = _squad(
        tmp_path / "dev.json",
        [_at(0), _at(1), _at(1)],
        [_at(0), _at(1)],
        [_at(0), _at(1), _at(2), _at(2)],
        [across],
        [across, _at(2)],
        [],
        [_at(0), _at(0, shift=4)],
    )
    done = convert(source, out=out, format="json")
    assert done.dropped == {
        "annotators point to two sentences equally often": 1,
        "annotators point to more than two sentences": 1,
        "no answer lies within one sentence": 1,
        "the passage does not answer it": 1,
    }
    assert done.questions == 7 == done.written + sum(done.dropped.values())
    labels = {one.query_id: one.labels.index(1) for one in load(out).data}
    assert labels == {"q0": 1, "q4": 2, "q6": 0}


def test_answers_at_the_edges_of_sentences(tmp_path, out):
    whole = [
        (start, start + len(text)) for text, (start, _) in zip(SENTENCES, map(_at, range(4)), strict=True)
    ]
    source = _squad(
        tmp_path / "x.json",
        *([span] for span in whole),
        *([(start - 1, end)] for start, end in whole[1:]),
        *([(start, end + 1)] for start, end in whole[:-1]),
    )
    done = convert(source, out=out)
    assert [one.labels.index(1) for one in load(out).data] == [0, 1, 2, 3]
    assert done.dropped == {"no answer lies within one sentence": 6}


def test_questions_that_the_reader_skips_are_counted(tmp_path, out):
    path = _squad(tmp_path / "x.json", [_at(0)], [_at(1)])
    document = json.loads(path.read_text())
    document["data"][0]["paragraphs"][0]["qas"][1]["answers"][0]["answer_start"] = 40
    path.write_text(json.dumps(document))
    done = convert(path, out=out)
    assert done.dropped == {"answer that does not stand where its offset says": 1}
    assert (done.questions, done.written) == (2, 1)


def _lines(folder, told, asked=None):
    asked = [f"what {number} ?" for number in range(len(told))] if asked is None else asked
    for name, rows in (("src", told), ("tgt", asked)):
        (folder / f"{name}-dev.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return folder / "src-dev.txt"


@given(st.lists(st.sampled_from(["", *"abcdef"]), min_size=1, max_size=30), st.integers(1, 7))
def test_neighbouring_lines_give_the_wrong_sentences(tmp_path_factory, told, count):
    folder = tmp_path_factory.getbasetemp()
    source, out = _lines(folder, told), folder / "lines.tsv"
    if not any(told):
        with pytest.raises(DataError, match="no question is left"):
            convert(source, out=out, neighbours=count)
        return
    done = convert(source, out=out, format="nqg", neighbours=count)
    assert done.dropped == ({"an empty text": told.count("")} if "" in told else {})
    data = load(out).data
    asked = [place for place, sentence in enumerate(told) if sentence]
    assert [one.query_id for one in data] == [f"dev-{place + 1}" for place in asked]
    distinct = {sentence for sentence in told if sentence}
    for one, place in zip(data, asked, strict=True):
        assert len(one.docs) == len(set(one.docs)) == min(count + 1, len(distinct))
        assert one.docs[one.labels.index(1)] == told[place] and sum(one.labels) == 1
        numbers = [int(doc_id.partition("-")[2]) for doc_id in one.doc_ids]
        assert all(here < there for here, there in pairwise(numbers))
        assert [told[number - 1] for number in numbers] == list(one.docs)


def test_the_position_of_the_right_sentence_tells_nothing(tmp_path, out):
    convert(_lines(tmp_path, [f"sentence {number}" for number in range(60)]), out=out, neighbours=4)
    places = Counter(one.labels.index(1) for one in load(out).data.queries[5:55])
    assert places == dict.fromkeys(range(5), 10)


def test_arguments_and_files_that_do_not_fit(tmp_path, out):
    squad, told = _squad(tmp_path / "x.json", [_at(0)]), _lines(tmp_path, ["a", "b"])
    for arguments, options, error, words in (
        ((squad, squad), {}, UsageError, "out would overwrite"),
        ((squad, out), {"neighbours": 3}, UsageError, "neighbours doesn't apply"),
        ((told, out), {"neighbours": 0}, UsageError, "neighbours is"),
        ((told, out), {"format": "xml"}, UsageError, "format is"),
        ((told, out), {"format": "json"}, DataError, "broken JSON"),
        ((tmp_path / "tgt-dev.txt", out), {}, UsageError, "source is"),
        ((tmp_path / "none.txt", out), {}, DataError, "no such file"),
        ((_squad(tmp_path / "y.json", []), out), {}, DataError, "no question is left"),
    ):
        with pytest.raises(error, match=words):
            convert(arguments[0], out=arguments[1], **options)
        assert not out.exists()
    (tmp_path / "tgt-dev.txt").write_text("one\n")
    with pytest.raises(DataError) as refused:
        convert(told, out=out)
    assert str(refused.value.path).endswith("src-dev.txt")
