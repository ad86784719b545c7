"""The pairs of near-equal meaning among the texts of files, as a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack, final

from textkin.base.files import refuse_overwriting
from textkin.base.progress import remark
from textkin.base.results import ResultRow, Summary
from textkin.base.sharded_table_writer import RowTarget
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import ReadReport
from textkin.data.readers.texts import Texts
from textkin.models.minilm_cost import minilm_instead
from textkin.models.provenance import made_by
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.manifest import refuse_other_texts
from textkin.vectors.on_ray.location import Workplace, check_recall, check_where, engine_of
from textkin.vectors.pair_limits import PairLimits, check_limits
from textkin.vectors.pair_search import Paired, Sides
from textkin.vectors.unique_texts import VectorCache, embedded, kept_beside, texts_of_file
from textkin.verbs.mine.mining_account import Mining, PairCounter, Source, VectorsFrom

_IDS, _TEXTS = ("score", "id_a", "id_b"), ("text_a", "text_b")


@final
@dataclass(frozen=True, slots=True, repr=False)
class MinedFile(Summary):
    """A file of pairs.

    Attributes:
        out: the file, or the folder of parts.
        about: what is in it.
        read: what the reader skipped, of each file of texts.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), options=tk.MineOptions(top=5), out="mined.tsv")
        >>> found.about.pairs, found.out.name
        (5, 'mined.tsv')
    """

    out: Path
    about: Mining
    read: tuple[ReadReport, ...]

    def _rows(self) -> Iterator[ResultRow]:
        about = self.about
        yield {
            "out": self.out,
            **{name: getattr(about, name) for name in ("pairs", "threshold", "chosen", "texts", "different")},
            **{name: getattr(about, name) for name in ("against", "vectors", "method")},
        }


def mine_file(
    texts: Path | str,
    out: Path | str,
    *,
    wanted: PairLimits | None = None,
    vectors: VectorsFrom | None = None,
    against: Path | str | None = None,
    ids_only: bool = False,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedFile:
    """``mine`` for files: write pairs as a stream, whole or not at all.

    What takes long is kept in a hidden folder beside ``out`` until all is done: what a kill interrupts, the
    same call takes up again. Of ids that have equal texts the first one counts, numbers by their size.

    Args:
        texts: plain text with one text a line, or a table, or a folder of them called ``part-*``.
        out: the file to write, .tsv, .csv or .jsonl: score, id_a, id_b, text_a, text_b. For such a folder a
            name without ending is the folder to write, see
            :class:`textkin.base.sharded_table_writer.RowTarget`.
        wanted: as in ``mine``.
        vectors: the model's name or folder; or NumPy files with a vector for each text that is not empty,
            such as ``textkin encode`` writes.
        against: a file of other texts, or a folder of them.
        ids_only: write no texts.
        reading: of tables, for both files.
        where: where the work is done, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: arguments are out of range or don't go together, or ``out`` is one of the inputs.
        DataError: a file can't be read, or what ``mine`` says.
        ModelError: as ``mine``.
        OutputError: the pairs can't be written.
    """
    target = RowTarget.of(out, texts)
    vectors, wanted = vectors or VectorsFrom(), wanted or PairLimits()
    check_limits(wanted)
    check_where(**where)
    read = (texts, against, vectors.embeddings, vectors.against_embeddings)
    refuse_overwriting([target.path], [path for path in read if isinstance(path, Path | str)])
    refuse_other_texts(vectors.embeddings, texts)
    if against is not None:
        refuse_other_texts(vectors.against_embeddings, against)
    files = [texts_of_file(path, reading=reading) for path in (texts, against) if path is not None]
    left, right = files[0].data, files[1].data if against is not None else None
    source = vectors.source(left.texts, wanted, two=right is not None)
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
                file.texts,
                vectors_of,
                ids=file.ids,
                keep=keep,
                long=source.choice.long,
                unknown=vectors.unknown,
                engine=engine,
            )
            for file, vectors_of in ((left, source.left), (right, source.right))
            if file is not None
        )
        sides = Sides.of(
            one, others[0] if others else None, unknown=vectors.unknown, equal=source.choice.equal
        )
        seconds = time.perf_counter() - start
        tally = PairCounter(sides, source.choice, source.words, seconds)
        paired = Paired(sides, source.choice, journal=folder, engine=engine)
        for block in tally.counted(paired):
            writer.write(_rows(block, left, right or left, ids_only=ids_only))
    return MinedFile(target.path, tally.about(paired), tuple(file.report for file in files))


def _keep(folder: Path, vectors: VectorsFrom, source: Source) -> VectorCache | None:
    """Where vectors are kept; None where they are given, or nothing says what they are made by."""
    if vectors.embeddings is not None or isinstance(vectors.model, Encoder):
        return None
    return VectorCache(folder, made_by(None if vectors.model is None else str(vectors.model), source.left))


def _rows(block: Edges, left: Texts, right: Texts, *, ids_only: bool) -> Iterator[tuple[float | str, ...]]:
    """Rows of the table; scores have as many digits as a float32 needs to be read back."""
    scores = map(float, block.score.astype(str).tolist())
    for score, a, b in zip(scores, block.a.tolist(), block.b.tolist(), strict=True):
        ids = score, left.ids[a], right.ids[b]
        yield ids if ids_only else (*ids, left.texts[a], right.texts[b])
