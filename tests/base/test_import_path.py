import hashlib
import sys
from functools import partial

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.base.import_path import (
    called,
    import_path,
    imported,
    is_import_path,
    origin_of,
    parsed,
    path_of_object,
)
from textkin.base.spelling import Spelling, spelling_as

KIND = "loss"


def test_paths_are_modules_and_a_name():
    assert [is_import_path(one) for one in ("a:B", "a.b_c:d", "a", "a:", "a:b.c", "a:1", ":b", 3)] == [
        *(True, True),
        *[False] * 6,
    ]


def test_a_part_is_found_with_its_hash_and_version(own_module):
    name = own_module("def part(): return 3\n")
    before = origin_of(f"{name}:part", kind=KIND)
    assert name not in sys.modules  # its code is looked at, not run
    assert imported(f"{name}:part", kind=KIND)() == 3
    assert origin_of(f"{name}:part", kind=KIND) == before
    assert (before.sha256, before.version) == (hashlib.sha256(b"def part(): return 3\n").hexdigest(), None)
    assert origin_of("numpy:mean", kind=KIND).version == sys.modules["numpy"].__version__


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("other = 1", "a name in the module"),
        ("raise ZeroDivisionError('no')", "a module that can be imported"),
        ("import no_such_module_at_all", "a module that can be imported"),
    ],
)
def test_what_is_missing_is_said(own_module, text, expected):
    path = f"{own_module(text)}:part"
    with pytest.raises(UsageError) as error:
        imported(path, kind=KIND)
    assert (error.value.params, error.value.value) == ((KIND,), path)
    assert error.value.expected.startswith(expected)


@pytest.mark.parametrize("path", ["no_such_module:part", "json.no_such:part", "json.decoder.deeper:part"])
def test_a_module_must_exist(path):
    for look in (imported, origin_of):
        with pytest.raises(UsageError) as error:
            look(path, kind=KIND)
        assert error.value.value == path


def test_the_current_directory_counts_for_commands_only(own_module, tmp_path, monkeypatch):
    path = f"{own_module('part = 1', tmp_path, found=False)}:part"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        imported(path, kind=KIND)
    before = list(sys.path)
    with spelling_as(Spelling("command")):
        assert imported(path, kind=KIND) == 1
    assert sys.path == before


def test_no_file_of_a_model_folder_is_imported(own_module, tmp_path):
    (tmp_path / "textkin.json").write_text("{}")
    inner = tmp_path / "code"
    ran = tmp_path / "ran"
    path = f"{own_module(f'import pathlib; pathlib.Path({str(ran)!r}).touch(); part = 1', inner)}:part"
    for look in (imported, origin_of):
        with pytest.raises(UsageError) as error:
            look(path, kind=KIND)
        assert error.value.expected.startswith("a module outside of model folders")
    assert not ran.exists()


def test_an_entry_point_stands_for_its_path(monkeypatch, tmp_path):
    made = tmp_path / "parts-1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: parts\nVersion: 1.0\n")
    (made / "entry_points.txt").write_text("[textkin.loss]\nsoft = parts.losses:soft\nbad = parts\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert import_path("soft", kind=KIND) == "parts.losses:soft"
    assert import_path("soft", kind="architecture") is None
    assert import_path("bad", kind=KIND) is None


def test_options_may_follow_a_name():
    assert parsed("a:B(n=2, names=['x'])", kind=KIND) == ("a:B", {"n": 2, "names": ["x"]})
    assert parsed("hinge", kind=KIND) == ("hinge", {})
    for wrong in ("a:B(2)", "a:B(n=x)", "a:B(n=2", "a:B(n=2)(3)", "a:B(**{})"):
        with pytest.raises(UsageError) as error:
            parsed(wrong, kind=KIND)
        assert error.value.params == (KIND,)


def test_an_object_has_a_path_if_its_module_has_it(own_module):
    name = own_module("class Part: pass\ndef make():\n    def inner(): pass\n    return inner\n")
    part = imported(f"{name}:Part", kind=KIND)
    assert path_of_object(part, kind=KIND) == (f"{name}:Part", {})
    assert path_of_object(partial(part, n=2), kind=KIND) == (f"{name}:Part", {"n": 2})
    assert path_of_object(partial(part, n=np.int64(2)), kind=KIND)[1] == {"n": 2}
    for wrong in (
        part(),
        partial(part, 2),
        partial(part, n=part),
        imported(f"{name}:make", kind=KIND)(),
        lambda: 1,
    ):
        with pytest.raises(UsageError) as error:
            path_of_object(wrong, kind=KIND)
        assert error.value.params == (KIND,)


def test_errors_of_own_code_are_textkins():
    for function in (3, lambda: 1 / 0, lambda x: x):
        with pytest.raises(UsageError) as error:
            called("a:B", function, kind=KIND, options={})
        assert (error.value.params, error.value.value) == ((KIND,), "a:B")
