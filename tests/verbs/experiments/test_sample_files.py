"""The practice files match their names, and textkin reads each of them."""

import json
from collections import Counter

import pytest

import textkin as tk
from textkin.cli import main
from textkin.data import samples
from textkin.data.readers import load_pairs, load_texts
from textkin.data.readers.choices import read_choices
from textkin.verbs.experiments.sample_files import write_practice


@pytest.mark.slow
def test_all_files_are_read(tmp_path):
    rows = write_practice(tmp_path).rows
    assert {name for name in rows if not (tmp_path / name).exists()} == set()
    assert len(load_pairs(tmp_path / "pairs.tsv").data) == rows["pairs.tsv"] == len(samples.pairs())
    assert len(load_texts(tmp_path / "inbox.txt").data.texts) == rows["inbox.txt"] == 184
    assert rows["passages.tsv"] == sum(rows[f"qa/{side}.tsv"] for side in ("train", "dev", "test"))
    assert len(list((tmp_path / "handbook").glob("*.txt"))) == rows["handbook"]


def test_no_passage_is_on_two_sides(tmp_path):
    write_practice(tmp_path)
    sides = [
        {line.split("\t")[2] for line in (tmp_path / f"qa/{side}.tsv").read_text().splitlines()[1:]}
        for side in ("train", "dev", "test")
    ]
    assert [len(side) for side in sides] == [24, 6, 10] and len(set.union(*sides)) == 40


def test_command(tmp_path, capsys):
    assert main(["demo", "--practice", str(tmp_path / "here"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"]["pairs.tsv"] == 10366 and (tmp_path / "here" / "town.json").exists()
    assert main(["demo", "--practice", str(tmp_path / "there")]) == 0
    assert "inbox.txt" in capsys.readouterr().out


def test_an_exam_with_what_its_answers_can_be_found_in(tmp_path):
    rows = write_practice(tmp_path).rows
    exams = [read_choices(tmp_path / f"exam/{side}.tsv").data for side in ("dev", "test")]
    assert [len(exam) for exam in exams] == [rows["exam/dev.tsv"], rows["exam/test.tsv"]] == [20, 40]
    questions = [one for exam in exams for one in exam]
    assert len({one.question for one in questions}) == 60
    assert Counter(one.answer for one in questions) == {0: 15, 1: 15, 2: 15, 3: 15}
    cards = load_texts(tmp_path / "exam/cards.tsv", reading=tk.TextReading(text="question")).data.texts
    assert len(cards) == rows["exam/cards.tsv"] == 162
    assert not {one.question for one in questions} & set(cards)
