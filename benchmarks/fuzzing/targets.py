"""Fuzzing targets: readers, model folders, collections, recipes, the command line; and invariants."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import os
import shutil
import tomllib
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, final

import numpy as np
from scipy.sparse import csr_array

from textkin.base.errors import TextkinError
from textkin.collection.phrase_files.merge import merge
from textkin.collection.phrases.build import CELLS
from textkin.collection.phrases.search import PhraseIndex
from textkin.data.readers import FORMATS, Reading, load, load_candidates, load_texts, trec
from textkin.data.readers.datasets import squad
from textkin.data.readers.datasets.squad_parts import read_contexts, read_questions
from textkin.data.readers.span_predictions import read_no_answer, read_predictions
from textkin.measures.decisions.no_answer import SavedNoAnswer
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.networks.recipes.recipe import load_recipe
from textkin.vectors.index.resumable_folder import MANIFEST
from textkin.verbs.dedupe.sample import holds_answers, lowest_of

from . import arguments, collection_folders, files, folders
from .mutate import as_json, mutated_bytes, mutated_tensors, mutated_value

LONGEST_MESSAGE = 3_000
_CONTROLS = frozenset(map(chr, (*range(9), *range(11, 32), *range(127, 160)))) - {"\r"}
_WORDS_FILES = ("tokenizer.json", "vocabulary.txt", "words.txt", "0_Words/whitespacetokenizer_config.json")
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Finding(Exception):
    """An invariant that a case violated.

    Args:
        kind: the invariant.
        what: the violation.
    """

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind


class Target(ABC):
    """Base class of fuzzing targets.

    Attributes:
        doing: the current case, in words.
    """

    doing = ""

    @abstractmethod
    def prepare(self, place: Path) -> None:
        """Write or read the inputs, once for all cases."""

    @abstractmethod
    def run(self, draw: Random, place: Path) -> str:
        """One case, in an empty folder.

        Returns:
            The case, in words.

        Raises:
            Finding: an invariant is violated. Any exception that isn't textkin's own is a violation, too.
        """


@final
class Readers(Target):
    """A sample with one of its files mutated, read as any format."""

    def prepare(self, place: Path) -> None:
        """Make the samples."""
        self._samples = files.samples()

    def run(self, draw: Random, place: Path) -> str:
        """Mutate one file of one sample."""
        name = draw.choice(sorted(self._samples))
        content = dict(self._samples[name])
        changed = draw.choice(sorted(content))
        content[changed] = _mutated_file(draw, changed, content[changed])
        path = place / name
        for inner, data in content.items():
            file = path / inner if len(content) > 1 else path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        read = self._reader(draw, name)
        _guarded(lambda: _check_records(read(path)))
        return f"{name}: {changed}"

    def _reader(self, draw: Random, name: str) -> Callable[[Path], Any]:
        stem = name.partition(".")[0].removesuffix("-objects")
        own: dict[str, Callable[[Path], Any]] = {
            "squad": squad.read_squad,
            "qrels": trec.read_qrels,
            "run": trec.read_run,
            "squad2": squad.read_squad,
            "predictions": read_predictions,
            "na": read_no_answer,
            "decision": SavedDecision.read,
            "no-answer": lambda path: SavedNoAnswer.read(path, model="reader", model_sha256="0"),
            "phrases": _phrases,
            "sample": lambda path: (holds_answers(path), lowest_of(path)),
            "texts": load_texts,
            "vectors": _vectors,
            "insuranceqa": lambda path: load(path, reading=Reading(split=draw.choice(("dev", "train")))),
        }
        if stem in own and draw.random() < 0.8:
            return own[stem]
        if draw.random() < 0.8:
            return load
        others: tuple[Callable[[Path], Any], ...] = (load_texts, load_candidates, squad.read_squad)
        others += (trec.read_qrels, trec.read_run)
        others += tuple(partial(load, reading=Reading(format=one)) for one in FORMATS)
        return draw.choice(others)


@final
class Models(Target):
    """A model folder with one of its files mutated, loaded and used."""

    def prepare(self, place: Path) -> None:
        """Write the folders, unless they are there."""
        if not place.exists():
            folders.write_models(place)
        self._folders = sorted(place.iterdir())
        for folder in self._folders:  # imports and compilation on first use aren't attributed to a case
            _check_folder(folder, folder.name, words_changed=False)

    def run(self, draw: Random, place: Path) -> str:
        """Mutate one file of one folder."""
        source = draw.choice(self._folders)
        folder = place / "model"
        shutil.copytree(source, folder)
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        changed = draw.choice(names)
        (folder / changed).write_bytes(_mutated_model_file(draw, folder / changed))
        if (folder / MANIFEST).is_file() and changed != MANIFEST and draw.random() < 0.9:
            _rehash(folder, changed)
        _guarded(lambda: _check_folder(folder, source.name, words_changed=changed in _WORDS_FILES))
        return f"{source.name}: {changed}"


@final
class Indexes(Target):
    """The folder of an index of phrases with one of its files mutated, opened and searched."""

    def prepare(self, place: Path) -> None:
        """Write the indexes, unless they are there."""
        if not place.exists():
            folders.write_indexes(place)
        self._folders = sorted(place.iterdir())
        for folder in self._folders:
            _check_index(folder, sparse=folder.name == "sparse")

    def run(self, draw: Random, place: Path) -> str:
        """Mutate one file of one index."""
        source = draw.choice(self._folders)
        folder = place / "index"
        shutil.copytree(source, folder)
        changed = draw.choice(sorted(path.name for path in folder.iterdir()))
        content = (folder / changed).read_bytes()
        if changed.endswith(".json") and draw.random() < 0.8:
            content = as_json(draw, mutated_value(draw, json.loads(content)))
        else:
            content = mutated_bytes(draw, content)
        (folder / changed).write_bytes(content)
        if changed not in (MANIFEST, CELLS) and draw.random() < 0.9:  # faiss reads cells unchecked
            _vouch(folder, changed)
        _guarded(lambda: _check_index(folder, sparse=source.name == "sparse"))
        return f"{source.name}: {changed}"


@final
class Collections(Target):
    """A collection with one of its files mutated, searched and repaired; or one given invalid data."""

    def prepare(self, place: Path) -> None:
        """Write the collection, unless it is there."""
        shutil.rmtree(place, ignore_errors=True)
        self._answers = collection_folders.write_collection(place)
        self._place = place

    def run(self, draw: Random, place: Path) -> str:
        """Mutate one file, or add, search and match invalid data."""
        folder, wrong = place / "c", list[str]()
        if draw.random() < 0.3:
            rounds = draw.randrange(1, 6)
            _guarded(lambda: wrong.append(collection_folders.hostile(draw, folder, rounds)))
            doing = f"odd calls, {rounds} rounds"
        else:
            source = self._place / draw.choice(("closed", "log"))
            doing = f"{source.name}: {collection_folders.damaged(draw, source, folder)}"
            _guarded(lambda: wrong.append(collection_folders.looked_through(folder, self._answers)))
            _guarded(lambda: wrong.append(collection_folders.repaired(folder)))
        if told := next(filter(None, wrong), ""):
            raise Finding("a wrong answer", f"{doing}: {told}")
        return doing


@final
class Recipes(Target):
    """A bundled recipe with keys or bytes mutated."""

    def prepare(self, place: Path) -> None:
        """Read the recipes."""
        import textkin

        bundled = Path(textkin.__file__).parent / "networks" / "recipes"
        self._recipes = {path.stem: path.read_text() for path in sorted(bundled.rglob("*.toml"))}

    def run(self, draw: Random, place: Path) -> str:
        """Mutate one recipe."""
        name = draw.choice(sorted(self._recipes))
        text = self._recipes[name]
        path = place / "recipe.toml"
        if draw.random() < 0.7:
            from textkin.networks.recipes.recipe import _toml

            values = mutated_value(draw, tomllib.loads(text))
            values = values if isinstance(values, dict) else {"name": values}
            with contextlib.suppress(TypeError, ValueError):  # values that TOML can't express
                text = "\n".join(_toml(values, prefix=""))
            path.write_bytes(text.encode(errors="surrogatepass"))
        else:
            path.write_bytes(mutated_bytes(draw, text.encode()))
        _guarded(lambda: load_recipe(path).to_toml())
        return name


@final
class CommandLine(Target):
    """Arguments of every command, drawn from its own options; its output is checked."""

    def prepare(self, place: Path) -> None:
        """Make the samples."""
        self._commands = arguments.commands()
        self._samples = files.samples()

    def run(self, draw: Random, place: Path) -> str:
        """Draw one line of arguments."""
        from textkin.cli import main

        inputs = arguments.write_inputs(place, self._samples)
        words = arguments.drawn(draw, self._commands, inputs)
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        self.doing = shown = " ".join(repr(word[:60]) for word in words)
        here = Path.cwd()
        os.chdir(place)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(words)
        finally:
            os.chdir(here)
        printed, told = (_written(stream) for stream in (out, err))
        if code == 70 or "Traceback" in told:
            raise Finding("a defect of textkin", f"{shown}: {told[-600:]}")
        if len(told) > 20 * LONGEST_MESSAGE:
            raise Finding("a long message", f"{shown}: {len(told):,} characters")
        if harm := harmful(told) or harmful(printed):
            raise Finding(f"{harm} is printed", shown)
        return " ".join(words[:1])


TARGETS: Mapping[str, type[Target]] = {
    "readers": Readers,
    "models": Models,
    "indexes": Indexes,
    "collections": Collections,
    "recipes": Recipes,
    "cli": CommandLine,
}
"""Every target by its name."""


def harmful(text: str) -> str:
    """The first terminal control character, or ""."""
    found = next((each for each in text if each in _CONTROLS or each in _OVERRIDES), "")
    return f"U+{ord(found):04X} {unicodedata.name(found, 'control')}" if found else ""


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)  # noqa: S101 - made above
    return buffer.getvalue().decode(errors="replace")


def _guarded(step: Callable[[], object]) -> None:
    """Run a step that may raise textkin's own errors; their messages must be short and harmless."""
    try:
        step()
    except TextkinError as error:
        said = str(error)
        if len(said) > LONGEST_MESSAGE:
            raise Finding("a long message", f"{len(said):,} characters: {said[:100]}") from error
        if not said or harmful(said):
            raise Finding("a harmful message", f"{harmful(said) or 'empty'} in {said[:300]!r}") from error
        if any(f"{kind}Error(" in said for kind in ("Type", "Attribute", "Key", "Value", "Index")):
            raise Finding("a message for programmers", said[:400]) from error


