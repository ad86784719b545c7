import numpy as np
import pytest

from textkin.base.numpy_files import UNREADABLE, load_npy


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
