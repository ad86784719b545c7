"""``textkin hash``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_table, emit_text, note_read, note_truncation
from textkin.cli.shared_options import AsJson, Download, Embeddings, EncoderName, TextLayout, TextsFile, fetch
from textkin.data.readers import TextReading

if TYPE_CHECKING:
    from textkin.kinds.code_fidelity import Fidelity
    from textkin.verbs.hash.hash import HashedFile
    from textkin.verbs.hash.search import BandStatistics, CodeHits, CodeSearch

HashSeed = Annotated[
    int | None,
    Option(
        "Same seed and same input: same result.  [default: 0]",
        flag="--seed",
        metavar="N",
        low=0,
        high=2**32 - 1,
    ),
]

EXAMPLES = """
textkin hash questions.txt --out codes.npy
textkin hash tickets.csv --text subject --model runs/mine/model --bits 512 --out codes.npy
textkin hash questions.txt --embeddings questions.npy --bits 128 --out codes.npy
textkin hash questions.txt --of letters --out codes.npy
textkin hash new.txt --search codes.npy -k 5 --out found.tsv
textkin hash new.txt --search codes.npy --bands 32 --out found.tsv
"""


def command(
    texts: TextsFile,
    /,
    *,
    out: Annotated[
        Path,
        Option(
            "NumPy file to write; with --search, a table of hits (.tsv, .csv, .jsonl, .parquet).",
            metavar="FILE",
        ),
    ],
    search: Annotated[
        Path | None,
        Option(
            "TEXTS are queries: find the nearest of the codes that textkin hash wrote to this file. "
            "CODES.json says what they were made of.",
            metavar="CODES.npy",
        ),
    ] = None,
    nearest: Annotated[
        int | None,
        Option("With --search: so many of each query.  [default: 10]", short="-k", metavar="K"),
    ] = None,
    bands: Annotated[
        int | None,
        Option(
            "With --search: compare only codes that share one of N bands of bits with the query. It is "
            "sooner and misses some: the recall is measured and printed. Left out: all codes are compared.",
            metavar="N",
        ),
    ] = None,
    of: Annotated[
        Literal["meaning", "words", "letters"] | None,
        Option(
            "What codes say: an encoder's vectors, or runs of two words or of four letters.  "
            "[default: meaning]"
        ),
    ] = None,
    model: EncoderName = None,
    embeddings: Embeddings = None,
    bits: Annotated[
        int | None,
        Option("Bits of a code, a multiple of 8.  [default: 256]", metavar="B"),
    ] = None,
    sample: Annotated[
        int,
        Option(
            "Compare so many of the texts with all, to measure what the codes, or bands, are worth; 0 "
            "for none.",
            metavar="N",
        ),
    ] = 2000,
    layout: TextLayout,
    seed: HashSeed = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Make short codes of texts: similar texts differ in few bits.

    Random hyperplanes cut an encoder's space, or that of shingles (SimHash);
    a bit says on which side a text lies. Codes whose bits differ in h of B
    places are of texts with a cosine of about cos(pi h / B). How well the
    codes do is measured against exact cosines and printed. The ids of the
    texts go to CODES.ids.txt, what makes the same codes again to CODES.json.

    With --search, the codes of TEXTS are looked up in such files.
    """
    from textkin.verbs.hash.hash import HashOptions, hash_file

    fetch(model, download=download)
    if search is not None:
        made = {"--of": of, "--bits": bits, "--seed": seed}
        if given := [name for name, value in made.items() if value is not None]:
            raise UsageError(f"{given[0]} with --search", fix=f"leave it out: {search.stem}.json says it")
        from textkin.verbs.hash.search import CodeSearch

        how = CodeSearch(nearest=10 if nearest is None else nearest, bands=bands, sample=sample)
        _search(
            texts,
            search,
            out,
            model,
            embeddings,
            how,
            layout.reading(),
            as_json,
        )
        return
    for name, value in (("--nearest", nearest), ("--bands", bands)):
        if value is not None:
            raise UsageError(f"{name} without --search", fix="name the codes to search: --search CODES.npy")
    options = HashOptions(
        of=of or "meaning", bits=256 if bits is None else bits, seed=seed or 0, sample=sample
    )
    found = hash_file(
        texts,
        out,
        model=model,
        embeddings=embeddings,
        options=options,
        reading=layout.reading(),
    )
    note_read(found.read)
    note_truncation(found.hashed.truncation)
    if as_json:
        hashed = found.hashed
        emit_json(
            {
                "out": found.out,
                "ids": found.ids,
                "about": found.about,
                "of": hashed.of,
                "bits": options.bits,
                "count": len(hashed.codes),
                "different": hashed.different,
                "blank": hashed.blank,
                "fidelity": hashed.fidelity,
                "truncation": hashed.truncation,
                "coverage": hashed.coverage,
                "seconds": found.seconds,
            }
        )
    else:
        _print(found, options.bits)