def _mutated_file(draw: Random, name: str, content: bytes) -> bytes:
    if name.endswith((".json", ".jsonl")) and draw.random() < 0.5:
        rows = content.splitlines()
        place = draw.randrange(len(rows))
        rows[place] = as_json(draw, mutated_value(draw, json.loads(rows[place])))
        return b"\n".join(rows) + b"\n"
    return mutated_bytes(draw, content)


def _mutated_model_file(draw: Random, path: Path) -> bytes:
    if path.suffix == ".json" and draw.random() < 0.85:
        return as_json(draw, mutated_value(draw, json.loads(path.read_text())))
    if path.suffix == ".safetensors" and draw.random() < 0.85:
        from safetensors.numpy import load_file, save

        return save(mutated_tensors(draw, load_file(path)))
    return mutated_bytes(draw, path.read_bytes())


def _rehash(folder: Path, changed: str) -> None:
    """Update a manifest for a changed file, as an attacker would."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    if changed in manifest["files"]:
        manifest["files"][changed] = hashlib.sha256((folder / changed).read_bytes()).hexdigest()
        path.write_text(json.dumps(manifest))


def _vouch(folder: Path, changed: str) -> None:
    """Update the manifest of an index for a changed file."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    if changed in manifest["files"]:
        content = (folder / changed).read_bytes()
        about = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        manifest["files"][changed] |= about
        path.write_text(json.dumps(manifest))


