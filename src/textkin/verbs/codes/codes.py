"""Short codes of texts, whose bits approximate similarity, and their quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields
from textkin.base.column_results import ColumnResult
from textkin.base.counts import count
from textkin.base.errors import conflict, inapplicable
from textkin.base.files import atomic_files, refuse_overwriting, sha256_of_files, write_json, write_text
from textkin.base.hub import DEFAULT, located
from textkin.base.numpy_files import check_npy_name
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.sharded_files import files_of
from textkin.base.shingles import Unit
from textkin.base.table_writer import check_name
from textkin.base.text_table import text_table
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading, load_texts
from textkin.data.readers.read_report import note_read
from textkin.kinds.code_fidelity import Fidelity, fidelity
from textkin.kinds.systems import encoder_of
from textkin.models.provenance import hash_of_model, made_by
from textkin.text.truncation_account import Truncation, note_truncation
from textkin.vectors.batched_encoding import in_precision
from textkin.vectors.manifest import refuse_other_ids, refuse_other_texts
from textkin.vectors.text_codes import Source, check_bits, coded
from textkin.vectors.unique_texts import VectorCache, kept_beside, parts_of_vectors
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.inputs import file_of_texts, given_vectors, named, texts_from
from textkin.version import __version__

Of = Literal["meaning", "words", "letters"]

MOST_COMPARED = 1 << 17
"""So many texts are held for measuring; of more, some evenly spaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOptions:
    """Options of codes.

    Attributes:
        of: "meaning" for an encoder's vectors; "words" or "letters" for the shingles of a text, runs of two
            words or of four letters: its SimHash.
        bits: number of bits of a code, a multiple of 8.
        seed: seed of the hyperplanes.
        sample: number of texts for measuring the quality of the codes; 0 for none.
    """

    of: Of = "meaning"
    bits: int = 256
    seed: int = 0
    sample: int = 2000

    def __post_init__(self) -> None:
        check_fields(self)
        check_bits(self.bits)


@dataclass(frozen=True, slots=True)
class CodesRecord:
    """What a file of codes was made of, and its quality: the content of the JSON file beside it.

    Attributes:
        textkin: the version that made the codes.
        of: as in :class:`CodeOptions`.
        bits: likewise.
        seed: likewise.
        texts: name of the file of texts.
        texts_sha256: its hash.
        count: number of texts.
        different: number of distinct ones.
        blank: number of texts with a zero vector.
        model: name of the encoder; None of codes of words, of letters, or of given vectors.
        model_sha256: its hash.
        vectors: name of the file of given vectors.
        vectors_sha256: its hash.
        fidelity: as in :class:`Codes`.
        truncation: likewise.
        coverage: likewise.
    """

    textkin: str
    of: Of
    bits: int
    seed: int
    texts: str
    texts_sha256: str
    count: int
    different: int
    blank: int
    model: str | None = None
    model_sha256: str | None = None
    vectors: str | None = None
    vectors_sha256: str | None = None
    fidelity: Fidelity | None = None
    truncation: Truncation | None = None
    coverage: Coverage | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CodedTexts:
    """The texts of codes, and the settings to make codes of other texts.

    Attributes:
        texts: one for each code.
        ids: likewise.
        options: the options of codes.
        model: the encoder, its folder or name; None of codes without one.
        of_vectors: whether the codes were made of given vectors.
    """

    texts: Sequence[str]
    ids: Sequence[Any]
    options: CodeOptions
    model: str | Path | Encoder | None
    of_vectors: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Codes(ColumnResult, Summary):
    """Short codes of texts.

    Attributes:
        codes: eight bits a byte; ``textkin.verbs.hamming`` counts those that differ. Shape [texts, bits / 8].
        different: number of distinct texts.
        blank: number of texts with a zero vector, such as those without a known word; their codes are 0.
        of: the source of the codes in words.
        fidelity: their agreement with exact similarity; None where not measured.
        truncation: number of texts longer than the encoder's maximum; None if unknown.
        coverage: the fraction of the distinct texts that the encoder knows; None of vectors and shingles.
        out: the file of codes; None of codes in memory.
        coded: the texts, their ids, and the settings.

    Example:
        >>> import textkin as tk
        >>> found = tk.encode(["one text", "another"], bits=128)
        >>> found.different, found.codes.dtype.name, found.codes.shape
        (2, 'uint8', (2, 16))
        >>> from textkin.data import samples
        >>> made = tk.encode(samples.path("inbox.txt"), bits=256, out="codes.npy")
        >>> made.ids.name, len(made)
        ('codes.ids.txt', 184)
    """

    codes: NDArray[np.uint8]
    different: int
    blank: int
    of: str
    fidelity: Fidelity | None
    truncation: Truncation | None = None
    coverage: Coverage | None = None
    out: Path | None = None
    coded: CodedTexts | None = field(default=None, repr=False)

    @property
    def bits(self) -> int:
        """The bits of a code."""
        return 8 * int(self.codes.shape[1])

    @property
    def ids(self) -> Path | None:
        """The file of the texts' ids, one per line in the order of the codes."""
        return None if self.out is None else _ids_beside(self.out)

    @property
    def about(self) -> Path | None:
        """The file of their settings."""
        return None if self.out is None else _about_beside(self.out)

    def _column(self) -> NDArray[np.uint8]:
        return self.codes

    def __len__(self) -> int:
        return len(self.codes)

    def _summary(self) -> str:
        return f"{count(len(self.codes), 'text')}, codes of {self.bits:,} bits, of {self.of}"

    def text(self) -> str:
        """The counts, and the codes' agreement with exact similarity."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (
            f"{count(len(self.codes), 'text')}, {self.different:,} different; codes of {self.bits:,} bits, "
            f"of {self.of}"
        )
        if self.blank:
            yield f"{count(self.blank, 'text')} with a vector of zeros, whose code says nothing"
        if self.fidelity is not None:
            yield from _fidelity_lines(self.fidelity)
        if self.out is not None:
            yield f"written to {shown_output(self.out)}"

    def as_dict(self) -> dict[str, Any]:
        """The counts, the codes' agreement with exact similarity, and the files."""
        return {
            "count": len(self.codes),
            **self._fields("of", "bits", "different", "blank", "fidelity", "truncation", "coverage"),
            **self._fields("out", "ids", "about"),
        }

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "texts": len(self.codes),
            "different": self.different,
            "blank": self.blank,
            "bits": self.bits,
            "of": self.of,
            "recall": None if self.fidelity is None else self.fidelity.recall,
            "recall_of_shortlist": None if self.fidelity is None else self.fidelity.recall_of_shortlist,
        }


