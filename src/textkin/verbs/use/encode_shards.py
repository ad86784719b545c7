"""Encode a folder of files of texts, to a folder with a file of vectors for each."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from textkin.base.errors import UsageError, invalid
from textkin.base.files import sha256_of_file, sole_writer, write_json
from textkin.base.hub import located
from textkin.base.paths import is_folder, shown_output
from textkin.base.progress import note
from textkin.base.results import Summary
from textkin.data.protocols import Side
from textkin.data.readers import TextReading
from textkin.data.readers.plain_folder import PlainFolder
from textkin.data.readers.read_report import note_read
from textkin.data.readers.text_files import filled_files_of
from textkin.data.readers.texts import open_texts
from textkin.kinds.systems import AnyModel
from textkin.models.provenance import hash_of_model, hash_of_vectors
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.user_objects import called
from textkin.text.truncation_account import note_truncation
from textkin.vectors.batched_encoding import Precision
from textkin.vectors.manifest import MANIFEST, ShardRecord, VectorsManifest, read_manifest
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.verbs.inputs import file_of_texts
from textkin.verbs.use.encoded_file import Encoded, encode_file
from textkin.version import __version__


@dataclass(frozen=True, slots=True, repr=False)
class EncodedShards(Summary):
    """Result of encoding a folder of files.

    Attributes:
        out: the folder.
        shards: files of texts, each with a file of vectors and one of ids.
        made: number of files made by this call; the others existed before.
        count: number of texts.
        dim: dimension of the vectors.

    Example:
        >>> import gzip
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> Path("texts").mkdir()
        >>> for name in ("part-0.jsonl.gz", "part-1.jsonl.gz"):
        ...     with gzip.open(f"texts/{name}", "wt") as stream:
        ...         written = stream.write('{"text": "When do you open?"}')
        >>> made = tk.encode(Path("texts"), out="vectors")
        >>> made.shards, made.made, tk.encode(Path("texts"), out="vectors").made
        (2, 2, 0)
    """

    out: Path
    shards: int
    made: int
    count: int
    dim: int

    def text(self) -> str:
        """The numbers of files and texts, and the folder."""
        return (
            f"{self.shards:,} files with {self.count:,} texts, {self.made:,} of them made now: "
            f"{shown_output(self.out)}"
        )


def encode_path(
    data: Any,
    model: AnyModel,
    out: Path,
    *,
    vectors: Path | None,
    precision: Precision,
    side: Side,
    reading: TextReading,
    **where: Unpack[Workplace],
) -> Encoded | EncodedShards:
    """Write the vectors of a file, as :func:`encode_file`, or of the files of a folder.

    Raises:
        UsageError: texts or a model were given as objects; or as there.
        DataError: as there.
        ModelError: as there.
        OutputError: as there.
    """
    source = file_of_texts(data)
    if not isinstance(model, str | Path):
        raise invalid("model", called(model), expected="a folder or a name, with `out`")
    whole = not is_folder(source) or isinstance(open_texts(source, reading=reading), PlainFolder)
    make = encode_file if whole else encode_shards
    made = make(
        str(model), source, out, vectors=vectors, precision=precision, side=side, reading=reading, **where
    )
    if isinstance(made, Encoded):
        note_read(made.read)
        note_truncation(made.truncation)
    return made


def encode_shards(
    model: str,
    texts: Path | str,
    out: Path | str,
    *,
    vectors: Path | None = None,
    precision: Precision = "auto",
    side: Side = Side.TEXT,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> EncodedShards:
    """Write a file of vectors for each file of texts called ``part-*``, as :func:`encode_file` does.

    ``manifest.json`` notes each with its hashes as soon as it is there. The same call makes what is missing,
    and again what has another hash than is noted, be it texts, vectors or ids. What was made of files that
    are gone is removed, since all vectors of a folder are read.

    Args:
        model: as there, and so are the others.
        texts: the folder of texts.
        out: the folder to write.
        vectors: likewise.
        precision: likewise; what is measured for the first file holds for all.
        side: likewise.
        reading: likewise.
        where: the workplace, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: two files would have the same name, or the folder holds vectors made of something else.
        DataError: there are no such files, or one can't be read.
        ModelError: the model can't be read.
        OutputError: the folder can't be written to, or another process is writing there.
    """
    check_where(**where)
    source, reading = Path(texts), reading or TextReading()
    names = _names(source)
    if model in BASELINES:
        raise invalid("model", model, expected="an encoder for a folder of files")
    made_of: dict[str, Any] = {
        "textkin": __version__,
        "reading": {key: str(value) for key, value in asdict(reading).items()},
        "model": hash_of_model(located(model)),
        "vectors": None if vectors is None else hash_of_vectors(vectors),
        "side": side.value,
    }
    with sole_writer(out) as folder, engine_of(**where):
        if folder.resolve() == source.resolve():
            raise invalid("out", out, expected="another folder than that of the texts")
        noted = _noted(folder, made_of)
        shards = {} if noted is None else noted.shards
        if noted is not None:
            precision = noted.precision
            if gone := [name for name in shards if name not in names]:
                shards = {name: shard for name, shard in shards.items() if name in names}
                _write(folder, replace(noted, shards=shards))
                _remove(gone, folder, names.values())
        made = 0
        for place, (name, stem) in enumerate(names.items(), 1):
            if _is_there(shards.get(name), source / name, folder):
                continue
            note(f"{place} of {len(names)}: {name}")
            encoded = encode_file(
                model,
                source / name,
                folder / f"{stem}.npy",
                vectors=vectors,
                precision=precision,
                side=side,
                reading=reading,
                **where,
            )
            made += 1
            if made == 1 and encoded.prompt_words:
                note(encoded.prompt_words)
            precision = "bf16" if encoded.precision.startswith("bf16") else "fp32"
            shards[name] = _record(source / name, encoded)
            in_order = {key: shards[key] for key in names if key in shards}
            _write(folder, VectorsManifest(made_of, precision, in_order, format=1))
    counts = [shards[name].count for name in names]
    return EncodedShards(Path(out), len(names), made, sum(counts), next(iter(shards.values())).dim)


def _names(source: Path) -> dict[str, str]:
    """The files of texts, in order, with the names of their outputs without extension."""
    names = {path.name: _stem(path.name) for path in filled_files_of(source)}
    seen: dict[str, str] = {}
    for name, stem in names.items():
        if (other := seen.setdefault(stem, name)) != name:
            raise UsageError(f"{other} and {name} would both become {stem}.npy", fix="rename one of them")
    return names


def _noted(folder: Path, made_of: Mapping[str, Any]) -> VectorsManifest | None:
    """The manifest, if there is one."""
    found = read_manifest(folder)
    if found is not None and (before := found.made_of) != made_of:
        keys = sorted(key for key in {*before, *made_of} if before.get(key) != made_of.get(key))
        raise UsageError(
            f"`out` {folder} holds vectors made with other {', '.join(keys)}",
            fix="choose another folder",
            params=("out",),
            value=folder,
        )
    return found


def _is_there(shard: ShardRecord | None, texts: Path, folder: Path) -> bool:
    """Check whether the files of a shard match the manifest."""
    if shard is None:
        return False
    hashes = {
        texts: shard.texts_sha256,
        folder / shard.vectors: shard.vectors_sha256,
        folder / shard.ids: shard.ids_sha256,
    }
    return all(path.is_file() and sha256_of_file(path) == expected for path, expected in hashes.items())


def _stem(name: str) -> str:
    """The name of a text file's outputs without extension."""
    return name.split(".")[0]


def _remove(gone: Iterable[str], folder: Path, stems: Iterable[str]) -> None:
    """Remove the outputs of text files that are gone, except names now used by others."""
    taken = set(stems)
    for name in gone:
        stem = _stem(name)
        if stem not in taken and Path(stem).name == stem:  # a manifest may come from anywhere
            note(f"{name} is gone, and so are its vectors now")
            for ending in (".npy", ".ids.txt"):
                (folder / f"{stem}{ending}").unlink(missing_ok=True)


def _record(texts: Path, made: Encoded) -> ShardRecord:
    return ShardRecord(
        texts_sha256=sha256_of_file(texts),
        vectors=made.out.name,
        vectors_sha256=sha256_of_file(made.out),
        ids=made.ids.name,
        ids_sha256=sha256_of_file(made.ids),
        count=made.count,
        dim=made.dim,
    )


def _write(folder: Path, manifest: VectorsManifest) -> None:
    write_json(folder / MANIFEST, asdict(manifest))
