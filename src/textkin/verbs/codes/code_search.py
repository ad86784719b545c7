"""Find codes of bits: the nearest of each query, among all codes or among those that share a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.counts import count
from textkin.base.errors import invalid
from textkin.base.files import refuse_overwriting
from textkin.base.paths import is_standard, shown_output
from textkin.base.printable import shortened, visible_line
from textkin.base.results import HitLists, ResultRow
from textkin.base.table_writer import check_ending, check_name, written_table
from textkin.base.text_table import text_table
from textkin.data.readers import TextReading, load_texts
from textkin.data.readers.read_report import note_read
from textkin.text.truncation_account import note_truncation
from textkin.vectors.join import hamming
from textkin.verbs.codes.code_files import StoredCodes, model_of, read_codes
from textkin.verbs.codes.codes import Codes, codes_of
from textkin.verbs.inputs import file_of_texts, given_vectors, named, texts_from

COSINES = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)

_LONGEST = 120  # characters of a text
_COLUMNS = ("query", "rank", "found", "bits", "cosine")


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
class CodeHits(HitLists):
    """The nearest codes of each query.

    Attributes:
        queries: their codes, and their settings.
        names: the texts of the queries, or with a file of results their ids.
        nearest: the places of the codes and their distances. Shape [queries, k].
        stored: the codes that were searched.
        bands: of a search by bands; None where all codes were compared, so that the recall is 1.
        out: the file of results; None without one.
        one_query: True if a single query was given; the result is then the sequence of its hits.

    Example:
        >>> import textkin as tk
        >>> made = tk.encode(["When do you open?", "Where can I park?"], bits=128)
        >>> tk.search(made, "a car park", k=1)[0].text
        'Where can I park?'
        >>> from textkin.data import samples
        >>> made = tk.encode(samples.path("inbox.txt"), bits=128, out="inbox.npy")
        >>> tk.search("inbox.npy", samples.path("inbox.txt"), k=1, out="nearest.tsv").found
        184
    """

    queries: Codes
    names: Sequence[Any]
    nearest: hamming.NearestCodes
    stored: StoredCodes = field(repr=False)
    bands: BandStatistics | None = None
    out: Path | None = None
    one_query: bool = False

    @property
    def codes(self) -> int:
        """The number of codes searched."""
        return len(self.stored.codes)

    @property
    def codes_recall(self) -> tuple[float, int] | None:
        """The codes' recall against exact cosines, as measured when they were made, and at which depth."""
        return self.stored.recall

    @property
    def found(self) -> int:
        """The number of hits of all queries."""
        return int(np.count_nonzero(self.nearest.codes != hamming.NOTHING))

    def text(self) -> str:
        """The hits of each query; with a file of results its name, and the recall."""
        if self.out is not None:
            return "\n".join(
                [*self._lines(), f"{count(self.found, 'row')} written to {shown_output(self.out)}"]
            )
        return "\n\n".join([*map(self._text_of, range(self._asked())), "\n".join(self._lines())])

    def _text_of(self, place: int) -> str:
        header = ["score", "bits", "id", *(["text"] if self.stored.texts else [])]
        rows = [
            [f"{row['score']:.4f}", str(row["bits"]), str(row["id"]), *self._shown(row)]
            for row in self._rows_of(place)
        ]
        return text_table(header, rows, width=None)

    def _shown(self, row: ResultRow) -> list[str]:
        return [shortened(visible_line(row["text"]), _LONGEST)] if self.stored.texts else []

    def _lines(self) -> Iterator[str]:
        queries = count(len(self.queries.codes), "query")
        yield f"{queries}, {count(self.codes, 'code')} of {self.queries.of}"
        if self.queries.blank:
            yield f"{count(self.queries.blank, 'query')} with a vector of zeros, whose code says nothing"
        if self.bands is None:
            yield "compared with all codes"
        else:
            yield from self.bands.lines()
        if self.codes_recall is not None:
            recall, nearest = self.codes_recall
            yield f"recall@{nearest} of the codes against exact cosines, when they were made: {recall:.3f}"

    def as_dict(self) -> dict[str, Any]:
        """The counts, the recall, and the hits unless they are in a file."""
        own = self._values("out", "codes", "found", "bands", "codes_recall")
        of_queries = {name: getattr(self.queries, name) for name in ("blank", "of", "truncation", "coverage")}
        rows = {} if self.out is not None else {"rows": self.rows()}
        return {**own, "queries": len(self.queries.codes), **of_queries, **rows}

    def _summary(self) -> str:
        return (
            f"{count(self._asked(), 'query')}, {count(self.found, 'hit')} among {count(self.codes, 'code')}"
        )

    def _count(self) -> int:
        return self.found

    def _asked(self) -> int:
        return len(self.names)

    def _each(self) -> Iterator[Iterator[ResultRow]]:
        return map(self._rows_of, range(self._asked()))

    def _rows_of(self, place: int) -> Iterator[ResultRow]:
        stored = self.stored
        cosines = _cosines(8 * stored.codes.shape[1])
        codes, distances = self.nearest.codes[place].tolist(), self.nearest.distances[place].tolist()
        for rank, (code, distance) in enumerate(zip(codes, distances, strict=True), 1):
            if code != hamming.NOTHING:
                row = {"query": self.names[place], "rank": rank, "score": cosines[distance]}
                row |= {"bits": distance, "id": stored.ids[code]}
                yield row | {"text": stored.texts[code]} if stored.texts else row