def _fidelity_lines(found: Fidelity) -> Iterator[str]:
    yield f"measured on {found.queries:,} texts against {found.against:,}:"
    yield (
        f"  recall@{found.nearest} {found.recall:.3f}; {found.recall_of_shortlist:.3f} if the "
        f"{found.shortlist} nearest codes are ranked exactly"
    )
    rank = "" if found.spearman is None else f", rank correlation {found.spearman:.3f}"
    yield f"  cosines estimated to {found.error:.3f} (root mean square){rank}"
    rows = [
        (
            f"{level.cosine:g}",
            f"{level.pairs:,}",
            f"{level.expected:.1f}",
            *(str(level.median), str(level.radius_95), str(level.radius_99)),
            f"{level.within:,.1f}",
        )
        for level in found.levels
    ]
    if rows:
        yield text_table(
            (
                *("cosine from", "pairs", "bits at that cosine", "half within", "95 % within", "99 % within"),
                "texts within that",
            ),
            rows,
        )


def codes_given(
    texts: Any, model: Any, *, embeddings: Any, options: CodeOptions, reading: TextReading
) -> Codes:
    """Make a code for each text that a user gives: :func:`codes_of` for sequences, frames and files."""
    embeddings = given_vectors(embeddings, texts)
    came = texts_from(texts, reading, or_text=True, vectors=embeddings).told_apart()
    found = codes_of(came.texts, model, embeddings=embeddings, options=options, ids=came.ids)
    note_truncation(found.truncation)
    return found


def codes_of(
    texts: Sequence[str],
    model: str | Path | Encoder | None = None,
    *,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: CodeOptions | None = None,
    ids: Sequence[Any] | None = None,
) -> Codes:
    """Make a code for each text: similar texts differ in few bits (Charikar 2002).

    Args:
        texts: at least one.
        ids: one for each; None for their places, from 0.
        model: for codes of meaning: an encoder, its folder or name; the built-in one if neither it nor
            ``embeddings`` is given.
        embeddings: or vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        options: the defaults if left out.

    Raises:
        UsageError: a model or vectors for codes of words or letters, or both.
        DataError: there is no text, or the vectors don't fit.
        ModelError: there is no such encoder.
    """
    options = options or CodeOptions()
    found = _coded(texts, _source(texts, model, embeddings, options), options)
    needs_model = options.of == "meaning" and embeddings is None
    coded_by = (DEFAULT if model is None else model) if needs_model else None
    known = range(len(texts)) if ids is None else ids
    return replace(found, coded=CodedTexts(texts, known, options, coded_by, embeddings is not None))


