import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.columns import (
    Roles,
    find_column,
    find_id_column,
    find_roles,
    find_text_column,
    is_header,
    parse_columns,
)

TEXTS = [("How do I fly?", "How can I fly?"), ("Is it far?", "Is it near?"), ("Why me?", "Who, then?")]


def test_parse_columns() -> None:
    assert parse_columns("a=question1, b = 2,label=is_duplicate") == {
        "a": "question1",
        "b": "2",
        "label": "is_duplicate",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", ("columns",)),
        ("a=", ("columns",)),
        ("lable=x", ("columns",)),
        ("a=x,a=y", ("columns",)),
        ("", ("columns",)),
    ],
)
def test_parse_columns_refuses(text: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_columns(text)
    assert error.value.params == words


def test_find_column_by_name_case_and_number() -> None:
    header = ("Id", "Question 1", "3")
    assert find_column(header, 3, "question_1") == 1
    assert find_column(header, 3, "2") == 1
    assert find_column(header, 3, "3") == 2
    assert find_column(None, 3, "3") == 2
    for column, words in (
        ("questoin 1", ("text",)),
        ("4", ("text",)),
        ("0", ("text",)),
        ("-question 1", ("text",)),  # no order from high to low, as elsewhere
    ):
        with pytest.raises(UsageError) as error:
            find_column(header, 3, column)
        assert error.value.params == words
    with pytest.raises(UsageError) as error:
        find_column(None, 3, "text")
    assert error.value.params == ("text",)
    with pytest.raises(UsageError) as error:
        find_column(("x", "x"), 2, "x")
    assert error.value.params == ("text",)


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        (("id", "qid1", "qid2", "question1", "question2", "is_duplicate"), Roles(3, 4, 5, 1, 2, 0)),
        (("Sentence1", "sentence2", "score"), Roles(0, 1, 2)),
        (("label", "Text1", "Text2"), Roles(1, 2, 0)),
        (("a", "b"), Roles(0, 1)),
        (("anchor", "positive", "negative"), Roles(0, 1)),
        (("query", "document", "relevance"), Roles(0, 1, 2)),
    ],
)
def test_header_names(header: tuple[str, ...], roles: Roles) -> None:
    assert find_roles(header, [], None, "f") == roles


def test_cells_without_header() -> None:
    assert find_roles(None, TEXTS, None, "f") == Roles(0, 1)
    assert find_roles(None, [(a, b, "1") for a, b in TEXTS], None, "f") == Roles(0, 1, 2)
    assert find_roles(None, [("0", a, b) for a, b in TEXTS], None, "f") == Roles(1, 2, 0)
    bimpm = [(str(i % 2), a, b, str(900 + i)) for i, (a, b) in enumerate(TEXTS)]
    assert find_roles(None, bimpm, None, "f") == Roles(1, 2, 0)
    numbered = [(str(i + 5), a, b) for i, (a, b) in enumerate(TEXTS)]
    assert find_roles(None, numbered, None, "f") == Roles(1, 2)
    graded = [(a, b, score) for (a, b), score in zip(TEXTS, ("2.5", "0.1", "4"), strict=True)]
    assert find_roles(None, graded, None, "f") == Roles(0, 1, 2)


def test_ids_of_several_files_are_no_labels() -> None:
    texts = [(f"who {number}", f"what {number}") for number in range(60)]
    mixed = [(str(1 + number % 45), a, b) for number, (a, b) in enumerate(texts)]
    with pytest.raises(DataError) as error:
        find_roles(None, mixed, None, "f")
    assert str(error.value.path).endswith("f")
    assert find_roles(None, mixed, {"label": "1"}, "f") == Roles(1, 2, 0)
    assert find_roles(None, mixed, {"id_a": "1"}, "f") == Roles(1, 2, None, 0)
    for grades in (11, 20):
        graded = [(a, b, str(number % grades)) for number, (a, b) in enumerate(texts)]
        assert find_roles(None, graded, None, "f") == Roles(0, 1, 2)
    parts = [(a, b, f"{number / 7:.2f}") for number, (a, b) in enumerate(texts)]
    assert find_roles(None, parts, None, "f") == Roles(0, 1, 2)


