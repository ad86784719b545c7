"""Word vectors from files (GloVe, word2vec, fastText), and the embedding matrix of a vocabulary."""

import io
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError
from textkin.base.gzip_input import lines_of
from textkin.base.progress import note, track
from textkin.text.stable_hash import stable_hash
from textkin.text.vocabulary import Vocabulary
from textkin.text.word2vec_files import WHOLE, binary_head, binary_rows, opened

_LARGEST = 1e9  # larger values overflow when vectors are squared and summed


@dataclass(frozen=True, slots=True, eq=False)
class VectorFile:
    """Vectors of words.

    Attributes:
        words: distinct.
        matrix: shape [words, dim].
        duplicates: number of rows skipped because they repeat a word.
        undecodable: number of rows of a binary file skipped because their word isn't UTF-8.
    """

    words: tuple[str, ...]
    matrix: Floats32
    duplicates: int = 0
    undecodable: int = 0

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return int(self.matrix.shape[1])


class Missing(StrEnum):
    """The row of a vocabulary word without a pretrained vector."""

    ZERO = "zero"
    RANDOM = "random"  # normal, with the mean and standard deviation of the pretrained values
    HASH = "hash"  # uniform within half a unit over dim, seeded by the word: equal in every vocabulary


def load_vectors(
    path: Path | str, *, wanted: Collection[str] | None = None, quiet: bool = False
) -> VectorFile:
    """Read word vectors from a text file or word2vec's binary format, plain or gzipped.

    A text file may have word2vec's header line, and words with spaces, as in GloVe 840B. The first vector of
    a repeated word counts.

    Args:
        path: one word per line, then its numbers, separated by spaces or tabs; or the format of
            ``word2vec_files.py``.
        wanted: words to keep; None for all.
        quiet: True to show no progress.

    Raises:
        DataError: the file is missing, truncated or has another format; the message gives the line or the
            byte.
    """
    path = Path(path)
    kept = _KeptWords(wanted)
    with opened(path) as stream:
        head = binary_head(stream, path)
        if head is None:
            dim = _take_text(_lines(stream, path), path, kept, quiet=quiet)
        else:
            dim = head.dim
            rows = binary_rows(stream, path, head)
            _take_binary(track(rows, title=_title(path), total=head.count, quiet=quiet), path, kept)
    matrix = np.frombuffer(kept.numbers, dtype=np.float32).reshape(len(kept.words), dim).copy()
    if kept.undecodable and not quiet:
        left = "1 word that is" if kept.undecodable == 1 else f"{kept.undecodable:,} words that are"
        note(f"{path.name}: left out {left} not UTF-8")
    return VectorFile(tuple(kept.words), matrix, kept.duplicates, kept.undecodable)


class _KeptWords:
    """The words of a file kept so far, with their numbers."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wanted = None if wanted is None else frozenset(wanted)
        self.words: dict[str, None] = {}
        self.numbers = array("f")
        self.duplicates = self.undecodable = 0

    def takes(self, word: str) -> bool:
        """Return whether the numbers of a word are needed, and keep the word if so."""
        if word in self.words:
            self.duplicates += 1
            return False
        if self._wanted is not None and word not in self._wanted:
            return False
        self.words[word] = None
        return True


def _title(path: Path) -> str:
    return f"reading {path.name}"


def _take_text(lines: Iterator[tuple[int, bytes]], path: Path, kept: _KeptWords, *, quiet: bool) -> int:
    """Add the rows of a text file; return their dimension."""
    dim = promised = rows = 0
    for number, line in track(lines, title=_title(path), quiet=quiet):
        fields = line.split(b" ")
        if number == 1 and len(fields) == 2 and all(field.isdigit() and len(field) < 19 for field in fields):
            promised, dim = int(fields[0]), int(fields[1])
            continue
        dim = dim or _count_numbers(fields, path)
        word, values = _parse(line, dim, path, number)
        rows += 1
        if kept.takes(word):
            kept.numbers.extend(values)
    if rows == 0 or rows < promised:
        raise DataError(
            f"the file ends after {rows} words" + (f" of {promised}" if promised else ""),
            path=path,
            fix=WHOLE,
        )
    return dim


def _take_binary(rows: Iterator[tuple[int, bytes, bytes]], path: Path, kept: _KeptWords) -> None:
    """Add the rows of a binary file; count words that aren't UTF-8, possibly truncated by the tool."""
    for offset, name, data in rows:
        values = np.frombuffer(data, dtype="<f4")
        with np.errstate(over="ignore", invalid="ignore"):
            squares = float(values @ values)
        # One product is faster than checking every number, and is small only if they all are.
        if not squares < _LARGEST and not np.all(np.abs(values) < _LARGEST):
            raise DataError(
                f"a number at byte {offset:,} is not finite, or beyond {_LARGEST:g}", path=path, fix=WHOLE
            )
        try:
            word = name.decode()
        except UnicodeDecodeError:
            kept.undecodable += 1
            continue
        if kept.takes(word):
            kept.numbers.extend(values.tolist())