def codes_file(
    texts: Any,
    out: Path | str,
    *,
    model: Any = None,
    embeddings: Any = None,
    options: CodeOptions | None = None,
    reading: TextReading | None = None,
) -> Codes:
    """:func:`codes_of` for a file: write the codes, their ids, and how they were made.

    While it is at work, vectors lie in a hidden folder beside ``out``: what a kill interrupts, the same call
    takes up again.

    Args:
        texts: plain text with one text per line, or a table.
        out: the NumPy file to write. With the ending ``.ids.txt`` it gets the ids, with ``.json`` what the
            codes were made of and are worth.
        model: a folder or name.
        embeddings: a NumPy file with a vector for each text that is not empty.
        options: the defaults if left out.
        reading: reading options of a table.

    Raises:
        UsageError: as :func:`codes_of`, or ``out`` has another ending or is one of the inputs.
        DataError: a file can't be read, or as for :func:`codes_of`.
        ModelError: as :func:`codes_of`.
        OutputError: the codes can't be written, or another process is writing them.
    """
    options, target, texts = options or CodeOptions(), Path(out), file_of_texts(texts)
    model, embeddings = named("model", model), named("embeddings", embeddings)
    embeddings = None if embeddings is None else Path(embeddings)
    check_name(out)
    check_npy_name(target)
    refuse_overwriting((target, _ids_beside(target), _about_beside(target)), (Path(texts), embeddings))
    refuse_other_texts(embeddings, texts)
    loaded = load_texts(texts, reading=reading)
    refuse_other_ids(embeddings, loaded.data.ids, texts)
    source = _source(loaded.data.texts, model, embeddings, options)
    with kept_beside(target, "encoding") as folder:
        keep = VectorCache(folder, made_by(model, source)) if isinstance(source, Encoder) else None
        made = _coded(loaded.data.texts, source, options, keep=keep)
        record = _record(Path(texts), made, options, _made_of(model, embeddings, options))
        # Together, so that a kill leaves no codes beside the ids or the settings of earlier ones.
        with atomic_files(target.parent, last=_about_beside(target).name) as staged:
            np.save(staged / target.name, made.codes)
            write_text(_ids_beside(staged / target.name), "".join(f"{key}\n" for key in loaded.data.ids))
            write_json(_about_beside(staged / target.name), asdict(record))
    note_read(loaded.report)
    note_truncation(made.truncation)
    return replace(made, out=target)


def _ids_beside(out: Path) -> Path:
    return out.with_suffix(".ids.txt")


def _about_beside(out: Path) -> Path:
    return out.with_suffix(".json")


def _source(
    texts: Sequence[str],
    model: str | Path | Encoder | None,
    embeddings: NDArray[Any] | Path | str | None,
    options: CodeOptions,
) -> Source:
    """The source of codes, checked and loaded."""
    if options.of != "meaning":
        if model is not None or embeddings is not None:
            raise inapplicable(
                "model", "embeddings", to=f"codes of {options.of}", fix="leave them out, or `of`"
            )
        return Unit(options.of)
    if embeddings is None:
        return in_precision(encoder_of(model), "auto", texts)[0]
    if model is not None:
        raise conflict("model", "embeddings", why="`embeddings` replaces the model")
    return embeddings


def _coded(
    texts: Sequence[str], source: Source, options: CodeOptions, *, keep: VectorCache | None = None
) -> Codes:
    made = coded(texts, source, bits=options.bits, seed=options.seed, keep=keep)
    found = None
    if options.sample:
        usable = np.flatnonzero(~made.blank)
        spaced = np.linspace(0, len(usable), min(len(usable), MOST_COMPARED), endpoint=False)
        compared = usable[spaced.astype(np.int64)]
        found = fidelity(made.codes[compared], made.units(compared), sample=options.sample)
    return Codes(
        codes=made.codes[made.number],
        different=len(made.codes),
        blank=int(np.count_nonzero(made.blank[made.number])),
        of=made.words,
        fidelity=found,
        truncation=made.account,
        coverage=made.coverage,
    )


def _made_of(model: str | None, embeddings: Path | None, options: CodeOptions) -> dict[str, str]:
    if embeddings is not None:
        vectors_sha256 = sha256_of_files(parts_of_vectors(embeddings))
        return {"vectors": embeddings.name, "vectors_sha256": vectors_sha256}
    if options.of != "meaning":
        return {}
    name = DEFAULT if model is None else model
    return {"model": name, "model_sha256": hash_of_model(located(name))}


def _record(texts: Path, made: Codes, options: CodeOptions, made_of: Mapping[str, str]) -> CodesRecord:
    return CodesRecord(
        textkin=__version__,
        of=options.of,
        bits=options.bits,
        seed=options.seed,
        texts=texts.name,
        texts_sha256=sha256_of_files(files_of(texts)),
        count=len(made.codes),
        different=made.different,
        blank=made.blank,
        fidelity=made.fidelity,
        truncation=made.truncation,
        coverage=made.coverage,
        **made_of,
    )
