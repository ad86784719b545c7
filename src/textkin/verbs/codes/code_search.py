"""Find codes of bits: the nearest of each query, among all codes or among those that share a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import required
from textkin.base.files import refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.table_writer import check_ending, check_name, written_table
from textkin.base.text_table import text_table
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import note_read
from textkin.report.figure_words import count
from textkin.text.truncation_account import note_truncation
from textkin.vectors.join import hamming
from textkin.vectors.unique_texts import texts_of_file
from textkin.verbs.codes.code_files import StoredCodes, model_of, read_codes
from textkin.verbs.codes.codes import Codes, codes_of
from textkin.verbs.inputs import file_of_texts, named

COSINES = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)

_COLUMNS = ("query", "rank", "found", "bits", "cosine")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSearch:
    """Options of searching codes.

    Attributes:
        nearest: number of codes that each query finds.
        bands: number of bands of bits; a query is compared with codes that share one. None for all.
        sample: number of queries for measuring the recall of bands, against all codes; 0 for none.
    """

    nearest: int = 10
    bands: int | None = None
    sample: int = 2000


@dataclass(frozen=True, slots=True)
class BandStatistics:
    """Cost and recall of a search by bands.

    Attributes:
        bands: number of bands.
        widths: the fewest and the most bits of one.
        compared: mean number of codes that a query was compared with.
        without: queries that share no band with any code, and so found nothing.
        sample: queries whose nearest codes were found exactly, too.
        recall: the fraction of these that the bands found; None where not measured.
        expected: that share by the formula of ``hamming.py``, from the distances; None likewise.
        at_cosine: the formula's chance that a text with this cosine is found, by the cosine.
    """

    bands: int
    widths: tuple[int, int]
    compared: float
    without: int
    sample: int
    recall: float | None
    expected: float | None
    at_cosine: Mapping[str, float]

    def lines(self) -> Iterator[str]:
        """The account in sentences, and a table of chances."""
        least, most = self.widths
        width = f"{least}" if least == most else f"{least} or {most}"
        yield f"{self.bands} bands of {width} bits: {self.compared:,.1f} codes compared for each query"
        if self.without:
            yield f"{count(self.without, 'query')} found nothing, because no code shares a band"
        if self.recall is not None and self.expected is not None:
            yield (
                f"recall {self.recall:.3f} against all codes, measured on {self.sample:,} queries; "
                f"{self.expected:.3f} by the formula"
            )
        chances = [(cosine, f"{chance:.3f}") for cosine, chance in self.at_cosine.items()]
        yield text_table(("cosine", "found, by the formula"), chances)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodeHits(Summary):
    """Codes that were found for the queries of a file.

    Attributes:
        out: the file of results.
        queries: their codes, and their settings.
        codes: number of codes searched.
        found: rows of the file.
        bands: of a search by bands; None where all codes were compared, so that the recall is 1.
        codes_recall: recall of the codes against exact cosines, as measured when they were made, and among
            how many nearest; None if it was not.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> made = tk.encode(samples.path("inbox.txt"), bits=128, out="inbox.npy")
        >>> tk.search(made.out, samples.path("inbox.txt"), k=1, out="nearest.tsv").found
        184
    """

    out: Path
    queries: Codes
    codes: int
    found: int
    bands: BandStatistics | None
    codes_recall: tuple[float, int] | None

    def text(self) -> str:
        """The counts, the recall, and the file's name."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{len(self.queries.codes):,} queries, {self.codes:,} codes of {self.queries.of}"
        if self.queries.blank:
            yield f"{count(self.queries.blank, 'query')} with a vector of zeros, whose code says nothing"
        if self.bands is None:
            yield "compared with all codes"
        else:
            yield from self.bands.lines()
        if self.codes_recall is not None:
            recall, nearest = self.codes_recall
            yield f"recall@{nearest} of the codes against exact cosines, when they were made: {recall:.3f}"
        yield f"{count(self.found, 'row')} written to {shown_output(self.out)}"

    def as_dict(self) -> dict[str, Any]:
        """The counts and the recall."""
        own = {name: getattr(self, name) for name in ("out", "codes", "found", "bands", "codes_recall")}
        of_queries = {name: getattr(self.queries, name) for name in ("blank", "of", "truncation", "coverage")}
        return {**own, "queries": len(self.queries.codes), **of_queries}

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "out": self.out,
            "queries": len(self.queries.codes),
            "codes": self.codes,
            "found": self.found,
            "recall": 1.0 if self.bands is None else self.bands.recall,
        }


