"""JSON values that aren't text, and paths into objects."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers.entries import EntryFile, EntryReading
from textkin.data.readers.json_lines import TWICE, UNCLEAN, cell_of, keys_of, parse_object, value_at
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, NESTED_TEXT


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "texts.jsonl"


def test_what_is_no_text_is_a_counted_skip(file: Path) -> None:
    values = [
        "NaN",
        "Infinity",
        "-Infinity",
        "null",
        '""',
        '["a"]',
        '{"b": "c"}',
        '"\\ud83d"',
        '"NaN"',
        "5",
        "true",
    ]
    lines = [f'{{"id": {place}, "text": {value}}}' for place, value in enumerate(values)]
    file.write_text("\n".join([*lines, '{"id": 99}', "{"]) + "\n")
    loaded = tk.load_texts(file)
    assert dict(zip(loaded.data.ids, loaded.data.texts, strict=True)) == {"8": "NaN", "9": "5", "10": "true"}
    assert loaded.report.skipped == {
        EMPTY_TEXT: 6,
        NESTED_TEXT: 2,
        UNCLEAN: 1,
        "not a readable JSON object": 1,
    }
    assert [skip.line for skip in loaded.report.examples if skip.reason == NESTED_TEXT] == [6, 7]


def test_a_key_with_two_values_is_a_counted_skip(file: Path) -> None:
    file.write_text(
        '{"id": "a", "text": "one", "text": "two"}\n'
        '{"id": "b", "text": "three", "text": "three"}\n'
        '{"id": "c", "text": "four", "about": {"number": 1, "number": 2}}\n'
        '{"id": "d", "text": "five"}\n'
    )
    loaded = tk.load_texts(file)
    assert dict(zip(loaded.data.ids, loaded.data.texts, strict=True)) == {"b": "three", "d": "five"}
    assert loaded.report.skipped == {TWICE: 2}
    assert [skip.line for skip in loaded.report.examples] == [1, 3]


def test_one_bad_first_row_refuses_no_file(file: Path) -> None:
    file.write_text('{"id": 1, "text": "cut \\ud83d"}\n{"id": 2, "text": "fine"}\n')
    assert tk.load_texts(file).data.texts == ("fine",)
    file.write_text('{"id": 1, "te\n{"id": 2, "text": "fine"}\n')
    assert tk.load_texts(file).data.texts == ("fine",)
    file.write_text("[1]\n[2]\n")
    with pytest.raises(DataError) as error:
        tk.load_texts(file)
    assert error.value.line == 1


def test_nothing_but_objects_says_so(file: Path) -> None:
    file.write_text('{"text": ["a"]}\n{"text": ["b"]}\n')
    with pytest.raises(DataError, match=f"2 {NESTED_TEXT}"):
        tk.dedupe(file)


def test_dots_lead_into_objects_and_lists(file: Path) -> None:
    rows = [
        {"data": {"id": "x", "text": "a", "meta": {"lang": "en"}}, "turns": [{"say": "hi"}], "v.1": "dotted"},
        {"data": {"id": "y", "text": "b", "meta": {"lang": "de"}}, "turns": [{"say": "ho"}], "v.1": "key"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")

    def texts(column: str) -> tuple[str, ...]:
        return tk.load_texts(file, reading=tk.TextReading(text=column, id="data.id")).data.texts

    assert texts("data.text") == ("a", "b")
    assert texts("turns.0.say") == ("hi", "ho")
    assert texts("v.1") == ("dotted", "key")
    assert texts("data.text,v.1") == ("a dotted", "b key")
    with pytest.raises(UsageError) as error:
        texts("data.txt")
    assert error.value.params == ("text",)
    reading = EntryReading(text="data.text", id="data.id", metadata=("data.meta.lang",))
    entries = list(EntryFile(file, reading=reading).entries(SkipCounter(file)))
    assert [(one.entry_id, one.text, dict(one.metadata)) for one in entries] == [
        ("x", "a", {"data.meta.lang": "en"}),
        ("y", "b", {"data.meta.lang": "de"}),
    ]
    pairs = [{"p": {"q": "a", "r": "b"}, "l": 1}, {"p": {"q": "c", "r": "d"}, "l": 0}]
    file.write_text("\n".join(map(json.dumps, pairs)) + "\n")
    found = tk.load_pairs(file, reading=tk.Reading(columns={"a": "p.q", "b": "p.r", "label": "l"})).data
    assert list(found.texts) == [("a", "b"), ("c", "d")]


def test_named_keys_may_come_late(file: Path) -> None:
    rows = [{"text": f"a{n}", "about": {"n": n} | ({"lang": "de"} if n > 300 else {})} for n in range(400)]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    reading = EntryReading(text="text", metadata=("about.lang", "about.n"))
    kept = [one.metadata for one in EntryFile(file, reading=reading).entries(SkipCounter(file))]
    assert kept[:301] == [{"about.n": n} for n in range(301)]
    assert kept[301:] == [{"about.n": n, "about.lang": "de"} for n in range(301, 400)]
    with pytest.raises(UsageError, match=r"no column 'about\.land'"):
        EntryFile(file, reading=replace(reading, metadata=("about.land",)))


def test_a_key_comes_before_a_path() -> None:
    assert value_at({"a.b": "key", "a": {"b": "path"}}, "a.b") == "key"
    assert value_at({"a": {"b.c": "late"}, "a.b": {"c": "early"}}, "a.b.c") == "late"
    assert value_at({"a": {"b": None}, "a.b": {"c": 1}}, "a.b.c") == 1
    assert value_at({"a": "text"}, "a.b") is None


def test_objects_with_very_many_keys_are_no_columns() -> None:
    line = json.dumps({"text": "a", "votes": {str(number): 1 for number in range(600)}})
    assert keys_of([line]) == ("text", "votes")
    assert keys_of([line], ["votes.7"]) == ("text", "votes", "votes.7")


def test_not_a_number_is_nothing() -> None:
    assert parse_object('{"a": NaN, "b": -Infinity, "c": 1e500}') == {"a": None, "b": None, "c": "1e500"}


def test_lists_and_objects_keep_their_numbers():
    line = '{"tags": [1, 2.50, "3", null, true], "of": {"a b": {"n": -1e3}}}'
    values = parse_object(line)
    assert cell_of(values["tags"]) == '[1, 2.50, "3", null, true]'
    assert cell_of(values["of"]) == '{"a b": {"n": -1e3}}'
