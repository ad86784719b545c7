import json
from pathlib import Path

import pytest

from textkin.base.errors import DataError
from textkin.data.readers.choices import is_choices, read_asked, read_choices

CHALLENGE = "id\tquestion\tcorrectAnswer\tanswerA\tanswerB\tanswerC\tanswerD\n"
ROW = "7\tWhat melts?\tC\tfire\tiron ore\tice\tair\n"


def write(folder, text, name="exam.tsv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def only(path):
    (one,) = read_choices(path).data
    return one


def test_the_table_of_the_challenge(tmp_path):
    one = only(write(tmp_path, CHALLENGE + ROW))
    assert (one.question_id, one.question, one.answer) == ("7", "What melts?", 2)
    assert one.choices == ("fire", "iron ore", "ice", "air")


def test_without_answers_there_are_six_columns(tmp_path):
    six = "id\tquestion\tanswerA\tanswerB\tanswerC\tanswerD\n7\tWhat melts?\tfire\tiron\tice\tair\n"
    loaded = read_choices(write(tmp_path, six))
    assert only(loaded.report.path).answer is None
    assert not loaded.data.is_answered


def test_an_unnamed_index_before_them(tmp_path):
    eight = f"\t{CHALLENGE}0\t{ROW}"
    assert only(write(tmp_path, eight)).question_id == "7"


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("question,A,B,C,answer", "What melts?,fire,iron,ice,C"),
        ("question,option1,option2,option3,label", "What melts?,fire,iron,ice,3"),
        ("Question,choice_a,choice_b,choice_c,Correct", "What melts?,fire,iron,ice,ice"),
        ("answer1,answer2,answer3,answer4,question,answerKey", "fire,iron,ice,,What melts?,3"),
    ],
)
def test_tables_with_named_columns(tmp_path, header, row):
    one = only(write(tmp_path, f"{header}\n{row}\n", "exam.csv"))
    assert (one.question_id, one.choices, one.answer) == ("1", ("fire", "iron", "ice"), 2)


@pytest.mark.parametrize(
    "found",
    [
        {"id": "7", "question": "What melts?", "choices": ["fire", "ice"], "answer": "B"},
        {
            "id": "7",
            "question": {
                "stem": "What melts?",
                "choices": [{"text": "fire", "label": "1"}, {"text": "ice", "label": "2"}],
            },
            "answerKey": "2",
        },
        {
            "id": "7",
            "question": "What melts?",
            "choices": {"text": ["fire", "ice"], "label": ["P", "Q"]},
            "answerKey": "Q",
        },
        {
            "id": 7,
            "question": {"stem": "What melts?"},
            "choices": [{"text": "fire"}, {"text": "ice"}],
            "answerKey": "ice",
        },
    ],
)
def test_json_lines(tmp_path, found):
    path = write(tmp_path, json.dumps(found) + "\n\n", "exam.jsonl")
    assert is_choices(path)
    one = only(path)
    assert (one.question_id, one.question, one.choices, one.answer) == (
        "7",
        "What melts?",
        ("fire", "ice"),
        1,
    )


def test_a_number_that_may_be_a_place_or_a_text_is_refused(tmp_path):
    row = '{"question": "How many?", "choices": ["2", "1"], "answer": "1"}'
    with pytest.raises(DataError) as error:
        read_choices(write(tmp_path, row, "exam.jsonl"))
    assert error.value.line == 1
    same = '{"question": "How many?", "choices": ["1", "2"], "answer": "1"}'
    assert only(write(tmp_path, same, "exam.jsonl")).answer == 0
    letter = '{"question": "How many?", "choices": ["2", "1"], "answer": "B"}'
    assert only(write(tmp_path, letter, "exam.jsonl")).answer == 1


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (CHALLENGE + ROW + ROW.replace("7", "8").replace("C", "E"), "answer 'E' is none of the 4 choices", 3),
        (CHALLENGE + ROW + ROW, "the id '7' comes twice, first on line 2", 3),
        (CHALLENGE + "7\t \tA\ta\tb\tc\td\n", "the question is empty", 2),
        (CHALLENGE + "7\tWhat?\tA\ta\t\t\t\n", "1 choices, expected 2 to 8", 2),
        (CHALLENGE + "7\tWhat?\tA\ta\t\tc\td\n", "a choice before the last one is empty", 2),
        (CHALLENGE + ROW + "8\tWhat?\tA\ta\tb\n", "5 columns, expected 7", 3),
        ("id\tquestion\tcorrectAnswer\n7\tWhat?\tA\n", "holds no questions with choices", None),
        ('{"question": "What?", "choices": ["a"]}\n', "1 choices", 1),
        ('{"question": "What?", "choices": ["a", "b"]}\n{"question"\n', "not a readable JSON object", 2),
        ('{"question": "What?", "choices": ["a", [2.5], null]}\n', "a choice is not a text", 1),
        ('{"question": "What?", "choices": "a, b"}\n', "no list of choices", 1),
        ('{"question": {"stem": "What?"}, "choices": {"text": ["a"], "label": []}}\n', "no lists", 1),
        ('{"choices": ["a", "b"]}\n', "the object has no question", 1),
        (
            '{"question": "What?", "choices": ["a", "b"], "answer": true}\n',
            "the answer is not a text or number",
            1,
        ),
        (
            '{"question": {"stem": "What?", "choices": [{"text": "a", "label": "A"}, '
            '{"text": "b", "label": "A"}]}, "answerKey": "A"}\n',
            "two choices are called 'A'",
            1,
        ),
    ],
)
def test_what_is_malformed_names_file_and_line(tmp_path, text, message, line):
    path = write(tmp_path, text)
    with pytest.raises(DataError, match=message) as raised:
        read_choices(path)
    assert str(path) in str(raised.value)
    if line is not None:
        assert f":{line}:" in str(raised.value)