def is_codes(texts: Any) -> bool:
    """True for the path of a file of codes."""
    return isinstance(texts, str | Path) and Path(texts).suffix == ".npy"


def search_codes(
    queries: Any,
    codes: Path | str,
    out: Path | str | None,
    *,
    model: Any = None,
    embeddings: Any = None,
    options: CodeSearch | None = None,
    reading: TextReading | None = None,
) -> CodeHits:
    """Find the nearest codes of a file's texts, whose codes are made as those of the file of codes were.

    Args:
        queries: plain text with one text a line, or a table.
        codes: a file of codes; the files that end in ``.ids.txt`` and ``.json`` are beside it.
        out: TSV, CSV or JSON lines: query, rank, found (their ids), bits that differ, and the cosine that
            these estimate.
        model: current path of the codes' model, if it has moved.
        embeddings: for codes of vectors: those of the queries.
        options: the defaults if left out.
        reading: reading options of a table.

    Raises:
        UsageError: options don't fit the codes, or ``out`` has another ending or is one of the inputs.
        DataError: a file can't be read or isn't one of codes.
        ModelError: the model isn't there, or isn't the one that the codes were made of.
        OutputError: the results can't be written.
    """
    if out is None:
        raise required("out", by="a search of codes")
    options, target, queries = options or CodeSearch(), Path(out), file_of_texts(queries)
    model, embeddings = named("model", model), named("embeddings", embeddings)
    embeddings = None if embeddings is None else Path(embeddings)
    check_name(out)
    check_ending(target)
    refuse_overwriting((target,), (Path(queries), Path(codes), embeddings))
    stored = read_codes(Path(codes))
    if options.bands is not None:
        hamming.band_ends(8 * stored.codes.shape[1], options.bands)  # before hours of encoding
    loaded = texts_of_file(queries, reading=reading)
    note_read(loaded.report)
    name = model_of(stored, model, embeddings)
    made = codes_of(loaded.data.texts, name, embeddings=embeddings, options=replace(stored.options, sample=0))
    note_truncation(made.truncation)
    nearest, account = _search(stored.codes, made.codes, options)
    found = 0
    with written_table(target, _COLUMNS) as writer:
        for rows in _hits(loaded.data.ids, stored, nearest):
            found += len(rows)
            writer.write(rows)
    return CodeHits(
        out=target,
        queries=made,
        codes=len(stored.codes),
        found=found,
        bands=account,
        codes_recall=stored.recall,
    )


def _search(
    codes: NDArray[np.uint8], queries: NDArray[np.uint8], options: CodeSearch
) -> tuple[hamming.NearestCodes, BandStatistics | None]:
    table = hamming.CodeTable(codes)
    if options.bands is None:
        return table.nearest(queries, options.nearest), None
    by_band = hamming.BandTable(codes, options.bands)
    hits = by_band.nearest(queries, options.nearest)
    drawn = np.linspace(0, len(queries), min(options.sample, len(queries)), endpoint=False).astype(np.int64)
    recall = expected = None
    if len(drawn):
        exact = table.nearest(queries[drawn], options.nearest)
        some = hamming.NearestCodes(hits.nearest.codes[drawn], hits.nearest.distances[drawn])
        right, wanted = hamming.recall_of(exact, some)
        recall = right / wanted
        expected = float(hamming.share_a_band(1 - exact.distances / by_band.bits, by_band.ends).mean())
    widths = np.diff([0, *by_band.ends])
    return hits.nearest, BandStatistics(
        bands=options.bands,
        widths=(int(widths.min()), int(widths.max())),
        compared=float(hits.compared.mean()),
        without=int(np.count_nonzero(hits.compared == 0)),
        sample=len(drawn),
        recall=recall,
        expected=expected,
        at_cosine={f"{cosine:g}": hamming.chance_at(cosine, by_band.ends) for cosine in COSINES},
    )


def _hits(
    ids: tuple[str, ...], stored: StoredCodes, nearest: hamming.NearestCodes
) -> Iterator[list[tuple[str, int, str, int, float]]]:
    """The rows of each query."""
    bits = 8 * stored.codes.shape[1]
    cosines = [round(float(np.cos(np.pi * distance / bits)), 4) for distance in range(bits + 1)]
    for query, codes, distances in zip(ids, nearest.codes.tolist(), nearest.distances.tolist(), strict=True):
        yield [
            (query, rank, stored.ids[code], distance, cosines[distance])
            for rank, (code, distance) in enumerate(zip(codes, distances, strict=True), 1)
            if code != hamming.NOTHING
        ]
