"""Files that are opened only if reading them can't block."""

import os
import socket

import pytest

from textkin.base.paths import open_regular


def test_a_regular_file_and_a_link_to_it(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"content")
    link.symlink_to(file)
    for path, follow in ((file, False), (file, True), (str(link), True)):
        with open_regular(path, follow=follow) as stream:
            assert stream.read() == b"content"
    with pytest.raises(OSError, match=r"regular|symbolic"):
        open_regular(link)


@pytest.mark.slow
@pytest.mark.parametrize("follow", [False, True])
def test_what_is_no_regular_file(tmp_path, follow):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "to pipe").symlink_to("pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    held = socket.socket(socket.AF_UNIX)
    held.bind(str(tmp_path / "socket"))
    for name in ("pipe", "folder", "circle", "to pipe", "zeros", "socket", "none"):
        with pytest.raises(OSError):
            open_regular(tmp_path / name, follow=follow)
    held.close()
