import os

import numpy as np
import pytest

from textkin.base.errors import OutputError
from textkin.base.numpy_files import UNREADABLE, array_in_file, load_npy, take_room


@pytest.fixture
def content(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(12).reshape(3, 4))
    return (tmp_path / "a.npy").read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"{'descr'", b"{{'descr"),  # read on by Python's tokeniser
        (b"(3, 4)", b"(3, -"),
        (b"(3, 4), }", b"(9**9,)} "),
        (b"<i8", b"|O8"),
        (b"}", b"\xff"),
        (b"'fortran_order': False", b"1                     : 0"),
        (b"(3, 4)", b"(True)"),
        (b"{'descr': '<i8', 'fortran_order'", b"if 1:\n  a\n b\n                 "),
    ],
)
@pytest.mark.parametrize("mode", [None, "r"])
def test_what_a_broken_file_raises(content, old, new, mode, tmp_path):
    assert old in content
    path = tmp_path / "b.npy"
    path.write_bytes(content.replace(old, new, 1))
    with pytest.raises(UNREADABLE):
        load_npy(path, mapped=mode)


def test_a_header_of_python_2_is_read_without_a_word(content, tmp_path):
    path = tmp_path / "b.npy"
    path.write_bytes(content.replace(b"(3, 4), }", b"(3L, 4L)}"))
    np.testing.assert_array_equal(load_npy(path), np.arange(12).reshape(3, 4))


@pytest.mark.parametrize("helped", [True, False])
def test_a_file_has_its_size_before_it_is_mapped(tmp_path, monkeypatch, helped):
    if not helped:  # as on systems without it
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    path = tmp_path / "one.bin"
    with path.open("w+b") as stream:
        stream.write(b"mark")
        take_room(stream, 8, 3_000_000)
        stream.seek(0)
        assert stream.read(4) == b"mark"
    assert path.stat().st_size == 3_000_008


def test_an_array_in_a_file_leaves_no_name(tmp_path):
    found = array_in_file(tmp_path, 3, 2)
    found[:] = [[1, 2], [3, 4], [5, 6]]
    assert found.sum() == 21 and found.dtype == np.float32 and not list(tmp_path.iterdir())
    assert array_in_file(tmp_path, 0, 2).shape == (0, 2)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="it is filled with zeros there")
def test_an_array_that_no_disk_has_room_for_is_refused(tmp_path):
    with pytest.raises(OutputError):
        array_in_file(tmp_path, 1 << 40, 1 << 8)
