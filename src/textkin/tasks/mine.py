"""The pairs of near-equal meaning in a set of texts, or of two sets."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, UsageError
from textkin.files import atomic_text
from textkin.groups.linkage import Edges
from textkin.protocols import Encoder
from textkin.readers import load_texts
from textkin.readers.report import Loaded, ReadReport
from textkin.readers.texts import Texts
from textkin.tasks.embedded import Keep, embedded, kept_beside, made_by
from textkin.tasks.encode import Precision, in_precision
from textkin.tasks.pair_choice import PairChoice, Wanted, check_wanted, choose
from textkin.tasks.pairing import Paired, Sides
from textkin.tasks.resolve import encoder_of
from textkin.tasks.row_writer import RowWriter, check_ending

COLUMNS = ("score", "id_a", "id_b", "text_a", "text_b")

_SAMPLE = 16_384

Vectors = NDArray[Any] | Path | str
"""One a text: an array of floating-point numbers, shape [texts, dim], or the NumPy file of one."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mining:
    """How pairs were mined, and how many.

    Attributes:
        vectors: what they come from, in words.
        texts: how many there were.
        different: how many different ones.
        against: how many texts they were paired with; None if with each other.
        pairs: how many were found.
        equal: how many of them are of equal texts.
        left_out: pairs of equal texts for which no more room was.
        threshold: the least score of a pair.
        chosen: where the threshold comes from, or how many pairs were wanted.
        compared: how many pairs of different texts there are at all.
        method: how they were compared, in words.
        recall: the share of the pairs that was found: 1, or what a sample says.
        seconds_vectors: for the vectors.
        seconds_pairs: for all else.
    """

    vectors: str
    texts: int
    different: int
    against: int | None
    pairs: int
    equal: int
    left_out: int
    threshold: float
    chosen: str
    compared: int
    method: str
    recall: float
    seconds_vectors: float
    seconds_pairs: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class MinedPairs:
    """Pairs of texts, and how they were found.

    Attributes:
        pairs: the places of the two texts and the cosine: pairs of equal texts first, then by score falling,
            then by the two texts. In ``a`` stands the text that comes first in the order of characters, or
            with ``against`` that of ``texts``.
        about: how they were found.
    """

    pairs: Edges
    about: Mining
    _sides: Sides = field(repr=False)
    _recall: float | None = field(repr=False)
    _complete_above: float = field(repr=False)

    def __len__(self) -> int:
        return len(self.pairs)

    def rethreshold(self, threshold: float) -> MinedPairs:
        """All pairs of the same texts from another threshold on, higher or lower: as a new call would.

        The vectors are kept, so nothing is encoded again, and above what is known nothing is compared either.

        Raises:
            UsageError: it is no cosine.
            DataError: far too many pairs score as much.
        """
        check_wanted({"threshold": threshold})
        choice = PairChoice(threshold, "given", recall=self._recall)
        if np.float32(threshold) <= self._complete_above:
            return _gathered(self._sides, choice, self.about.vectors, self.about.seconds_vectors)
        pairs = self.pairs.where(self.pairs.score >= np.float32(threshold))
        about = replace(self.about, pairs=len(pairs), threshold=threshold, chosen=choice.words)
        return replace(self, pairs=pairs, about=about)


@final
@dataclass(frozen=True, slots=True)
class MinedFile:
    """A file of pairs.

    Attributes:
        out: the file.
        about: what is in it.
        read: what the reader skipped, of each file of texts.
    """

    out: Path
    about: Mining
    read: tuple[ReadReport, ...]


