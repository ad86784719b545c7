"""The back ends of collections; each test of the store runs on all of them."""

import itertools
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from textkin.collection.store.address import place_of
from textkin.collection.store.check_and_repair import check_collection
from textkin.collection.store.open_store import back_end_of, open_store

NAMES = itertools.count()


class Engine:
    """Opens a collection with a folder's name: in that folder, or under that name elsewhere."""

    def __init__(self, name, server=None):
        self.name = name
        self.server = server
        self._names = {}

    @property
    def in_folders(self):
        return self.name == "sqlite"

    @property
    def many_write(self):
        """True if several may write at once."""
        return self.name == "postgres"

    def place(self, folder):
        """The location of the collection with a folder's name."""
        if self.in_folders:
            return Path(folder)
        if self.name == "own":
            return place_of(f"my_store:Lines://{folder}/lines")
        name = self._names.setdefault(str(folder), f"c{next(NAMES)}")
        return place_of(f"memory://{name}" if self.server is None else self.server.address(name))

    def open(self, folder, **options):
        return open_store(self.place(folder), **options)

    def check(self, folder):
        return check_collection(self.place(folder))

    def execute(self, folder, *statements):
        """Change a collection's tables behind its back."""
        database = back_end_of(self.place(folder))
        try:
            return [database.execute(one) for one in statements]
        finally:
            database.close()


def guide_store():
    """The back end of the guide "A store of your own", as a module."""
    guide = Path(__file__).parents[3] / "docs/guides/own-store.md"
    [code] = re.findall(
        r"^```python\n(# my_store.py\n.*?)^```", guide.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    module = ModuleType("my_store")
    exec(code, vars(module))
    return module


@pytest.fixture(autouse=True, scope="session")
def _guide_store():
    sys.modules["my_store"] = guide_store()
    yield
    del sys.modules["my_store"]


@pytest.fixture(
    scope="session",
    params=["sqlite", "memory", "own", pytest.param("postgres", marks=pytest.mark.slow)],
)
def engine(request):
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return Engine(request.param, server)
