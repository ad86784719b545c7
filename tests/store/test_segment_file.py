"""Files of the cache; what they hold is tested with the stores that write them."""

import os

import pytest

from textkin.store.segment_file import _take_room


@pytest.mark.parametrize("helped", [True, False])
def test_a_file_has_its_size_before_it_is_mapped(tmp_path, monkeypatch, helped):
    if not helped:  # as on systems without it
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    path = tmp_path / "one.segment"
    with path.open("w+b") as stream:
        stream.write(b"mark")
        _take_room(stream, 8, 3_000_000)
        stream.seek(0)
        assert stream.read(4) == b"mark"
    assert path.stat().st_size == 3_000_008