def align(
    vocabulary: Vocabulary, vectors: VectorFile, *, seed: int = 0, missing: Missing = Missing.ZERO
) -> Floats32:
    """The embedding matrix of a vocabulary, shape [ids, dim].

    Known words get their vector, all others and the unknown rows follow ``missing``. The rows of
    :attr:`Vocabulary.zero_ids`, including PAD, are zero.

    Args:
        vocabulary: vocabulary whose ids number the rows.
        vectors: pretrained vectors.
        seed: seed of random rows.
        missing: rule for words without a vector.
    """
    size, dim = len(vocabulary), vectors.dim
    matrix = _drawn(vocabulary, vectors, seed=seed, missing=missing)
    place = {word: row for row, word in enumerate(vectors.words)}
    first = size - len(vocabulary.words)
    known = [(first + index, place[word]) for index, word in enumerate(vocabulary.words) if word in place]
    if known:
        targets, sources = np.array(known).T
        matrix[targets] = vectors.matrix[sources]
    matrix[list(vocabulary.zero_ids)] = 0.0
    return matrix.reshape(size, dim)


def _drawn(vocabulary: Vocabulary, vectors: VectorFile, *, seed: int, missing: Missing) -> Floats32:
    size, dim = len(vocabulary), vectors.dim
    if missing is Missing.ZERO or vectors.matrix.size == 0:
        return np.zeros((size, dim), dtype=np.float32)
    if missing is Missing.RANDOM:
        generator = np.random.default_rng(seed)
        drawn = generator.normal(vectors.matrix.mean(), vectors.matrix.std(), size=(size, dim))
        return drawn.astype(np.float32)
    # No word contains a line feed, so the names of the unknown rows differ from all words.
    names = [f"\n{row}" for row in range(size - len(vocabulary.words))]
    return np.stack([word_seeded(name, dim, seed=seed) for name in (*names, *vocabulary.words)])


def word_seeded(word: str, dim: int, *, seed: int = 0) -> Floats32:
    """A vector that depends only on the word and the seed: uniform in ±0.5/dim. Shape [dim]."""
    draw = np.random.default_rng(stable_hash(word, seed=seed)).random(dim)
    return ((draw - 0.5) / dim).astype(np.float32)


def _lines(stream: io.BufferedReader, path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers and lines without line endings; blank lines are allowed only at the end of the file."""
    blank = 0
    for number, line in enumerate(lines_of(stream, path), start=1):
        text = line.replace(b"\t", b" ").rstrip(b" \r\n")
        if not text:
            blank = blank or number
            continue
        if blank:
            raise DataError("the line is empty", path=path, line=blank, fix="remove it")
        yield number, text


def _count_numbers(fields: list[bytes], path: Path) -> int:
    """The number of numeric fields at the end of the first line; the first field is always the word."""
    count = 0
    while count < len(fields) - 1 and _is_number(fields[-1 - count]):
        count += 1
    if count == 0:
        raise DataError(
            "no numbers after the word",
            path=path,
            line=1,
            fix="give vectors of GloVe, word2vec or fastText: a word a line, or word2vec's binary file",
        )
    return count


def _parse(line: bytes, dim: int, path: Path, number: int) -> tuple[str, list[float]]:
    word, *fields = line.rsplit(b" ", dim)
    # A word may contain spaces, but one that ends in a number is a row with too many numbers.
    tail = word.rpartition(b" ")
    found = len(fields) + (1 if tail[1] and _is_number(tail[2]) else 0)
    if found != dim or not word:
        raise DataError(
            f"expected a word and {dim} numbers, found {'no word' if not word else f'{found} numbers'}",
            path=path,
            line=number,
            fix="get the file again, or remove the line",
        )
    try:
        values = [float(field) for field in fields]
        text = word.decode()
    except ValueError as error:  # UnicodeDecodeError is one
        raise DataError(f"not a word and {dim} numbers: {error}", path=path, line=number) from error
    if not (np.isfinite(sum(values)) and max(values) < _LARGEST and min(values) > -_LARGEST):
        raise DataError(
            f"a number is not finite, or beyond {_LARGEST:g}", path=path, line=number, fix="remove the line"
        )
    return text, values


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
