"""Numbers as people write them, and the advice on invalid ones."""

import pytest

import textkin as tk
from textkin.base.errors import ConfigError, UsageError
from textkin.base.number_errors import no_number
from textkin.cli import main
from textkin.networks.recipes.recipe import Recipe


@pytest.mark.parametrize(
    ("word", "whole", "fix"),
    [
        ("0,9", False, "write 0.9"),
        (",9", False, "write 0.9"),
        ("-0,5", False, "write -0.5"),
        ("90%", False, "write 0.9"),
        ("97,5 %", False, "write 0.975"),
        (".8%", False, "write 0.008"),
        ("90 percent", False, "write 0.9"),
        ("½", False, "write 0.5"),
        ("−1", False, "write -1"),
        ("1e3", True, "write 1000"),
        ("10.0", True, "write 10"),
        ("1,000", True, "write 1000"),
        ("1'000'000", True, "write 1000000"),
        ("2k", True, "write 2000"),
        ("１０", True, "write 10"),
        ("2,5", True, "give a whole number, such as 10"),
        ("50%", True, "give a whole number, such as 10"),
        ("high", False, "give a number, such as 0.9"),
        ("", False, "give a number, such as 0.9"),
        ("½½", False, "give a number, such as 0.9"),
        ("1/0", False, "give a number, such as 0.9"),
    ],
)
def test_what_to_write_instead(word, whole, fix):
    assert no_number(word, whole=whole) == (
        f"{word!r} is not {'a whole number' if whole else 'a number'}",
        fix,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--threshold", "0,9"], "--threshold: '0,9' is not a number; write 0.9"),
        (["--threshold", "90%"], "--threshold: '90%' is not a number; write 0.9"),
        (["--most", "1,000"], "--most: '1,000' is not a whole number; write 1000"),
    ],
)
def test_on_the_command_line(tmp_path, capsys, arguments, said):
    (tmp_path / "a.txt").write_text("a\n")
    assert main(["dedupe", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out"), *arguments]) == 2
    assert capsys.readouterr().err == f"textkin: error: {said}\n"


def test_in_settings_recipes_and_python(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "c.toml").write_text('[dedupe]\nthreshold = "90%"\n')
    arguments = ["dedupe", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--config", str(tmp_path / "c.toml")]) == 4
    assert capsys.readouterr().err.endswith("is not a number; write 0.9\n")
    values = tk.load_recipe("static").to_dict()
    values["training"]["epochs"] = "2,5"
    with pytest.raises(ConfigError) as error:
        Recipe.from_dict(values)
    assert (error.value.params, error.value.value) == (("training.epochs",), "2,5")
    with pytest.raises(UsageError) as error:
        tk.dedupe(["a"], threshold="0,9")
    assert error.value.params == ("threshold",)
