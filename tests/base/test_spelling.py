import pytest

from textkin.base.spelling import Spelling, spelling_as, spelt

TEXT = "`guards`, `unknown=accept`, `top=3`, `calibrate()`, `add()` and `not this one`"


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        (
            Spelling("python"),
            "guards, unknown='accept', top=3, tk.calibrate, tk.add and `not this one`",
        ),
        (
            Spelling("command", {"guards": "--guard"}),
            "--guard, --unknown accept, --top 3, textkin calibrate, textkin collection add "
            "and `not this one`",
        ),
        (
            Spelling("json"),
            '"guards", "unknown": "accept", "top": 3, textkin calibrate, textkin collection add '
            "and `not this one`",
        ),
    ],
)
def test_each_interface_spells_marks_its_own_way(spelling, expected):
    with spelling_as(spelling):
        assert spelt(TEXT) == expected


def test_a_flag_that_is_on_has_no_value():
    with spelling_as(Spelling("command")):
        assert spelt("`accept_cut=True`") == "--accept-cut"
    assert spelt("`accept_cut=True`") == "accept_cut=True"
    with spelling_as(Spelling("json")):
        assert spelt("`accept_cut=True`") == '"accept_cut": true'


def test_a_value_may_have_a_flag_of_its_own_or_blanks():
    with spelling_as(Spelling("command", {"long=windows": "--windows"})):
        assert spelt("`long=windows`, `long=accept`, `column=two words`") == (
            "--windows, --long accept, --column 'two words'"
        )


def test_python_is_the_interface_unless_another_one_says_so():
    with spelling_as(Spelling("json")):
        pass
    assert spelt("`a_b`") == "a_b"


def test_an_option_of_another_verb_has_no_flag_of_this_command():
    with spelling_as(Spelling("command", {"model": "MODEL"})):
        assert spelt("give `model`, or `lint()` with `model=minilm`") == (
            "give MODEL, or textkin data lint with --model minilm"
        )
    assert spelt("`lint()` with `model=minilm`") == "tk.lint with model='minilm'"


@pytest.mark.parametrize(
    "value",
    [
        "'the `text` of it'",
        '"it isn\'t `text`"',
        "b'`text`.'",
        "'cut after `text` and ...",
        "'a \\' `calibrate()`'",
    ],
)
def test_backticks_in_a_users_value_are_no_marks(value):
    with spelling_as(Spelling("command")):
        assert spelt(f"`id` is {value}, and `calibrate()` doesn't take `text`") == (
            f"--id is {value}, and textkin calibrate doesn't take --text"
        )