def test_questions_with_faults_are_read_for_the_linter(tmp_path):
    path = write(tmp_path, CHALLENGE + ROW + "8\t \tX\ta\tb\tc\td\n")
    good, bad = read_asked(path)
    assert not list(good.faults())
    assert list(bad.faults()) == ["the question is empty", "the answer 'X' is none of the 4 choices"]


@pytest.mark.parametrize(
    "text",
    [
        "question1\tquestion2\tlabel\na\tb\t1\n",
        "question\tanswer\nWhat?\tice\n",
        "What melts?\n",
        '{"a": "x", "b": "y"}\n',
    ],
)
def test_other_files_are_none(tmp_path, text):
    assert not is_choices(write(tmp_path, text))


def test_films(tmp_path, capsys):
    films = [
        {
            "qid": "t:0",
            "question": "Who?",
            "answers": ["Ada", "", "Bob"],
            "correct_index": 2,
            "imdb_key": "tt1",
        },
        {"qid": "t:1", "question": "Where?", "answers": ["Here", "There"], "imdb_key": "tt2"},
    ]
    (tmp_path / "qa.json").write_text(json.dumps(films), encoding="utf-8")
    assert is_choices(tmp_path)
    first, second = read_choices(tmp_path).data
    assert (first.choices, first.answer) == (("Ada", "Bob"), 1)
    assert second.answer is None
    (tmp_path / "splits.json").write_text('{"train": ["tt1"]}', encoding="utf-8")
    loaded = read_choices(tmp_path, split="train")
    assert len(loaded.data) == 1
    assert loaded.report.skipped == {"question of another split": 1}
    (tmp_path / "story" / "plot").mkdir(parents=True)
    (tmp_path / "story" / "plot" / "tt1.wiki").write_text("Ada meets Bob.\n\nThey leave.\n")
    first, second = read_choices(tmp_path).data
    assert (first.support, second.support) == (("Ada meets Bob.", "They leave."), ())
    assert "no plot of 1 of 2 films (tt2)" in capsys.readouterr().err
    films[0]["answers"] = ["Ada"]
    (tmp_path / "qa.json").write_text(json.dumps(films), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_choices(Path(tmp_path))
    assert str(error.value.path).endswith("qa.json")


def rows(path, *objects):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in objects), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("answer", "place"), [("b", 1), ("(B)", 1), ("b.", 1), ("B)", 1), (2, 1), ("dog", 1), (None, None)]
)
@pytest.mark.parametrize("last", ["", None, " "])
def test_blank_last_choices_and_loose_keys(tmp_path, answer, place, last):
    asked = {"question": "Q?", "choices": ["cat", "dog", last], "answer": answer}
    one = only(rows(tmp_path / "exam.jsonl", asked))
    assert (one.choices, one.answer) == (("cat", "dog"), place)


def test_a_letter_that_is_a_text_of_another_choice_is_refused(tmp_path):
    path = rows(tmp_path / "exam.jsonl", {"question": "Q?", "choices": ["b", "a"], "answer": "b"})
    with pytest.raises(DataError) as error:
        read_choices(path)
    assert error.value.line == 1


