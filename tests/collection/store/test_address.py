"""Addresses of databases: their meaning, and their display."""

from pathlib import Path

import pytest

from textkin.base.errors import UsageError
from textkin.collection.store.address import is_address, place_of

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("given", "name", "shown", "server"),
    [
        ("postgresql://h/db", "default", "postgresql://h/db", "postgresql://h/db"),
        (
            "postgres://u:s3cret@h:5433/db?collection=tickets&sslmode=require",
            "tickets",
            "postgres://u@h:5433/db?collection=tickets",
            "postgres://u:s3cret@h:5433/db?sslmode=require",
        ),
        (
            "postgresql://u@/db?host=/tmp/a&password=s3cret&collection=a_1",
            "a_1",
            "postgresql://u@/db?host=/tmp/a&collection=a_1",
            "postgresql://u@/db?host=/tmp/a&password=s3cret",
        ),
        ("postgresql://u:a@s3cret@h/db", "default", "postgresql://u@h/db", "postgresql://u:a@s3cret@h/db"),
    ],
)
def test_what_an_address_names_and_shows(given, name, shown, server):
    found = place_of(given)
    assert (found.name, str(found), found.server) == (name, shown, server)
    assert found.schema == f"textkin_{name}"
    assert SECRET not in repr(found) and SECRET not in f"{found}"
    assert is_address(given) and is_address(found) and place_of(found) is found


@pytest.mark.parametrize("name", ["", "Ä", "a-b", "a;drop", 'a"', "1a", "x" * 41, "A"])
def test_names_that_no_collection_has(name):
    with pytest.raises(UsageError) as error:
        place_of(f"postgresql://u:s3cret@h/db?collection={name}")
    assert error.value.params == ("collection",)


@pytest.mark.parametrize(
    "wrong", ["u:s3cret?@h/db", "u:s3cret", "h:s3cret/db", "h/db@s3cret:x", "u:s3?cret@h/db"]
)
def test_what_can_not_be_understood_is_not_shown(wrong):
    with pytest.raises(UsageError, match="collection is") as caught:
        place_of(f"postgresql://{wrong}")
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    ["postgresql+psycopg://u:s3cret@h/db", "POSTGRESQL://u:s3cret@h/db", "mysql://h/s3cret", "s3://b"],
)
def test_no_folder_is_called_like_an_address(wrong):
    with pytest.raises(UsageError, match=r"begins with .*, expected a folder or postgresql://") as caught:
        place_of(wrong)
    assert SECRET not in str(caught.value)


def test_what_is_no_address():
    assert place_of("folder") == Path("folder") and place_of(Path("a/b")) == Path("a/b")
    assert not is_address("folder") and not is_address(Path("postgresql:/h"))
    with pytest.raises(UsageError) as error:
        place_of("postgresql://h/db?collection=a&collection=b")
    assert error.value.params == ("collection",)
    with pytest.raises(UsageError) as error:
        place_of(Path("postgresql://h/db"))
    assert error.value.params == ("collection",)
