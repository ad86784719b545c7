import random
import time

import pytest

from tests.reference.templates import family_sizes
from textkin.data import samples
from textkin.vectors.groups import templated_texts
from textkin.vectors.groups.guards import STANDARD
from textkin.vectors.groups.templated_texts import ChosenGuards, templates

COLOURS = ["red", "blue", "green", "white", "black", "yellow"]
THINGS = ["lamp", "chair", "table", "shelf", "sofa"]
NAMES = ["john", "mary", "peter", "anna", "tom", "lisa", "paul", "eva", "max", "ida"]


def mails():
    draws = random.Random(0)
    return sorted(
        {
            f"Dear {draws.choice(NAMES)}, your {draws.choice(COLOURS)} {draws.choice(THINGS)} arrives today"
            for _ in range(100)
        }
    )


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        ([f"The {colour} door is open" for colour in COLOURS], 6),
        ([f"Is it {how} to eat {what}?" for how in ("safe", "unsafe") for what in THINGS], 10),
        ([f"\u60a8\u7684{one}\u8272\u706f\u5df2\u7ecf\u53d1\u8d27" for one in "\u7ea2\u84dd\u7eff\u767d"], 4),
        ([f"{who} wrote sentence {number} of a book" for number in range(3) for who in NAMES], 30),
        ([f"Ticket {number} is closed now" for number in range(50)], 0),
        (["The red door is open", "The blue door is open", "When do you close?"], 0),
        (["red", "blue", "green"], 0),
        ([], 0),
    ],
)
def test_texts_of_templates(texts, alike):
    assert templates(texts).alike == alike


@pytest.mark.parametrize("together", [1, 30, 1 << 25])
def test_frames_may_be_compared_in_parts(monkeypatch, together):
    monkeypatch.setattr(templated_texts, "_TOGETHER", together)
    draws = random.Random(0)
    for _ in range(8):
        drawn = (
            f"{draws.choice(COLOURS)} door, {draws.choice(NAMES)} {draws.choice(THINGS)}" for _ in range(40)
        )
        texts = sorted(set(drawn))
        found = family_sizes([text.replace(",", "").split() for text in texts], 3)
        alike = sum(size >= 3 for size in found)
        assert alike >= len(texts) / 4, "so that it is told"
        assert templates(texts).alike == alike


def test_templates_with_several_words_to_fill_in():
    assert templates(mails()).many


def test_pairs_of_texts_that_differ_in_a_word_count_if_they_are_half_of_all():
    ends = [
        "makes good soap",
        "is found near rivers",
        "melts in summer",
        "costs too much here",
        "keeps us warm",
    ]
    pairs = [f"{word} {end}" for end in ends for word in ("Ice", "Oil")]
    assert templates(pairs).alike == 10
    assert not templates(pairs + [f"{end} {end[::-1]}" for end in ends * 3]).many


def test_ordinary_texts_are_not_of_templates():
    assert not templates(samples.path("inbox.txt").read_text(encoding="utf-8").splitlines()).many


@pytest.mark.slow
def test_templates_are_found_in_time_by_the_length_of_the_texts():
    draws = random.Random(0)
    long = [" ".join(draws.choice(NAMES + THINGS) for _ in range(50_000)) for _ in range(3)]
    started = time.perf_counter()
    templates(long)
    assert time.perf_counter() - started < 20, "by the square of the length it would be many minutes"


def test_guards_that_are_chosen():
    red = [f"The {colour} door is open" for colour in COLOURS]
    assert ChosenGuards.of(None, red) == ChosenGuards((*STANDARD, "content"), 6)
    assert ChosenGuards.of(("order",), red) == ChosenGuards(("order",))
    assert ChosenGuards.of(None, ["When do you open?"]) == ChosenGuards(STANDARD)
    assert "6 of 6" in ChosenGuards.of(None, red).sentence(6)
    assert ChosenGuards(STANDARD).sentence(6) == ""