def _check_records(found: Any) -> None:
    """Check that all records are clean text and finite numbers."""
    data = getattr(found, "data", found)
    for text in _texts_of(data):
        text.encode()
        if "\0" in text:
            raise Finding("a NUL in a text", repr(text[:60]))
    if (report := getattr(found, "report", None)) is not None:
        report.sentence()
        if report.rows != report.kept + sum(report.skipped.values()):
            raise Finding("an account that does not add up", str(report))
    for pair in getattr(data, "pairs", ()):
        label = getattr(pair, "label", None)
        if label is not None and not math.isfinite(label):
            raise Finding("an infinite label", str(label))


def _texts_of(data: Any) -> Sequence[str]:
    if hasattr(data, "corpus"):
        return [*data.corpus.values(), *data.queries.values()]
    if isinstance(getattr(data, "texts", None), tuple):
        return data.texts
    if hasattr(data, "kind"):
        return [text for pair in data for text in (pair.a, pair.b, pair.id_a, pair.id_b)]
    if hasattr(data, "queries"):
        return [text for item in data for text in (item.query, *item.docs, *item.doc_ids)]
    return ()


def _vectors(path: Path) -> None:
    from textkin.text.word_vectors import load_vectors

    found = load_vectors(path, wanted=frozenset(files.ASKED[0].split()), quiet=True)
    if not np.isfinite(found.matrix).all():
        raise Finding("word vectors that are not finite", str(path))