def test_two_columns_that_may_be_the_label_are_an_error() -> None:
    texts = [(f"who {number}", f"what {number}") for number in range(60)]
    judged = [(str(1 + number // 30), a, b, str(number % 2)) for number, (a, b) in enumerate(texts)]
    assert find_roles(None, judged, None, "f") == Roles(1, 2, 3)  # of words, which 1 and 0 are
    by_one = [("1", *row[1:]) for row in judged]
    votes = [(a, b, f"{number % 7}", f"{number % 5 / 2}") for number, (a, b) in enumerate(texts)]
    for rows, label in ((by_one, 3), (votes, 2)):
        with pytest.raises(DataError) as error:
            find_roles(None, rows, None, "f")
        assert str(error.value.path).endswith("f")
        named = find_roles(None, rows, {"label": str(label + 1)}, "f")
        assert (named.label, named.guessed) == (label, False)
    assert find_roles(None, by_one, {"id_a": "1"}, "f") == Roles(1, 2, 3, 0)  # the other is left


def test_numbers_in_columns_of_unknown_names_are_looked_at_likewise() -> None:
    texts = [(f"who {number}", f"what {number}") for number in range(60)]
    mixed = [(str(1 + number % 45), a, b) for number, (a, b) in enumerate(texts)]
    with pytest.raises(DataError) as error:
        find_roles(("nr", "frage", "antwort"), mixed, None, "f")
    assert str(error.value.path).endswith("f")
    assert find_roles(("nr", "frage", "antwort"), mixed, {"label": "nr"}, "f") == Roles(1, 2, 0)
    assert find_roles(("label", "question", "answer"), mixed, None, "f") == Roles(1, 2, 0)


def test_few_grades_that_differ_are_not_taken_for_ids() -> None:
    graded = [(a, b, grade) for (a, b), grade in zip(TEXTS, "531", strict=True)]
    with pytest.raises(DataError) as error:
        find_roles(None, graded, None, "f")
    assert str(error.value.path).endswith("f")
    assert find_roles(None, graded, {"label": "3"}, "f") == Roles(0, 1, 2)
    assert find_roles(None, graded, {"id_a": "3"}, "f") == Roles(0, 1, None, 2)
    for ids in (("1", "2", "3"), ("7", "21", "3")):
        numbered = [(one, a, b) for (a, b), one in zip(TEXTS, ids, strict=True)]
        assert find_roles(None, numbered, None, "f") == Roles(1, 2)


def test_the_whole_number_of_one_row_is_its_label_behind_the_texts() -> None:
    [(a, b), *_] = TEXTS
    for label in ("5", "0", "20"):
        assert find_roles(None, [(a, b, label)], None, "f") == Roles(0, 1, 2)
    assert find_roles(None, [("5", a, b)], None, "f") == Roles(1, 2)
    assert find_roles(None, [(a, b, "1041")], None, "f") == Roles(0, 1)
    assert find_roles(None, [("7", a, b, "3")], None, "f") == Roles(1, 2, 3)


def test_few_grades_that_increase_are_not_taken_for_ids_behind_the_texts() -> None:
    graded = [(a, b, grade) for (a, b), grade in zip(TEXTS, "245", strict=True)]
    with pytest.raises(DataError) as error:
        find_roles(None, graded, None, "f")
    assert str(error.value.path).endswith("f")
    counted = [(a, b, number) for (a, b), number in zip(TEXTS, "345", strict=True)]
    assert find_roles(None, counted, None, "f") == Roles(0, 1)


def test_columns_that_are_called_by_numbers_are_named_by_these() -> None:
    header, rows = ("0", "1", "2", "3"), [(a, b, f"{a}?", "1") for a, b in TEXTS]
    with pytest.raises(DataError) as error:
        find_roles(header, rows, None, "f")
    assert error.value.message.endswith("among: '0', '1', '2', '3'")
    assert error.value.fix == "name them: `columns=a=NAME,b=NAME,label=NAME` (names)"
    assert find_roles(header, rows, {"a": "0", "b": "1", "label": "3"}, "f") == Roles(0, 1, 3)


@pytest.mark.parametrize("twice", [{"a": "1", "b": "1"}, {"a": "1", "b": "2", "label": "2"}])
def test_a_column_has_one_role(twice: dict[str, str]) -> None:
    with pytest.raises(UsageError) as error:
        find_roles(None, [(a, b, "1") for a, b in TEXTS], twice, "f")
    assert error.value.params == ("columns",)


def test_a_name_that_two_columns_have_is_refused_unless_a_number_is_given() -> None:
    header = ("text1", "text2", "label", "Label")
    with pytest.raises(DataError) as error:
        find_roles(header, [], None, "f")
    assert (error.value.message, error.value.fix) == (
        "f: has several columns 'label'",
        "rename one, or give a number: `columns=label=3`",
    )
    assert find_roles(header, [], {"label": "4"}, "f") == Roles(0, 1, 3)


def test_choice_comes_first_and_the_rest_is_guessed() -> None:
    header = ("question1", "question2", "is_duplicate", "other")
    assert find_roles(header, [], {"b": "other"}, "f") == Roles(0, 3, 2)
    assert find_roles(("x", "y", "z"), [], {"a": "x", "b": "3"}, "f") == Roles(0, 2)
    with pytest.raises(UsageError) as error:
        find_roles(header, [], {"a": "1", "b": "1"}, "f")
    assert error.value.params == ("columns",)
    with pytest.raises(UsageError) as error:
        find_roles(header, [], {"c": "1"}, "f")
    assert error.value.params == ("columns",)


def test_columns_that_can_not_be_told_are_listed() -> None:
    with pytest.raises(DataError) as error:
        find_roles(None, [("who", "what", "where")], None, "f")
    assert str(error.value.path).endswith("f")


def test_text_and_id_columns() -> None:
    assert find_text_column(("_id", "Text"), [], "f") == 1
    assert find_text_column(None, [("1", "a text"), ("2", "b text")], "f") == 1
    assert find_text_column(None, [("5",)], "f") == 0
    assert find_id_column(("text", "_id")) == 1
    assert find_id_column(("text",)) is None
    with pytest.raises(DataError) as error:
        find_text_column(None, TEXTS, "f")
    assert str(error.value.path).endswith("f")


def test_is_header() -> None:
    assert is_header(("question1", "question2", "is_duplicate"), [])
    assert is_header(("text",), [("hello",)])
    assert is_header(("left thing", "right thing", "verdict"), [("a x", "b x", "1"), ("c x", "d x", "0")])
    assert not is_header(("1", "question", "answer"), [])
    assert not is_header(("How?", "Why?"), TEXTS)
    assert not is_header(("How?", "Why?", "yes"), [("a x", "b x", "no")])
    assert not is_header(("How?", "Why?"), [])


@pytest.mark.parametrize("name", ["n", "t", "y", "match", "same", "duplicate"])
def test_a_word_for_yes_or_no_is_a_name_above_numbers(name: str) -> None:
    assert is_header(("remark", name), [("hello", "3"), ("world", ""), ("foo", "0.5")])
    assert not is_header(("hello", name), [("world", "no"), ("foo", "yes")])
    assert not is_header(("hello", name), [("world", "1"), ("foo", "yes")])


def test_blank_cells_say_nothing_about_a_header() -> None:
    assert is_header(("text", "votes"), [("hello", "3"), ("world", ""), ("foo", "5")])
    assert is_header(("", "text"), [("0", "hello"), ("1", "world")])  # pandas' index
    assert not is_header(("how are you", "hello you", ""), [("x y", "z w", "1"), ("v w", "w v", "0")])
    assert not is_header(("hello", "see above"), [("world", ""), ("foo", ""), ("bar", "5")])


def test_one_known_name_above_texts_is_a_header() -> None:
    """An export of a help desk has one column whose name says what it contains."""
    tickets = [(f"T{place:05}", "How do I fly?", "2025-01-02") for place in range(20)]
    assert is_header(("ticket", "question", "opened"), tickets)
    assert is_header(("Ticket ID", "Question", "Opened at"), tickets)
    assert is_header(("ticket", "question", "opened"), [*tickets, ("T00020", "Help", "2025-01-02")])
    assert not is_header(("T99999", "question", "2025-01-02"), tickets)  # a ticket that says "question"
    assert not is_header(("ticket", "question", "ticket"), tickets)
    assert not is_header(("ticket", "question", "opened"), [("a", "b", "c")])
    assert not is_header(("ticket", "question", "opened"), [])
    assert not is_header(("ticket", "matter", "opened"), tickets)
    some = [("my order is late", "post"), ("help", "other"), ("refund", "money"), ("open today?", "hours")]
    assert is_header(("text", "category"), some)
    assert not is_header(("text", "category"), some[1:3])


def test_two_sentences_with_an_odd_label_are_a_row() -> None:
    rows = [("a x", "b x", "1"), ("c x", "d x", "0")]
    assert not is_header(("Is it a dog?", "It is a cat.", "unknown"), rows)
    assert not is_header(("is that one of your dogs", "is that one your dog?", "unknown"), rows)
    assert is_header(("What do you like?", "rating"), [("the food", "3"), ("a seat", "4")])  # a survey
    assert is_header(("left", "Is it the same?", "verdict"), rows)


def test_a_number_above_others_is_a_name() -> None:
    rows = [("foo bar", "1"), ("foo baz", "0")]
    assert is_header(("text", "2020"), rows)
    assert not is_header(("text", "1"), rows)
    assert not is_header(("text", "0.53"), rows)
    assert not is_header(("hello", "2020"), rows)


def test_an_empty_column_is_no_label():
    rows = [("one text", "two texts", "", "1"), ("a text", "b text", "", "0")]
    assert find_roles(None, rows, None, "f") == Roles(0, 1, 3)


def test_a_named_label_counts_beside_texts_without_known_names():
    rows = [("cat food", "dog food", "x y", "0"), ("a dog", "the dog", "y z", "1")]
    for label in ("label", "is_duplicate", "score"):
        header = ("x", "y", "z", label)
        assert find_roles(header, rows, {"a": "x", "b": "z"}, "f") == Roles(0, 2, 3)
        assert not find_roles(header, rows, {"a": "x", "b": "z"}, "f").guessed


def test_beside_named_texts_the_only_column_of_yes_and_no_is_the_label():
    header = ("id", "question1", "question2", "is_dup", "day")
    rows = [(str(place), a, b, "ny"[place % 2], "monday") for place, (a, b) in enumerate(TEXTS)]
    found = find_roles(header, rows, None, "f")
    assert (found, found.guessed) == (Roles(1, 2, 3, pair_id=0), True)
    blank = [(*row[:4], "") for row in rows]
    assert find_roles(header, blank, None, "f") == Roles(1, 2, 3, pair_id=0)
    twice = [(*row[:4], "1") for row in rows]
    assert find_roles(header, twice, None, "f") == Roles(1, 2, pair_id=0)
    assert find_roles(header, twice, {"label": "day"}, "f") == Roles(1, 2, 4, pair_id=0)


def test_a_text_that_is_called_as_a_label_is_no_label():
    assert find_roles(("x", "gold"), TEXTS, None, "f") == Roles(0, 1)
    rows = [(a, b, str(place % 2)) for place, (a, b) in enumerate(TEXTS)]
    assert find_roles(("x", "gold", "flag"), rows, None, "f") == Roles(0, 1, 2)
