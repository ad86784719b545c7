"""Keys: hashes in a file, their permissions, and their limits."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.server.keys import ApiKey, Keys, RateLimit, add_key, read_keys
from textkin.server.request_errors import RequestError


def test_a_key_is_told_once_and_the_file_has_its_hash_only(tmp_path: Path) -> None:
    place = tmp_path / "keys.toml"
    alice = add_key(place, "alice")
    board = add_key(place, "board", read_only=True, texts_per_minute=100)
    written = place.read_text()
    assert alice not in written and board not in written and alice != board
    assert hashlib.sha256(alice.encode()).hexdigest() in written
    assert place.stat().st_mode & 0o777 == 0o600
    keys = read_keys(place)
    for header in (f"Bearer {alice}", f"bearer  {alice} ", alice):
        assert (found := keys.require(header, writes=True)) is not None and found.name == "alice"
    assert keys.require(board, writes=False) == ApiKey(
        name="board",
        sha256=hashlib.sha256(board.encode()).hexdigest(),
        read_only=True,
        texts_per_minute=100,
    )
    with pytest.raises(RequestError) as refused:
        keys.require(board, writes=True)
    assert refused.value.status == 403


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic x", "\xff", "Bearer " + "x" * 9]
)
def test_a_wrong_key_is_refused(tmp_path: Path, header: str | None) -> None:
    add_key(tmp_path / "keys.toml", "alice")
    with pytest.raises(RequestError) as refused:
        read_keys(tmp_path / "keys.toml").require(header, writes=False)
    assert refused.value.status == 401 and refused.value.headers["www-authenticate"] == "Bearer"


def test_without_keys_everybody_may_ask() -> None:
    assert Keys().require(None, writes=True) is None


def test_an_allowance_comes_back_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("textkin.server.keys.time.monotonic", lambda: now[0])
    allowances = RateLimit()

    def take(texts: int) -> None:
        allowances.take("alice", 1, per_minute=1_000)  # another's counts apart
        allowances.take("board", texts, per_minute=60)

    take(60)
    with pytest.raises(RequestError) as refused:
        take(10)
    assert refused.value.status == 429 and refused.value.headers["retry-after"] == "11"
    now[0] += 10
    take(10)
    now[0] += 1_000
    take(60)
    with pytest.raises(RequestError):
        take(1)
    allowances.take("board", 61, per_minute=61)  # another limit starts afresh


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "holds no keys"),
        ("key = 3", "key is 3, expected a list"),
        ("key = [3]", r"key\[0\]"),
        ("keys = []", "unknown field 'keys'|key is missing"),
        ("[[key]]\nname = 'a'", r"key\[0\].sha256 is missing"),
        ("[[key]]\nname = 'a'\nsha256 = 'ab'", "sha256"),
        ("[[key]]\nname = 5\nsha256 = 'ab'", "name is 5, expected a text"),
        ("[[key]]\nname = ''\nsha256 = 'ab'", "'' is not a name"),
        ("[[key]]\nname = 'a'\nsha256 = 1", "sha256 is 1, expected a text"),
        *(
            (f"[[key]]\nname = 'a'\nsha256 = '{'a' * 64}'\n{line}", expected)
            for line, expected in (
                ("read_only = 'true'", 'read_only is "true", expected true or false'),
                ("read_only = 1", "read_only is 1, expected true or false"),
                ("read_only = []", "expected true or false"),
                ("read-only = true", "unknown field .*read-only"),
                ("readonly = true", "unknown field .*readonly"),
                ("texts_per_minute = true", "expected a whole number"),
                ("texts_per_minute = 5.0", "expected a whole number"),
                ("texts_per_minute = '5'", "expected a whole number"),
            )
        ),
        ("".join(f"[[key]]\nname = '{n}'\nsha256 = '{'a' * 64}'\n" for n in "ab"), "one sha256"),
        ("[[key]]\nname = 'a'\nsha256 = '" + "a" * 64 + "'\ntexts_per_minute = 0", "texts_per_minute"),
        ("[[key]]\nname = 'a'\nsha256 = '" + "a" * 64 + "'\nadmin = true", "unknown field .*admin"),
        (("[[key]]\nname = 'a'\nsha256 = '" + "a" * 64 + "'\n") * 2, "one name"),
        ("not toml", "not a file of keys"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, written: str, said: str) -> None:
    place = tmp_path / "keys.toml"
    place.write_text(written)
    with pytest.raises(DataError, match=said):
        read_keys(place)


@pytest.mark.parametrize("leads_to", ["pipe", "/dev/zero", "folder", "itself"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, leads_to: str) -> None:
    place, other = tmp_path / "keys.toml", tmp_path / "link.toml"
    key = add_key(place, "alice")
    keys = read_keys(place)
    place.unlink()
    if leads_to == "pipe":
        os.mkfifo(place)
    elif leads_to == "folder":
        place.mkdir()
    else:
        place.symlink_to(place if leads_to == "itself" else leads_to)
    other.symlink_to(place)
    assert not refused(keys, key)
    for one in (place, other):
        with pytest.raises(DataError, match="can't be read"):
            read_keys(one)


def test_a_link_to_a_file_of_keys(tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.toml", "alice")
    (tmp_path / "link.toml").symlink_to("keys.toml")
    assert not refused(read_keys(tmp_path / "link.toml"), key)


def refused(keys: Keys, key: str) -> bool:
    try:
        keys.require(key, writes=False)
    except RequestError as error:
        assert error.status == 401
        return True
    return False


def test_a_file_that_changes_is_read_with_the_next_request_and_a_broken_one_changes_nothing(
    tmp_path: Path,
) -> None:
    place, told = tmp_path / "keys.toml", list[tuple[str, dict[str, object]]]()
    alice = add_key(place, "alice", texts_per_minute=3)
    keys = read_keys(place, told=lambda event, line: told.append((event, line)))
    assert not refused(keys, alice) and told == []
    keys.count(keys.require(alice, writes=False), 3)
    bob = add_key(place, "bob")
    assert not refused(keys, bob) and told == [("keys reloaded", {"keys": 2})]
    with pytest.raises(RequestError, match="3 texts a minute"):
        keys.count(keys.require(alice, writes=False), 1)  # a reload brings no allowance
    whole = place.read_text()
    for broken in (whole[:-9], ""):
        place.write_text(broken)
        assert not refused(keys, alice) and not refused(keys, bob)
        event, line = told.pop()
        assert event == "keys not reloaded" and str(place) in str(line["error"]) and line["keys"] == 2
        assert not refused(keys, bob) and len(told) == 1, "told once"
    place.unlink()
    assert not refused(keys, alice) and told.pop()[0] == "keys not reloaded"
    place.write_text(whole[whole.index("\n[[key]]", whole.index("alice")) :])
    assert refused(keys, alice) and not refused(keys, bob) and told.pop() == ("keys reloaded", {"keys": 1})
    place.write_text(place.read_text() + "read_only = true\n")
    with pytest.raises(RequestError, match="only reads"):
        keys.require(bob, writes=True)


def test_names_of_keys(tmp_path: Path) -> None:
    place = tmp_path / "keys.toml"
    add_key(place, "alice")
    with pytest.raises(UsageError) as error:
        add_key(place, "alice")
    assert error.value.params == ("name",)
    for name in ("", 'a"b', "a b", "a\nb"):
        with pytest.raises(UsageError) as error:
            add_key(place, name)
        assert (error.value.params, error.value.value) == (("name",), name)
    with pytest.raises(DataError) as error:
        read_keys(tmp_path / "none.toml")
    assert str(error.value.path).endswith("none.toml")


def test_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    place = tmp_path / "keys.toml"
    alice = add_key(place, "alice")
    place.write_text("\ufeff" + place.read_text(), encoding="utf-8")
    bob = add_key(place, "bob")
    keys = read_keys(place)
    for key in (alice, bob):
        assert keys.require(f"Bearer {key}", writes=True) is not None


def test_python_makes_a_key(tmp_path: Path) -> None:
    place = tmp_path / "keys.toml"
    made = tk.serve(new_key="alice", api_key_file=place, read_only=True)
    assert made is not None and made.as_dict() == {"name": "alice", "key": made.key, "file": place}
    found = read_keys(place).require(made.key, writes=False)
    assert found is not None and found.read_only