@cache
def _cosines(bits: int) -> list[float]:
    """The cosine that each distance estimates, by the distance."""
    return [round(float(np.cos(np.pi * distance / bits)), 4) for distance in range(bits + 1)]


def is_codes(texts: Any) -> bool:
    """True for codes, and for the path of a file of them."""
    return isinstance(texts, Codes) or (isinstance(texts, str | Path) and Path(texts).suffix == ".npy")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchingCodes:
    """Options of searching codes; the codes of queries are made as the searched ones were.

    Attributes:
        model: current path of the codes' model, if it has moved.
        embeddings: for codes of vectors: those of the queries.
        reading: reading options of a table of queries.
        nearest: number of codes that each query finds.
        bands: number of bands of bits; a query is compared with codes that share one. None for all.
        sample: number of queries for measuring the recall of bands, against all codes; 0 for none.
    """

    model: Any = None
    embeddings: Any = None
    reading: TextReading = field(default_factory=TextReading)
    nearest: int = 10
    bands: int | None = None
    sample: int = 2000

    def of(self, queries: Any, codes: Path | str | Codes) -> CodeHits:
        """Find the nearest codes of queries.

        Args:
            queries: a text, or texts as :func:`texts_from` takes them.
            codes: codes in memory, or their file; the files that end in ``.ids.txt`` and ``.json`` are beside
                it.

        Raises:
            UsageError: options don't fit the codes, or a query is blank.
            DataError: a file can't be read or isn't one of codes.
            ModelError: the model isn't there, or isn't the one that the codes were made of.
        """
        is_one = isinstance(queries, str) and not is_standard(queries)
        given = [queries] if is_one else Path(queries) if isinstance(queries, str) else queries
        asked = texts_from(given, self.reading, name="queries").texts
        if not all(map(str.strip, asked)):
            raise invalid("queries", queries, expected="a text that isn't blank")
        found = self._found(asked, asked, _stored(codes), self.model, given_vectors(self.embeddings, queries))
        return replace(found, one_query=is_one)

    def to_file(self, queries: Any, codes: Path | str | Codes, out: Path) -> CodeHits:
        """:meth:`of` for a file of queries, with a file of results.

        Args:
            queries: plain text with one text per line, or a table.
            codes: as there, and so are the errors.
            out: TSV, CSV or JSON lines: query, rank, found (their ids), bits that differ, and the cosine that
                these estimate.

        Raises:
            UsageError: ``out`` has another ending or is one of the inputs, or model or vectors are no path.
            OutputError: the results can't be written.
        """
        queries = file_of_texts(queries)
        model, vectors = named("model", self.model), named("embeddings", self.embeddings)
        embeddings = None if vectors is None else Path(vectors)
        check_name(out)
        check_ending(out)
        codes_file = codes.out if isinstance(codes, Codes) else Path(codes)
        refuse_overwriting((out,), (Path(queries), codes_file, embeddings))
        stored = _stored(codes)
        loaded = load_texts(queries, reading=self.reading)
        note_read(loaded.report)
        found = self._found(loaded.data.texts, loaded.data.ids, stored, model, embeddings)
        with written_table(out, _COLUMNS) as writer:
            writer.write(
                (row["query"], row["rank"], row["id"], row["bits"], row["score"]) for row in found._rows()
            )
        return replace(found, out=out)

    def _found(
        self, texts: Sequence[str], names: Sequence[Any], stored: StoredCodes, model: Any, embeddings: Any
    ) -> CodeHits:
        if self.bands is not None:
            hamming.band_ends(8 * stored.codes.shape[1], self.bands)  # before hours of encoding
        name = model_of(stored, model, embeddings)
        made = codes_of(texts, name, embeddings=embeddings, options=replace(stored.options, sample=0))
        note_truncation(made.truncation)
        nearest, account = _search(stored.codes, made.codes, self)
        return CodeHits(made, names, nearest, stored, account)


def _stored(codes: Path | str | Codes) -> StoredCodes:
    return StoredCodes.of_result(codes) if isinstance(codes, Codes) else read_codes(Path(codes))


def _search(
    codes: NDArray[np.uint8], queries: NDArray[np.uint8], options: SearchingCodes
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
