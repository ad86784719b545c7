"""The pairs of near-equal meaning among the texts of files, as a file."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from textkin.base.arrays import Ints
from textkin.base.files import refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.progress import remark
from textkin.base.results import ResultRow, Summary
from textkin.base.sharded_table_writer import RowTarget
from textkin.data.readers import TextReading
from textkin.models.minilm_cost import minilm_instead
from textkin.models.provenance import made_by
from textkin.text.truncation_account import note_truncation
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.manifest import is_numbering
from textkin.vectors.on_ray.location import Workplace, check_recall, engine_of
from textkin.vectors.pair_limits import PairLimits, check_limits
from textkin.vectors.pair_search import Paired, Sides
from textkin.vectors.unique_texts import VectorCache, embedded, kept_beside
from textkin.verbs.inputs import TextInput, texts_from
from textkin.verbs.mine.mining import Mining, PairCounter, Source, VectorsFrom, advice_on_long

_IDS, _TEXTS = ("score", "id_a", "id_b"), ("text_a", "text_b")


@dataclass(frozen=True, slots=True, repr=False)
class MinedFile(Summary):
    """A file of pairs.

    Attributes:
        out: the file, or the folder of parts.
        about: the summary of its contents.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), top=5, out="mined.tsv")
        >>> found.about.pairs, found.out.name
        (5, 'mined.tsv')
    """

    out: Path
    about: Mining

    def _rows(self) -> Iterator[ResultRow]:
        about = self.about
        yield {
            "out": self.out,
            **{name: getattr(about, name) for name in ("pairs", "threshold", "chosen", "texts", "different")},
            **{name: getattr(about, name) for name in ("against", "vectors", "method")},
        }

    def text(self) -> str:
        """The account of the search, and the file's name."""
        return "\n".join([*self.about.lines(), f"written to {shown_output(self.out)}"])

    def as_dict(self) -> dict[str, Any]:
        """The file and the account."""
        return {"out": self.out, **asdict(self.about)}


def mine_to_file(
    texts: Any,
    out: Path,
    vectors: VectorsFrom,
    wanted: PairLimits,
    *,
    against: Any = None,
    ids_only: bool = False,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedFile:
    """Find similar pairs and write them as a stream, completely or not at all.

    Long work is kept in a hidden folder beside ``out`` until all is done, so a killed call resumes.
    Of ids that have equal texts the first one counts, numbers by their size.

    Args:
        texts: texts, their file, or a folder of files called ``part-*``.
        out: the file to write: score, id_a, id_b, text_a, text_b. For such a folder, a folder to write, see
            :class:`textkin.base.sharded_table_writer.RowTarget`.
        vectors: the source of their vectors.
        wanted: the selection of pairs to find.
        against: other texts, or their file.
        ids_only: write no texts.
        reading: the columns of texts and ids.
        where: the workplace: this process or Ray.

    Raises:
        UsageError: options exclude each other, or ``out`` is one of the inputs.
        DataError: a file can't be read, or as ``mine_texts`` says.
        ModelError: as ``mine_texts``.
        OutputError: the pairs can't be written.
    """
    target, reading, two = RowTarget.of(out, texts), reading or TextReading(), against is not None
    check_limits(wanted)
    read = (texts, against, vectors.embeddings, vectors.against_embeddings)
    refuse_overwriting([target.path], [path for path in read if isinstance(path, Path | str)])
    left = texts_from(texts, reading, or_text=two, vectors=vectors.embeddings).told_apart()
    left, right = _numbered(left), None
    if two:
        right = texts_from(
            against, reading, name="against", or_text=True, vectors=vectors.against_embeddings
        ).told_apart("against")
        right = _numbered(right)
    source = vectors.source(left.texts, wanted, two=two)
    check_recall(source.choice.recall, **where)
    texts_in_all = len(left) + (0 if right is None else len(right))
    if vectors.embeddings is None and (better := minilm_instead(left.texts, vectors.model, texts_in_all)):
        remark(better)
    columns = _IDS if ids_only else _IDS + _TEXTS
    with (
        kept_beside(target.path, "mining") as folder,
        target.writer(columns) as writer,
        engine_of(**where) as engine,
    ):
        start = time.perf_counter()
        keep = _keep(folder, vectors, source)
        one, *others = (
            embedded(
                given.texts,
                vectors_of,
                ids=None if isinstance(given.ids, array | range) else [str(each) for each in given.ids],
                keep=keep,
                long=source.choice.long,
                unknown=vectors.unknown,
                engine=engine,
                folder=folder,
            )
            for given, vectors_of in ((left, source.left), (right, source.right))
            if given is not None
        )
        sides = Sides.of(
            one, others[0] if others else None, unknown=vectors.unknown, equal=source.choice.equal
        )
        left, right = _without_texts(left), None if right is None else _without_texts(right)
        seconds = time.perf_counter() - start
        tally = PairCounter(sides, source.choice, source.words, seconds)
        paired = Paired(sides, source.choice, journal=folder, engine=engine)
        for block in tally.counted(paired):
            writer.write(_rows(block, sides, (left, left if right is None else right), ids_only=ids_only))
    about = tally.about(paired)
    note_truncation(about.truncation, advice_on_long(source.choice))
    return MinedFile(target.path, about)


def _keep(folder: Path, vectors: VectorsFrom, source: Source) -> VectorCache | None:
    """The cache of vectors; None for given vectors, or an encoder without a known identity."""
    model = vectors.model
    if vectors.embeddings is not None or not isinstance(model, str | Path | None):
        return None
    return VectorCache(folder, made_by(None if model is None else str(model), source.left))


def _numbered(given: TextInput) -> TextInput:
    """The same, with numbers of lines as integers: as strings, millions take half as much as the texts."""
    if given.source is None or not is_numbering(given.ids):
        return given
    numbers = array("q", map(int, given.ids))
    every = range(numbers[0], numbers[-1] + 1)
    return replace(given, ids=every if len(every) == len(numbers) else numbers)


def _without_texts(given: TextInput) -> TextInput:
    """The same without the texts, which the unique texts hold as well: millions of places take memory."""
    return replace(given, texts=())


def _rows(
    block: Edges, sides: Sides, named: tuple[TextInput, TextInput], *, ids_only: bool
) -> Iterator[tuple[float | str, ...]]:
    """Rows of the table; scores have as many digits as a float32 needs to be read back."""
    scores = map(float, block.score.astype(str).tolist())
    left, right = named
    ids = zip(scores, _ids(left, block.a), _ids(right, block.b), strict=True)
    if ids_only:
        return ids
    texts = zip(sides.left.texts_at(block.a), (sides.right or sides.left).texts_at(block.b), strict=True)
    return ((*named, *two) for named, two in zip(ids, texts, strict=True))


def _ids(given: TextInput, places: Ints) -> list[Any]:
    """The ids of the texts at some places."""
    ids = [given.ids[place] for place in places.tolist()]
    return ids if given.source is None else list(map(str, ids))
