"""Standard input of the process, as a pipe or a file with given content."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INPUT = 0


@contextmanager
def standard_input(content: bytes, *, piped: bool = True) -> Iterator[None]:
    """Make the process read ``content``, through a pipe that can be read once, or from a file."""
    before = os.dup(INPUT)
    writer = None
    if piped:
        read, write = os.pipe()

        def send() -> None:
            # The reader may end before everything is sent.
            with suppress(BrokenPipeError), os.fdopen(write, "wb") as stream:
                stream.write(content)

        writer = threading.Thread(target=send)
    else:
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.seek(0)
            read = os.dup(file.fileno())
    os.dup2(read, INPUT)
    os.close(read)
    if writer is not None:
        writer.start()
    try:
        yield
    finally:
        os.dup2(before, INPUT)
        os.close(before)
        if writer is not None:
            writer.join()
