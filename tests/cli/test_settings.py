"""Options from a file: its location, precedence, and errors in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from textkin.cli.app import commands
from textkin.cli.command import _parsed
from textkin.cli.settings import default_place, settings_at

TEXTS = "Can I pay by card?\nWhen do you open?\nCan I pay with a card?\nWho was Emma?\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, with a file of texts; no settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTKIN_CONFIG", "")
    (tmp_path / "texts.txt").write_text(TEXTS)
    return tmp_path


def settings(text: str) -> str:
    Path("settings.toml").write_text(text, encoding="utf-8")
    return "settings.toml"


def pairs_of(textkin: Textkin, *arguments: object) -> tuple[int, str]:
    """The number of mined pairs, and the messages."""
    found = textkin("mine", "texts.txt", "--out", "-", *arguments)
    assert found.code == 0, found.err
    return found.out.count("\n") - 1, found.err


@pytest.mark.slow
def test_the_command_line_goes_first_then_the_file_then_the_default(textkin: Textkin) -> None:
    file = settings("[mine]\ntop = 2\nids-only = true\n")
    assert pairs_of(textkin)[0] == 6
    count, told = pairs_of(textkin, "--config", file)
    assert count == 2 and "textkin: from settings.toml: top = 2, ids-only = True\n" in told
    count, told = pairs_of(textkin, "--config", file, "--top", "1")
    assert count == 1 and "settings.toml: ids-only = True\n" in told
    assert "from settings" in pairs_of(textkin, "--config", file, "-q")[1], "quiet results can be told, too"


def test_the_environment_goes_before_the_file_and_is_told(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTKIN_MINE_TOP", "3")
    monkeypatch.setenv("TEXTKIN_MINE_IDS_ONLY", "true")
    count, told = pairs_of(textkin, "--config", settings("[mine]\ntop = 2\n"))
    assert count == 3 and "from the environment: " in told and "settings.toml" not in told
    assert {"TEXTKIN_MINE_TOP=3", "TEXTKIN_MINE_IDS_ONLY=true"} <= set(told.replace(",", "").split())
    count, told = pairs_of(textkin, "--top", "1")
    assert count == 1 and "TOP" not in told
    monkeypatch.setenv("TEXTKIN_MINE_TOP", "0")
    assert textkin("mine", "texts.txt", "--out", "-").code == 2


def test_before_the_command_as_well(textkin: Textkin) -> None:
    file = settings("[mine]\ntop = 2\n")
    assert textkin("--config", file, "mine", "texts.txt", "--out", "-").out.count("\n") == 3


@pytest.mark.slow
def test_where_it_is_looked_for(textkin: Textkin, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXTKIN_CONFIG")
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert default_place() == place / "home/.config/textkin/config.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert default_place() == place / "home/.config/textkin/config.toml", "as the specification has it"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "xdg"))
    assert pairs_of(textkin)[0] == 6, "it need not be there"
    (place / "xdg/textkin").mkdir(parents=True)
    (place / "xdg/textkin/config.toml").write_text("[mine]\ntop = 3\n")
    assert pairs_of(textkin)[0] == 3
    monkeypatch.setenv("TEXTKIN_CONFIG", settings("[mine]\ntop = 2\n"))
    assert pairs_of(textkin)[0] == 2
    Path("third.toml").write_text("[mine]\ntop = 1\n")
    assert pairs_of(textkin, "--config", "third.toml")[0] == 1
    monkeypatch.setenv("TEXTKIN_CONFIG", "")
    assert pairs_of(textkin)[0] == 6
    monkeypatch.setenv("TEXTKIN_CONFIG", "nowhere.toml")
    assert textkin("doctor").code == 4, "one that is named must be there"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[mien]\ntop = 1\n", "settings.toml: [mien] is not a command; did you mean 'mine'?"),
        ("top = 1\n", "settings.toml: [top] is not a command"),
        ("mine = 1\n", "settings.toml: mine is 1, expected a table"),
        ("[mine]\ntpo = 1\n", "settings.toml: mine.tpo is not an option; did you mean 'top'?"),
        ("[mine]\ntop = 'x'\n", "settings.toml: mine.top: 'x' is not a whole number"),
        ("[mine]\ntop = true\n", "mine.top: 'True' is not a whole number"),
        ("[mine]\ntop = 1.5\n", "mine.top: '1.5' is not a whole number"),
        ("[mine]\nthreshold = 'x'\n", "mine.threshold: 'x' is not a number"),
        ("[mine]\nunknown = 'accpet'\n", "mine.unknown is 'accpet'; did you mean 'accept'?"),
        ("[mine]\nquiet = true\n", "mine.quiet is not an option"),
        ("[mine\n", "settings.toml: is not TOML"),
        ("[mine]\ntop = 1\ntop = 2\n", "settings.toml: is not TOML"),
    ],
)
def test_what_is_wrong_names_file_and_key(textkin: Textkin, text: str, words: str) -> None:
    found = textkin("mine", "texts.txt", "--out", "pairs.tsv", "--config", settings(text))
    assert found.code == 4 and words in found.error
    assert not Path("pairs.tsv").exists()


def test_what_is_wrong_for_a_server(textkin: Textkin) -> None:
    found = textkin("serve", "--config", settings("[serve]\nlog = 'some'\n"))
    assert found.code == 4 and "serve.log is 'some'" in found.error


def test_other_broken_files(textkin: Textkin, place: Path) -> None:
    (place / "latin.toml").write_bytes(b"[mine]\nmodel = '\xe9'\n")
    for name, words in (
        ("latin.toml", "not UTF-8"),
        ("nowhere.toml", "no such file"),
        (".", "can't be read"),
    ):
        found = textkin("mine", "texts.txt", "--out", "-", "--config", name)
        assert found.code == 4 and found.error.startswith(name) and words in found.error


def test_a_server_takes_all_its_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    (serve,) = commands(["serve"])
    lines, wanted = [], {}
    for one in serve.options:
        key = one.name if one.positional else one.flag.lstrip("-")
        value = (
            7 if one.kind in (int, float) else one.choices[0] if one.choices else one.kind is bool or "~/a"
        )
        value = [value] if one.several else value
        lines.append(f"{key} = {json.dumps(value)}")
        home = str(Path.home() / "a")
        wanted[one.name] = [home] if one.several else home if value == "~/a" else value
    assert len(wanted) == len(serve.options)
    known = settings_at(Path(settings("\n".join(["[serve]", *lines]))))
    _, found = _parsed(["serve"], known, {})
    found["served"] = list(found["served"])
    assert {key: str(one) if isinstance(one, Path) else one for key, one in found.items()} == wanted
    monkeypatch.setenv("TEXTKIN_SERVE_PORT", "9")
    _, found = _parsed(["serve", "--max-texts", "3"], known, {})
    assert (found["port"], found["max_texts"], found["max_seconds"]) == (9, 3, 7)


def test_options_of_a_group(textkin: Textkin) -> None:
    found = textkin("phrases", "search", "none", "x", "--config", settings("[phrases.search]\nkk = 1\n"))
    assert "settings.toml: phrases.search.kk is not an option" in found.error


def test_a_command_of_a_group_has_settings_and_an_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings_at(Path(settings("[collection.add]\nwindows = 8\n")))
    words = ["collection", "add", "c.kin", "texts.txt"]
    assert _parsed(words, found, {})[1]["windows"] == 8
    monkeypatch.setenv("TEXTKIN_COLLECTION_ADD_WINDOWS", "16")
    assert _parsed(words, found, {})[1]["windows"] == 16


@pytest.mark.torch
def test_doctor_shows_and_checks_it(textkin: Textkin) -> None:
    file = settings("[mine]\ntop = 2\n[serve]\nport = 1\n")
    told = textkin("doctor", "--config", file).out
    assert "settings.toml: {'mine': {'top': 2}, 'serve': {'port': 1}}" in told
    assert json.loads(textkin("doctor", "--config", file, "--json").out)["settings"] == {
        "file": "settings.toml",
        "tables": {"mine": {"top": 2}, "serve": {"port": 1}},
    }
    assert "none" in textkin("doctor").out
    for text, words in (
        ("[serve]\nprot = 1\n", "serve.prot is not an option"),
        ("[phrases.search]\nkk = 1\n", "phrases.search.kk is not an option"),
        ("[phrases.find]\nk = 1\n", "[phrases.find] is not a command"),
    ):
        broken = textkin("doctor", "--config", settings(text))
        assert broken.code == 4 and words in broken.error, "of all commands, not of one"


def test_a_byte_order_mark_is_read(textkin: Textkin) -> None:
    assert pairs_of(textkin, "--config", settings("\ufeff[mine]\ntop = 2\n"))[0] == 2


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("TEXTKIN_MINE_TPO", "3", "did you mean 'TEXTKIN_MINE_TOP'?"),
        ("TEXTKIN_MINE_TOP", "x", "TEXTKIN_MINE_TOP: 'x'"),
    ],
)
def test_a_wrong_variable_is_named(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, named: str
) -> None:
    monkeypatch.setenv(variable, value)
    found = textkin("mine", "texts.txt")
    assert found.code in (2, 4) and named in found.error


@pytest.mark.parametrize(
    ("variable", "named"),
    [
        ("TEXTKIN_MIEN_TOP", "TEXTKIN_MINE_TOP"),
        ("TEXTKIN_DATA_LNIT_MODEL", "TEXTKIN_DATA_LINT_MODEL"),
        ("TEXTKIN_IMAGE", ""),
        ("TEXTKIN_DEDUPE_THRESHHOLD", ""),
    ],
)
def test_variables_of_no_command_are_told_if_one_is_near(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch, variable: str, named: str
) -> None:
    monkeypatch.setenv(variable, "3")
    _, told = pairs_of(textkin)
    assert (variable in told, named in told) == (bool(named), True)


def test_the_tables_of_other_commands_are_checked(textkin: Textkin) -> None:
    for text, named in (
        ("[dedupe]\nthreshhold = 0.9\n", "did you mean 'threshold'?"),
        ("[data.lnit]\nmodel = 'default'\n", "did you mean 'lint'?"),
    ):
        found = textkin("mine", "texts.txt", "--config", settings(text))
        assert found.code == 4 and named in found.error
