"""Addresses of collections: their meaning, and their display."""

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
    assert (found.name, str(found), found.secret) == (name, shown, server)
    assert found.scheme == "postgresql"
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
    with pytest.raises(UsageError) as caught:
        place_of(f"postgresql://{wrong}")
    assert caught.value.params == ("collection",)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    ["postgresql+psycopg://u:s3cret@h/db", "POSTGRESQL://u:s3cret@h/db", "mysql://h/s3cret", "s3://b"],
)
def test_no_folder_is_called_like_an_address(wrong):
    with pytest.raises(UsageError) as caught:
        place_of(wrong)
    assert (caught.value.params, caught.value.value) == (("collection",), wrong.partition(":")[0])
    assert SECRET not in str(caught.value) and not is_address(wrong)


@pytest.mark.parametrize(
    ("given", "scheme", "name", "shown", "secret"),
    [
        ("memory://", "memory", "default", "memory://", ""),
        ("memory://notes", "memory", "notes", "memory://notes", "notes"),
        ("mine:Lines://a/notes.jsonl", "mine:Lines", "notes", "mine:Lines://a/notes.jsonl", "a/notes.jsonl"),
        ("a.b:C://u:s3cret@h/x?key=s3cret", "a.b:C", "x", "a.b:C://u@h/x", "u:s3cret@h/x?key=s3cret"),
    ],
)
def test_addresses_of_other_back_ends(given, scheme, name, shown, secret):
    found = place_of(given)
    assert (found.scheme, found.name, str(found), found.secret) == (scheme, name, shown, secret)
    assert SECRET not in repr(found) and is_address(given) and place_of(given) == found
    assert found != place_of(f"{given}x") and hash(found) == hash(place_of(given))


@pytest.mark.parametrize("wrong", ["memory://a/b", "memory://a?b"])
def test_names_in_memory(wrong):
    with pytest.raises(UsageError) as caught:
        place_of(wrong)
    assert (caught.value.params, caught.value.value) == (("collection",), wrong)


def test_what_is_no_address():
    assert place_of("folder") == Path("folder") and place_of(Path("a/b")) == Path("a/b")
    assert (
        not is_address("folder")
        and not is_address("see https://a.b")
        and not is_address(Path("postgresql:/h"))
    )
    with pytest.raises(UsageError) as error:
        place_of("postgresql://h/db?collection=a&collection=b")
    assert error.value.params == ("collection",)
    for address in ("postgresql://h/db", "memory://a", "mine:Lines://a"):
        with pytest.raises(UsageError) as error:
            place_of(Path(address))
        assert error.value.params == ("collection",)
