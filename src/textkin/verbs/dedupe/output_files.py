"""The files of a deduplication, all or nothing: kept and removed texts, groups, report, account."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from textkin.base.files import atomic_files, sha256_of_file, sha256_of_files, write_json, write_text
from textkin.base.hub import DEFAULT, located
from textkin.base.paths import name_of
from textkin.base.table_writer import RowWriter
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.texts import TextParts, TextSource
from textkin.kinds.reproduction import how_made
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.models.provenance import hash_of_model, versions
from textkin.report.data_facts import Reproduction
from textkin.report.dedupe_page import dedupe_page
from textkin.vectors.unique_texts import parts_of_vectors
from textkin.verbs.dedupe.dedupe_report import dedupe_report
from textkin.verbs.dedupe.deduped import Deduped
from textkin.verbs.dedupe.deduped_file import REPORT, DedupedFile
from textkin.verbs.dedupe.sample import write_sample
from textkin.version import __version__

ACCOUNT = "dedupe.json"
REMOVED = "removed.tsv"
GROUPS = "groups.tsv"
SAMPLE = "sample.csv"
DECISION = "decision.json"

_LONGEST = 200  # characters of a text in groups.tsv


def write_all(
    found: Deduped,
    source: TextSource,
    result: DedupedFile,
    made_with: Mapping[str, Any],
    decision: SavedDecision | None,
    *,
    sample: Sequence[tuple[str, ...]],
    seed: int,
    reading: TextReading,
) -> None:
    """Write all files."""
    taken = {"columns": result.read.columns} if result.read.columns else {}
    page = dedupe_page(
        dedupe_report(
            found,
            facts=(name_of(source.path), str(made_with["vectors"]), f"textkin {__version__}"),
            guarantee=result.guarantee,
            answers=result.answers,
            gold=result.gold,
            made=_how_made({**taken, **made_with}),
        )
    )
    with atomic_files(result.out, last=ACCOUNT) as staged:
        gone = {found.ids[place] for place in found.removed.tolist()}
        source.copy(staged if isinstance(source, TextParts) else staged / result.kept.name, without=gone)
        _write_table(staged / REMOVED, _REMOVED_COLUMNS, _removed(found))
        _write_table(staged / GROUPS, _GROUPS_COLUMNS, _members(found))
        write_text(staged / REPORT, page)
        if decision is not None:
            decision.write(staged / DECISION)
        if sample:
            with (staged / SAMPLE).open("w", encoding="utf-8", newline="") as stream:
                write_sample(sample, stream)
        files = {item.name: sha256_of_file(item) for item in sorted(staged.iterdir())}
        write_json(staged / ACCOUNT, _account(result, made_with, files=files, seed=seed, reading=reading))


def _how_made(made_with: Mapping[str, Any]) -> Reproduction:
    """The account's settings and hashes apart; versions are added anew."""
    sha256 = "sha256 of the "
    told = {name: str(value) for name, value in made_with.items() if name != "versions"}
    return how_made(
        "dedupe",
        settings={name: value for name, value in told.items() if not name.startswith(sha256)},
        hashes={name.removeprefix(sha256): one for name, one in told.items() if name.startswith(sha256)},
    )


_REMOVED_COLUMNS = ("id", "text", "kept_id", "kept_text", "score", "by", "why")
_GROUPS_COLUMNS = ("group", "id", "kept", "score", "by", "text")


def _write_table(path: Path, columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        RowWriter(stream, path, columns).write(rows)


def _removed(found: Deduped) -> Iterator[tuple[str, ...]]:
    for place, way in zip(found.removed.tolist(), found.ways, strict=True):
        kept = int(found.stays[place])
        yield (
            *(found.ids[place], found.texts[place], found.ids[kept], found.texts[kept]),
            *(str(found.similarity[place]), way.value, found.preference.reason(kept, place)),
        )


def _members(found: Deduped) -> Iterator[tuple[str, ...]]:
    way_of = dict(zip(found.removed.tolist(), found.ways, strict=True))
    for number_of, places in enumerate(found.groups, 1):
        for place in places:
            text = found.texts[place]
            shown = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
            stays = place == places[0]
            yield (
                *(str(number_of), found.ids[place], "yes" if stays else "no"),
                *(("", "") if stays else (str(found.similarity[place]), way_of[place].value)),
                shown,
            )


def made_of(
    source: TextSource,
    found: Deduped,
    *,
    model: str | None,
    embeddings: Path | None,
    keep_column: str | None,
) -> dict[str, Any]:
    """All inputs and options that determine the result."""
    if embeddings is not None:
        vectors = {
            "vectors": embeddings.name,
            "sha256 of the vectors": sha256_of_files(parts_of_vectors(embeddings)),
        }
    else:
        name = DEFAULT if model is None else model
        vectors = {"vectors": name, "sha256 of the model": hash_of_model(located(name))}
    options = found.options
    return {
        "texts": name_of(source.path),
        "sha256 of the texts": sha256_of_files(source.files),
        **vectors,
        "linkage": options.linkage.value,
        "keep": options.keep.value if keep_column is None else f"highest {keep_column}",
        "most texts of a group": options.most or "any number",
        "unknown tokens": options.unknown.value,
        "equal texts": options.equal.value,
        "guards": ", ".join(found.guards.names) or "none",
        "long texts": "as the model reads them" if options.long is None else options.long.value,
        "lexical": "not looked at"
        if options.lexical is None
        else f"{options.lexical:g} of shingles of {options.shingles.value}",
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }


def _account(
    result: DedupedFile,
    made_with: Mapping[str, Any],
    *,
    files: Mapping[str, str],
    seed: int,
    reading: TextReading,
) -> dict[str, Any]:
    """The contents of ``dedupe.json``: everything but the time it took."""
    kept = result.guarantee
    return {
        "made_with": dict(made_with),
        "seed": seed,
        "input": {
            "rows": result.read.rows,
            "skipped": dict(result.read.skipped),
            "columns": result.read.columns,
            "reading": asdict(reading),
        },
        "truncation": None if result.truncation is None else asdict(result.truncation),
        "threshold": asdict(result.cut),
        "missed": result.missed,
        "counts": asdict(result.counts),
        "guards": asdict(result.guards),
        "coverage": None if result.coverage is None else asdict(result.coverage),
        "withheld_texts": result.withheld_texts,
        "guarantee": None if kept is None else {**asdict(kept), "holds": kept.holds},
        "answers": None if result.answers is None else asdict(result.answers),
        "proof": None if result.proof is None else asdict(result.proof),
        "gold": None if result.gold is None else asdict(result.gold),
        "files": dict(files),
    }