def mine(
    texts: Sequence[str],
    model: str | Path | Encoder | None = None,
    *,
    embeddings: Vectors | None = None,
    against: Sequence[str] | None = None,
    against_embeddings: Vectors | None = None,
    precision_of_vectors: Precision = "auto",
    **wanted: Unpack[Wanted],
) -> MinedPairs:
    """Find the pairs of texts that say nearly the same, each once; the result depends on no order.

    A text that comes several times is paired with others where it comes first; where it comes again it is
    paired with that first place only, with score 1. With ``against`` it is found at its first place only.

    Args:
        texts: to be paired with each other, or with those of ``against``.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given.
        embeddings: vectors of the texts, from any source.
        against: other texts.
        against_embeddings: their vectors.
        precision_of_vectors: what an encoder computes in, see ``encode.in_precision``.
        **wanted: ``threshold``, ``precision``, ``top`` or ``per_text``, see ``pair_choice.Wanted``. If none
            is given, the model's own threshold decides, or else the 1,000 best pairs are found.

    Raises:
        UsageError: arguments are out of range or don't go together.
        DataError: there are no texts, vectors don't fit them, or far too many pairs were found.
        ModelError: the model can't be read, gives no vectors, or has no threshold for the precision.
    """
    source = _source(
        model,
        embeddings,
        against_embeddings,
        precision=precision_of_vectors,
        texts=texts,
        two=against is not None,
        wanted=wanted,
    )
    start = time.perf_counter()
    left = embedded(texts, source.left)
    sides = Sides(left, None if against is None else embedded(against, source.right))
    return _gathered(sides, source.choice, source.words, time.perf_counter() - start)


def mine_file(
    texts: Path | str,
    out: Path | str,
    *,
    wanted: Wanted,
    model: str | None = None,
    embeddings: Path | None = None,
    against: Path | str | None = None,
    against_embeddings: Path | None = None,
    precision_of_vectors: Precision = "auto",
    **reading: Any,
) -> MinedFile:
    """:func:`mine` for files: write pairs as a stream, whole or not at all.

    What takes long is kept in a hidden folder beside ``out`` until all is done: what a kill interrupts, the
    same call takes up again. Of ids that have equal texts the first one counts, numbers by their size.

    Args:
        texts: plain text with one text a line, or a table.
        out: the file to write, .tsv, .csv or .jsonl: score, id_a, id_b, text_a, text_b.
        wanted: as in :func:`mine`.
        model: a folder or name.
        embeddings: a NumPy file with a vector for each text that is not empty, such as ``textkin encode``
            writes.
        against: a file of other texts.
        against_embeddings: the NumPy file of their vectors.
        precision_of_vectors: as in :func:`mine`.
        **reading: ``column`` and ``quoting`` for ``readers.load_texts``, for both files.

    Raises:
        UsageError: arguments are out of range or don't go together, or ``out`` is one of the inputs.
        DataError: a file can't be read, or what :func:`mine` says.
        ModelError: as :func:`mine`.
        OutputError: the pairs can't be written.
    """
    target = Path(out)
    check_ending(target)
    inputs = [Path(path) for path in (texts, embeddings, against, against_embeddings) if path is not None]
    if target.resolve() in {path.resolve() for path in inputs}:
        raise UsageError(f"{out} is a file that is read", fix="choose another file for the pairs")
    files = [_read(path, reading) for path in (texts, against) if path is not None]
    left, right = files[0].data, files[1].data if against is not None else None
    source = _source(
        model,
        embeddings,
        against_embeddings,
        precision=precision_of_vectors,
        texts=left.texts,
        two=against is not None,
        wanted=wanted,
    )
    with kept_beside(target, "mining") as folder, atomic_text(target) as stream:
        start = time.perf_counter()
        keep = None if embeddings is not None else Keep(folder, made_by(model, source.left))
        sides = Sides(
            embedded(left.texts, source.left, ids=left.ids, keep=keep),
            None if right is None else embedded(right.texts, source.right, ids=right.ids, keep=keep),
        )
        seconds = time.perf_counter() - start
        tally = _Tally(sides, source.choice, source.words, seconds)
        paired = Paired(sides, source.choice, journal=folder)
        writer = RowWriter(stream, target, COLUMNS)
        for block in tally.counted(paired):
            writer.write(_rows(block, left, right or left))
    return MinedFile(target, tally.about(paired), tuple(file.report for file in files))


def _read(path: Path | str, reading: dict[str, Any]) -> Loaded[Texts]:
    loaded = load_texts(path, **reading)
    if not len(loaded.data):
        raise DataError("holds no text", path=path, fix="give a file with at least one")
    return loaded


def _rows(block: Edges, left: Texts, right: Texts) -> Iterator[tuple[float, str, str, str, str]]:
    """Rows of the table; scores have as many digits as a float32 needs to be read back."""
    scores = map(float, block.score.astype(str).tolist())
    for score, a, b in zip(scores, block.a.tolist(), block.b.tolist(), strict=True):
        yield score, left.ids[a], right.ids[b], left.texts[a], right.texts[b]


