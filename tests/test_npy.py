import numpy as np
import pytest

from textkin.npy import UNREADABLE


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
        np.load(path, mmap_mode=mode, allow_pickle=False)
