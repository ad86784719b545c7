"""Encode the texts of a file of any size to a file of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

from textkin.base.errors import invalid
from textkin.base.files import atomic_text, refuse_overwriting, resumable, sha256_of_files
from textkin.base.growing_npy import RowFile, part_of
from textkin.base.hub import located
from textkin.base.numpy_files import check_npy_name
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.spelling import spelt
from textkin.base.standard_streams import refuse_output
from textkin.base.table_writer import check_name
from textkin.base.text_table import text_table
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Encoder, Side
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.data.readers.texts import TextSource, open_texts
from textkin.kinds.systems import resolve
from textkin.models.provenance import hash_of_model, hash_of_vectors
from textkin.text.baselines.names import BASELINES
from textkin.text.truncation_account import Truncation, truncation_of
from textkin.vectors.batched_encoding import Adjustable, Precision, append_vectors, in_precision
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.vectors.unknown_token_report import Coverage, coverage_of
from textkin.version import __version__

_WINDOW = 16_384


@dataclass(frozen=True, slots=True, repr=False)
class Encoded(Summary):
    """Result of encoding a file.

    Attributes:
        model: the encoder's name in tables.
        count: texts, one row each.
        dim: width of the vectors.
        out: the file of vectors.
        ids: the file of the texts' ids, one per line, in row order: those of the source, or line or
            row numbers from 1.
        precision: the number type of products, and the reason for it.
        side: that the texts are on.
        prompt: the model's prefix of texts of that side.
        has_sides: whether the model has a prompt for any side.
        read: the rows that the reader skipped.
        coverage: the fraction of the texts that the encoder knows.
        truncation: number of texts longer than the encoder's maximum; None if unknown.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> made = tk.encode(samples.path("inbox.txt"), out="inbox.npy")
        >>> made.count, made.ids.name
        (184, 'inbox.ids.txt')
    """

    model: str
    count: int
    dim: int
    out: Path
    ids: Path
    precision: str
    read: ReadReport
    coverage: Coverage
    truncation: Truncation | None = None
    side: Side = Side.TEXT
    prompt: str = ""
    has_sides: bool = False

    @property
    def prompt_words(self) -> str:
        """The prompt before the texts, in words; "" of a model without prompts."""
        if self.prompt:
            return f"the prompt {self.prompt!r} stands before every {self.side.value}"
        if not self.has_sides:
            return ""
        see = " or ".join(spelt(f"`side={one}`") for one in Side if one not in (self.side, Side.TEXT))
        return f"no prompt was put before a {self.side.value}; {self.model} has prompts: see {see}"

    def _said(self) -> tuple[str, ...]:
        return (self.prompt_words,) if self.prompt_words else ()

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields("model", "count", "dim", "out", "ids", "precision")

    def text(self) -> str:
        """The number of texts, the file, and the check of the precision."""
        row = (self.model, f"{self.count:,}", str(self.dim), shown_output(self.out))
        table = text_table(("model", "texts", "dim", "written to"), [row])
        return "\n".join([table, f"precision {self.precision}", *self._said()])

    def as_dict(self) -> dict[str, Any]:
        """The files written, and the prompt, coverage and truncation of the texts."""
        return self._fields(
            *("model", "count", "dim", "out", "ids", "precision", "side", "prompt", "coverage", "truncation")
        )


def encode_file(
    model: str,
    texts: Path | str,
    out: Path | str,
    *,
    vectors: Path | None = None,
    precision: Precision = "auto",
    side: Side = Side.TEXT,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> Encoded:
    """Write the vectors of texts as float32 in NumPy's format, shape [texts, dim], whole or not at all.

    The file is read in windows, and memory does not grow with it. What a kill interrupts, the same call takes
    up again. ``out`` with the ending ``.ids.txt`` gets the ids.

    Args:
        model: a folder with an encoder, the name of a cached one, or the baseline mean-vectors.
        texts: plain text with one text per line, or a table.
        out: the file to write.
        vectors: for the baseline mean-vectors.
        precision: the number type of a transformer; "auto" measures whether bf16 pays and stays close enough
            to fp32, and says so in the result.
        side: whether the texts are queries or documents, for models that have prompts for them.
        reading: reading options of a table.
        where: the workplace, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: the model compares texts without placing them in a space, can't compute in ``precision``,
            or ``out`` is the input or standard output, or has another ending than ``.npy``.
        DataError: the file can't be read.
        ModelError: the model can't be read.
        OutputError: the vectors can't be written, or another process is writing them.
    """
    check_where(**where)
    reading = reading or TextReading()
    source, target = open_texts(texts, reading=reading), Path(out)
    check_name(out)
    ids = target.with_suffix(".ids.txt")
    refuse_output(target, "a NumPy file")
    check_npy_name(target)
    refuse_overwriting((target, ids), source.files)
    known = list(_texts(source)) if model in BASELINES else []
    found = resolve(model, fit_texts=known, vectors=vectors)
    if not isinstance(found, Encoder):
        raise invalid(
            "model",
            model,
            expected="an encoder: this model gives no vectors",
            fix="name an encoder, or mean-vectors with word vectors",
        )
    # A first pass finds what is wrong with the file before hours of work, and how much there is to do.
    counter = SkipCounter(source.path)
    count, truncation, coverage = _counted((text for _, text in source.rows(counter)), found, side)
    coverage.tell()
    prompt = found.prompt_of(side) if isinstance(found, EncodesTexts) else ""
    encoder, words = in_precision(found, precision, _texts(source))
    made_of = {
        "textkin": __version__,
        "texts": sha256_of_files(source.files),
        "reading": {key: str(value) for key, value in asdict(reading).items()},
        "model": model if model in BASELINES else hash_of_model(located(model)),
        "vectors": None if vectors is None else hash_of_vectors(vectors),
        "computes": encoder.computes if isinstance(encoder, Adjustable) else "fp32",
        "side": side.value,
    }
    with (
        resumable(part_of(target)),
        RowFile(target, width=encoder.dim, made_of=made_of) as rows,
        engine_of(**where) as engine,
    ):
        append_vectors(rows, engine.encoder(encoder), _texts(source), count=count, side=side)
        with atomic_text(ids) as stream:
            stream.writelines(f"{key}\n" for key, _ in source.rows(SkipCounter(source.path)))
        rows.finish()
    return Encoded(
        model=encoder.name,
        count=count,
        dim=encoder.dim,
        out=target,
        ids=ids,
        precision=words,
        read=counter.report(),
        truncation=truncation,
        coverage=coverage,
        side=side,
        prompt=prompt,
        has_sides=bool(getattr(found, "has_sides", False)),
    )


def _counted(texts: Iterator[str], encoder: Encoder, side: Side) -> tuple[int, Truncation | None, Coverage]:
    """Count texts, truncated texts, and the tokens that the encoder knows."""
    count, account, coverage = 0, truncation_of(encoder, ()), coverage_of(encoder, ())
    while window := list(islice(texts, _WINDOW)):
        count += len(window)
        more = truncation_of(encoder, window, side=side)
        account = account and more and account + more
        coverage += coverage_of(encoder, window)
    return count, account, coverage


def _texts(source: TextSource) -> Iterator[str]:
    return (text for _, text in source.rows(SkipCounter(source.path)))