def _phrases(path: Path) -> None:
    """Check both files of ``phrases split``, and answers from their embeddings."""
    read_contexts(path / "contexts.json")
    read_questions(path / "questions.json")
    for text in merge(path / "phrases", path / "asked", questions=path / "questions.json").answers.values():
        text.encode()


def _check_index(folder: Path, *, sparse: bool) -> None:
    """Check that an index that opens returns phrases of its passages, with finite scores."""
    with PhraseIndex(folder) as index:
        width = json.loads((folder / MANIFEST).read_text())["dim"]
        rows = np.ones((2, width), dtype=np.float32) if 0 < width < 1_000 else None
        asked: Any = csr_array((2, width), dtype=np.float32) if rows is None else rows
        for found in index.search(csr_array(asked) if sparse else asked, k=3):
            if not all(map(math.isfinite, (*(hit.score for hit in found.hits), found.no_answer or 0.0))):
                raise Finding("scores that are not finite", folder.name)
            found.rows()


def _check_reader(folder: Path) -> None:
    """Check that a reader gives finite scores and texts of the passage, a phrase encoder finite vectors."""
    from textkin.kinds.systems import load_reader
    from textkin.models.inference.phrase_encoders import load_phrase_encoder

    reader = load_reader(folder)
    passages = [" ".join(folders.TEXTS), "", "漢字 🙂 cat"]
    for passage, spans in zip(passages, reader.read(["what is a router"] * 3, passages, k=3), strict=True):
        for span in spans:
            if passage[span.start : span.end] != span.text:
                raise Finding("a span that is not in its passage", str(span))
            share = span.probability
            if not (math.isfinite(span.score) and share is not None and 0 <= share <= 1):
                raise Finding("numbers that are not finite", f"{folder.name}: {span}")
    if (folder / MANIFEST).is_file() and "piqa" in json.loads((folder / MANIFEST).read_text())[
        "architecture"
    ]:
        encoder = load_phrase_encoder(folder)
        widths = {encoder.questions(["cat", ""]).shape[1], encoder.phrases(passages)[0].vectors.shape[1]}
        if widths != {encoder.dim}:
            raise Finding("vectors of an odd width", f"{widths}, {encoder.dim}")


def _check_folder(folder: Path, kind: str, *, words_changed: bool) -> None:
    if kind in folders.READERS:
        _check_reader(folder)
    else:
        _check_model(folder, words_changed=words_changed)


def _check_model(folder: Path, *, words_changed: bool) -> None:
    """Check that a model that loads gives finite numbers, not zero for all texts."""
    from textkin.kinds.systems import load as load_model

    found: Any = load_model(folder)
    str(found.name)
    pairs = [(a, b) for a in folders.TEXTS for b in folders.TEXTS[:2]]
    if hasattr(found, "encode"):
        rows = found.encode([*folders.TEXTS, "", "漢字 🙂"])
        if found.dim < 1 or rows.shape[1] != found.dim:
            raise Finding("vectors of an odd width", f"{rows.shape}, {found.dim}")
        if not rows.any() and not words_changed:
            raise Finding("zero vectors for all texts", folder.name)
    else:
        rows = found.classify(pairs) if hasattr(found, "classify") else found.score(pairs)
    if not np.isfinite(rows).all():
        raise Finding("numbers that are not finite", folder.name)
    if hasattr(found, "encode") and not np.isfinite(found.score(pairs)).all():
        raise Finding("scores that are not finite", folder.name)