def test_numbers_count_from_0_where_one_is_0(tmp_path):
    asked = [{"question": f"Q{key}?", "choices": ["x", "y", "z"], "answer": key} for key in (0, 1, 2)]
    assert [one.answer for one in read_choices(rows(tmp_path / "a.jsonl", *asked)).data] == [0, 1, 2]
    assert [one.answer for one in read_choices(rows(tmp_path / "b.jsonl", *asked[1:])).data] == [0, 1]
    table = "question,A,B,C,answer\nQ0?,x,y,z,0\nQ2?,x,y,z,2\n"
    assert [one.answer for one in read_choices(write(tmp_path, table, "exam.csv")).data] == [0, 2]
    zero = {"question": "How many?", "choices": ["0", "1", "2"], "answer": 0}
    three = {"question": "Q?", "choices": ["x", "y", "z"], "answer": 3}
    assert [one.answer for one in read_choices(rows(tmp_path / "c.jsonl", zero, three)).data] == [0, 2]
    with pytest.raises(DataError) as error:
        read_choices(rows(tmp_path / "d.jsonl", asked[0], three))
    assert error.value.line == 2


@pytest.mark.parametrize(
    "found",
    [
        {  # OpenBookQA
            "id": "7-980",
            "question_stem": "What melts?",
            "choices": {"text": ["fire", "ice"], "label": ["A", "B"]},
            "answerKey": "B",
        },
        {  # RACE by questions
            "example_id": "high1.txt",
            "article": "Ice melts.",
            "question": "What melts?",
            "options": ["fire", "ice"],
            "answer": "B",
        },
        {"id": "1", "question": "What melts?", "options": {"A": "fire", "B": "ice"}, "answer_key": "B"},
        {"question": "What melts?", "A": "fire", "B": "ice", "answer": "B"},
        {"question": "What melts?", "option1": "fire", "option2": "ice", "label": 2},
    ],
)
@pytest.mark.parametrize("form", ["line", "list", "document"])
def test_layouts_of_other_sets(tmp_path, found, form):
    path = tmp_path / "exam.json"
    text = {"line": json.dumps(found), "list": json.dumps([found]), "document": json.dumps(found, indent=1)}
    path.write_text(text[form])
    assert is_choices(path)
    one = only(path)
    assert (one.question, one.choices, one.answer) == ("What melts?", ("fire", "ice"), 1)
    assert one.support == (("Ice melts.",) if "article" in found else ())


def test_sciq_lists_the_right_choice_apart(tmp_path):
    names = ("question", "distractor3", "distractor1", "distractor2", "correct_answer")
    asked = [dict(zip(names, (f"Which {at}?", "c", "a", "b", "right"), strict=True)) for at in range(200)]
    found = read_choices(rows(tmp_path / "sciq.jsonl", *asked)).data
    for one in found:
        assert one.choices[one.answer] == "right"
        assert [text for text in one.choices if text != "right"] == ["a", "b", "c"]
    places = [one.answer for one in found]
    assert all(30 <= places.count(place) <= 70 for place in range(4))
    table = ",".join(names) + "\n" + "\n".join(",".join(one.values()) for one in asked) + "\n"
    assert [one.answer for one in read_choices(write(tmp_path, table, "sciq.csv")).data] == places


def test_race_has_several_questions_to_an_article(tmp_path):
    article = {
        "id": "high1.txt",
        "article": "Ice melts.",
        "questions": ["What?", "Why?"],
        "options": [["fire", "ice"], ["sun", "moon", "rain"]],
        "answers": ["B", "A"],
    }
    path = rows(tmp_path / "race.jsonl", article, {**article, "id": "high2.txt"})
    assert is_choices(path)
    found = read_choices(path).data
    assert [(one.question_id, one.answer) for one in found] == [
        ("high1.txt-0", 1),
        ("high1.txt-1", 0),
        ("high2.txt-0", 1),
        ("high2.txt-1", 0),
    ]
    assert found.questions[0].support == ("Ice melts.",)


def test_the_linter_reads_on_behind_what_is_broken(tmp_path):
    path = tmp_path / "exam.jsonl"
    good = '{"question": "Q?", "choices": ["a", "b"], "answer": "A"}'
    path.write_text(f'{good}\n{{"question"\n{{"question": "Q?", "choices": [["x"], "b"]}}\n{good}\n')
    assert [list(one.faults()) for one in read_asked(path)] == [
        [],
        ["not a readable JSON object"],
        ["a choice is not a text"],
        [],
    ]


@pytest.mark.parametrize(
    ("answers", "unsure"),
    [((1, 2), True), ((1,), True), ((1, 3), False), ((0, 1), False), (("A", "2"), True)],
)
def test_numbers_that_may_count_from_0_or_1_are_told(answers, unsure, tmp_path, capsys):
    asked = [
        {"question": f"Q{number}?", "choices": ["x", "y", "z"], "answer": told}
        for number, told in enumerate(answers)
    ]
    read_choices(rows(tmp_path / "exam.jsonl", *asked))
    assert ("warning" in capsys.readouterr().err) is unsure
