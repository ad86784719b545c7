"""Passports and cards of the built-in models."""

import pytest

import textkin as tk
from textkin.base.hub import BOX, located

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize("name", BOX)
def test_it_is_the_model_of_its_passport(name: str) -> None:
    found = tk.verify(name)
    assert found.check is not None and found.check.accepted
    assert found.passport is not None and found.passport.model == name


@pytest.mark.parametrize("name", BOX)
def test_its_card_names_the_licences(name: str) -> None:
    card = (located(name) / "README.md").read_text(encoding="utf-8")
    assert "licen" in card.casefold() and (located(name) / "NOTICE").is_file()


@pytest.mark.parametrize("name", BOX)
def test_its_card_says_how_large_it_is(name: str) -> None:
    (size,) = (one["megabytes"] for one in tk.list_models().rows() if one["name"] == name)
    card = (located(name) / "README.md").read_text(encoding="utf-8")
    assert f" {size:.1f} MB" in card.partition("- **Made of:**")[0]