def _gathered(sides: Sides, choice: PairChoice, vectors: str, seconds: float) -> MinedPairs:
    tally = _Tally(sides, choice, vectors, seconds)
    paired = Paired(sides, choice)
    none = np.empty(0, dtype=np.int64)
    blocks = [Edges(none, none, np.empty(0, dtype=np.float32)), *tally.counted(paired)]
    pairs = Edges(
        np.concatenate([block.a for block in blocks]),
        np.concatenate([block.b for block in blocks]),
        np.concatenate([block.score for block in blocks]),
    )
    return MinedPairs(pairs, tally.about(paired), sides, choice.recall, tally.complete_above())


@final
@dataclass(frozen=True, slots=True)
class _Source:
    """Where vectors come from, and which pairs are wanted.

    Attributes:
        left: what gives the vectors of the texts: an encoder, or the vectors.
        right: what gives those of the texts that they are paired with.
        words: both in words.
        choice: which pairs are wanted.
    """

    left: Encoder | Vectors
    right: Encoder | Vectors
    words: str
    choice: PairChoice


def _source(
    model: str | Path | Encoder | None,
    embeddings: Vectors | None,
    against_embeddings: Vectors | None,
    *,
    precision: Precision,
    texts: Sequence[str],
    two: bool,
    wanted: Wanted,
) -> _Source:
    """Check that arguments go together, load the model and find out which pairs are wanted."""
    check_wanted(wanted)
    if two and wanted.get("recall") is not None:
        raise UsageError("recall with two sets of texts, which are compared exactly", fix="leave recall out")
    if (against_embeddings is not None) is not (two and embeddings is not None):
        raise UsageError(
            "vectors of one set of texts, and another set or none",
            fix="give vectors of both sets, of the one set that there is, or none",
        )
    encoder = None
    if embeddings is None or model is not None:
        encoder = encoder_of(model)
    choice = choose(wanted, encoder)
    if embeddings is not None:
        other = embeddings if against_embeddings is None else against_embeddings
        return _Source(embeddings, other, "given vectors", choice)
    if encoder is None:
        raise AssertionError("neither vectors nor an encoder")
    settled, words = in_precision(encoder, precision, texts[:: max(1, len(texts) // _SAMPLE)])
    return _Source(settled, settled, f"{settled.name} in {words}", choice)


@final
class _Tally:
    """Counts pairs as they come, and says at the end what was done.

    Args:
        sides: what is paired.
        choice: which pairs are wanted.
        vectors: where they come from, in words.
        seconds: what the vectors took.
    """

    def __init__(self, sides: Sides, choice: PairChoice, vectors: str, seconds: float) -> None:
        self._sides, self._choice, self._vectors = sides, choice, vectors
        self._seconds, self._start = seconds, time.perf_counter()
        self._count, self._last = 0, 1.0

    def counted(self, paired: Paired) -> Iterator[Edges]:
        """The pairs, which are counted."""
        for block in paired.blocks():
            if len(block):
                self._count, self._last = self._count + len(block), float(block.score[-1])
                yield block

    def about(self, paired: Paired) -> Mining:
        """What was done."""
        sides, choice, joined = self._sides, self._choice, paired.joined
        equal = min(paired.equal, self._count)
        return Mining(
            vectors=self._vectors,
            texts=len(sides.left.number),
            different=len(sides.left),
            against=None if sides.right is None else len(sides.right.number),
            pairs=self._count,
            equal=equal,
            left_out=paired.equal - equal,
            threshold=self._last if self._is_cut() else choice.threshold,
            chosen=choice.words,
            compared=joined.compared,
            method=joined.method,
            recall=joined.recall,
            seconds_vectors=self._seconds,
            seconds_pairs=time.perf_counter() - self._start,
        )

    def complete_above(self) -> float:
        """The highest score of a pair that may be missing."""
        choice = self._choice
        if choice.per_text is not None or choice.recall is not None:
            return 1.0
        if self._is_cut():
            return self._last
        return float(np.nextafter(np.float32(choice.threshold), np.float32(-np.inf)))

    def _is_cut(self) -> bool:
        """Whether the number of pairs ended the list, and no threshold."""
        return self._choice.per_text is not None or self._count == self._choice.limit
