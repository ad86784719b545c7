"""The storage engines of collections; each test of the store runs on both."""

import itertools
from pathlib import Path

import pytest

from textkin.collection.store.address import place_of
from textkin.collection.store.maintenance import check_collection
from textkin.collection.store.open_store import open_store

NAMES = itertools.count()


class Engine:
    """Opens a collection with a folder's name: in that folder, or under that name in a database."""

    def __init__(self, name, server=None):
        self.name = name
        self.server = server
        self._names = {}

    @property
    def in_folders(self):
        return self.server is None

    def place(self, folder):
        """The location of the collection with a folder's name."""
        if self.server is None:
            return Path(folder)
        name = self._names.setdefault(str(folder), f"c{next(NAMES)}")
        return place_of(self.server.address(name))

    def open(self, folder, **options):
        return open_store(self.place(folder), **options)

    def check(self, folder):
        return check_collection(self.place(folder))

    def execute(self, folder, *statements):
        """Change a collection's tables behind its back."""
        from textkin.collection.store.postgres.database import PostgresDatabase
        from textkin.collection.store.sqlite import DATABASE, SqliteDatabase

        place = self.place(folder)
        if self.server is None:
            database = SqliteDatabase.connect(place / DATABASE)
        else:
            database = PostgresDatabase.connect(place)
        try:
            return [database.execute(one) for one in statements]
        finally:
            database.close()


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request):
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return Engine(request.param, server)