def _search(
    texts: Path,
    codes: Path,
    out: Path,
    model: str | None,
    embeddings: Path | None,
    options: CodeSearch,
    reading: TextReading,
    as_json: bool,
) -> None:
    """Look up the codes of queries, and say what was found."""
    from textkin.verbs.hash.search import search_file

    found = search_file(
        texts,
        codes,
        out,
        model=model,
        embeddings=embeddings,
        options=options,
        reading=reading,
    )
    note_read(found.read)
    note_truncation(found.queries.truncation)
    if as_json:
        emit_json(
            {
                "out": found.out,
                "queries": len(found.queries.codes),
                "blank": found.queries.blank,
                "codes": found.codes,
                "of": found.queries.of,
                "found": found.found,
                "bands": found.bands,
                "codes_recall": found.codes_recall,
                "truncation": found.queries.truncation,
                "coverage": found.queries.coverage,
                "seconds": found.seconds,
            }
        )
    else:
        _print_search(found)


def _print_search(found: CodeHits) -> None:
    from textkin.report.figure_words import count

    emit_text(f"{len(found.queries.codes):,} queries, {found.codes:,} codes of {found.queries.of}")
    if found.queries.blank:
        emit_text(f"{count(found.queries.blank, 'query')} with a vector of zeros, whose code says nothing")
    if found.bands is None:
        emit_text("all codes were compared: none that is nearer was missed")
    else:
        _print_bands(found.bands)
    if found.codes_recall is not None:
        recall, nearest = found.codes_recall
        emit_text(
            f"the codes themselves: recall@{nearest} {recall:.3f} against exact cosines, measured when they "
            "were made"
        )
    emit_text(f"{found.seconds:.1f} s; {count(found.found, 'row')} written to {shown_output(found.out)}")


def _print_bands(found: BandStatistics) -> None:
    least, most = found.widths
    width = f"{least}" if least == most else f"{least} or {most}"
    emit_text(f"{found.bands} bands of {width} bits: {found.compared:,.1f} codes were compared a query")
    if found.without:
        emit_text(f"{found.without:,} queries share a band with no code, and found nothing")
    if found.recall is not None and found.expected is not None:
        emit_text(
            f"recall {found.recall:.3f} against all codes, measured on {found.sample:,} queries; "
            f"{found.expected:.3f} by the formula"
        )
    chances = [(cosine, f"{chance:.3f}") for cosine, chance in found.at_cosine.items()]
    emit_table(("cosine", "found, by the formula"), chances)


def _print(found: HashedFile, bits: int) -> None:
    from textkin.report.figure_words import count

    hashed = found.hashed
    emit_text(
        f"{count(len(hashed.codes), 'text')}, {hashed.different:,} different; codes of {bits:,} bits, "
        f"of {hashed.of}"
    )
    if hashed.blank:
        emit_text(f"{count(hashed.blank, 'text')} with a vector of zeros, whose code says nothing")
    if hashed.fidelity is not None:
        _print_fidelity(hashed.fidelity)
    emit_text(f"{found.seconds:.1f} s; written to {found.out}")


def _print_fidelity(found: Fidelity) -> None:
    emit_text(f"measured on {found.queries:,} texts against {found.against:,}:")
    emit_text(
        f"  recall@{found.nearest} {found.recall:.3f}; {found.recall_of_shortlist:.3f} if the "
        f"{found.shortlist} nearest codes are ranked exactly"
    )
    rank = "" if found.spearman is None else f", rank correlation {found.spearman:.3f}"
    emit_text(f"  cosines estimated to {found.error:.3f} (root mean square){rank}")
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
        emit_table(
            (
                *("cosine from", "pairs", "bits at that cosine", "half within", "95 % within", "99 % within"),
                "texts within that",
            ),
            rows,
        )
