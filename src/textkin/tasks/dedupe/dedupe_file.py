"""Deduplicate the texts of a file: what stays, what goes, the groups, and a report that defends it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack, final

import numpy as np
from numpy.typing import NDArray

from textkin import __version__
from textkin.decision.goal import GoalRule
from textkin.decision.saved import SavedDecision
from textkin.errors import DataError, UsageError
from textkin.files import (
    atomic_files,
    overwritten,
    sha256_of_file,
    sha256_of_files,
    sole_writer,
    write_json,
    write_text,
)
from textkin.groups.preference import Keep
from textkin.hub import DEFAULT, located
from textkin.part_files import parts_of
from textkin.paths import name_of
from textkin.progress import remark
from textkin.provenance import hash_of_model, versions
from textkin.readers import TextReading
from textkin.readers.groups import read_gold_groups
from textkin.readers.labels import number
from textkin.readers.report import ReadReport, SkipCounter
from textkin.readers.texts import TextFile, TextParts, open_texts
from textkin.report.dedupe_page import dedupe_page
from textkin.results import Account, ResultRow
from textkin.scale.where import Workplace, check_where, engine_of
from textkin.systems import encoder_of
from textkin.table_writer import RowWriter
from textkin.tasks.dedupe.checks import GoldAgreement, Guarantee, agreement, guarantee
from textkin.tasks.dedupe.chosen import decision_for
from textkin.tasks.dedupe.dedupe import Deduped, DedupeOptions, SourcedThreshold, cut_of, dedupe
from textkin.tasks.dedupe.dedupe_report import dedupe_report, precision_sentence, reach
from textkin.tasks.dedupe.evidence import Evidence
from textkin.tasks.dedupe.sample import ANSWER, draw, holds_answers, lowest_of, read_answers, write_sample
from textkin.tasks.dedupe.sample_answers import SampleAnswers
from textkin.tasks.dedupe.sample_proof import SampleProof, read_proof
from textkin.tasks.use.minilm_cost import minilm_instead
from textkin.text.truncation import Truncation
from textkin.vectors.coverage import Coverage
from textkin.vectors.unique_texts import parts_of_vectors

ACCOUNT = "dedupe.json"
REMOVED = "removed.tsv"
GROUPS = "groups.tsv"
REPORT = "report.html"
SAMPLE = "sample.csv"
DECISION = "decision.json"

_REACHED = {
    GoalRule.LOWER_END: "that is shown to have a precision",
    GoalRule.ESTIMATE: "with an estimated precision",
}
_LONGEST = 200  # characters of a text in groups.tsv


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """How many texts and pairs there were.

    Attributes:
        texts: in the file.
        different: of them, case and blanks aside.
        kept: texts that stay.
        removed: texts that go.
        groups: of several texts.
        largest: texts of the largest group.
        pairs: similar pairs of different texts; None if there are too many to hold.
        forbidden: pairs that would be similar enough but for a guard; None likewise.
        withheld: pairs that are similar as far as they were read, and at least one text was cut; None
            likewise.
        sampled: pairs in the sample that was drawn.
        answered: how many of these have an answer already, from the judged sample that was given.
    """

    texts: int
    different: int
    kept: int
    removed: int
    groups: int
    largest: int
    pairs: int | None
    forbidden: int | None
    withheld: int | None
    sampled: int
    answered: int


@final
@dataclass(frozen=True, slots=True, repr=False)
class DedupedFile(Account):
    """What was done.

    Attributes:
        out: the folder.
        kept: the file of what stays; of a folder of parts the folder of parts that stay.
        counts: how many texts and pairs there were.
        cut: the threshold.
        guarantee: whether the promise of representative linkage was kept; None for other linkages.
        answers: the precision that a judged sample tells.
        gold: the agreement with known groups.
        decision: the file that keeps a threshold that answers chose; None if there is none.
        proof: what the answers prove; None where nobody asked.
        read: what the reader skipped.
        coverage: how much of the texts the encoder knows; None of given vectors.
        withheld_texts: texts that stay since too much of them is unknown, unless they equal others.
        truncation: how many texts are longer than the encoder reads; None if it is not known.
        seconds: for all of it.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> found = tk.dedupe(samples.path("inbox.txt"), out="deduped")
        >>> found.counts.texts, found.kept.name
        (184, 'kept.txt')
    """

    out: Path
    kept: Path
    counts: Counts
    cut: SourcedThreshold
    guarantee: Guarantee | None
    answers: SampleAnswers | None
    gold: GoldAgreement | None
    decision: Path | None
    proof: SampleProof | None
    read: ReadReport
    coverage: Coverage | None
    withheld_texts: int
    truncation: Truncation | None
    seconds: float

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "out": self.out,
            "kept_file": self.kept.name,
            **asdict(self.counts),
            "threshold": self.cut.value,
        }


def dedupe_file(
    texts: Path | str,
    out: Path | str,
    *,
    model: str | None = None,
    embeddings: Path | None = None,
    options: DedupeOptions | None = None,
    keep_column: str | None = None,
    evidence: Evidence | None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> DedupedFile:
    """Write what stays and why the rest goes to the folder ``out``, all or nothing.

    ``kept`` with the ending of the input holds its rows that stay, unchanged; rows without a text stay too.
    Of a folder with files ``part-*``, files of the same names hold them.
    ``removed.tsv``, ``groups.tsv``, ``report.html`` and ``dedupe.json`` say what was done; with
    ``Evidence.sample`` there is ``sample.csv``. A threshold that answers chose is kept in
    ``decision.json``. The same input gives the same files.

    Args:
        texts: plain text with one text a line, or a table, or a folder of them called ``part-*``.
        out: the folder; other files in it stay.
        model: as in :func:`textkin.tasks.dedupe.dedupe.dedupe`.
        embeddings: a NumPy file with a vector for each text that is not empty.
        options: the defaults if left out. With ``Evidence.labelled`` their precision is that of the answers.
        keep_column: for ``Keep.HIGHEST``: the column of numbers.
        evidence: what else to do.
        reading: of a table.
        where: where the work is done, see :class:`textkin.scale.where.Workplace`.

    Raises:
        UsageError: arguments are out of range or don't go together, or a file would be overwritten that is
            read or holds answers.
        DataError: a file can't be read, or what ``dedupe`` says.
        ModelError: as ``dedupe``.
        OutputError: the folder can't be written to, or another process is writing there.
    """
    started = time.perf_counter()
    options, evidence = options or DedupeOptions(), evidence or Evidence()
    check_where(**where)
    source = open_texts(texts, reading=reading)
    with sole_writer(out) as folder, engine_of(**where) as engine:
        kept = _kept(source, folder)
        written = [*kept, *(folder / name for name in (REMOVED, GROUPS, REPORT, ACCOUNT))]
        if evidence.labelled is not None and options.precision is not None:
            written.append(folder / DECISION)
        decided = None if options.decision is None else Path(options.decision)
        _refuse_to_overwrite(
            written, (decided, *source.files, embeddings, evidence.labelled, evidence.gold), evidence
        )
        counter = SkipCounter(source.path)
        rows = dict(source.rows(counter))
        if not rows:
            raise DataError("holds no text", path=source.path, fix="give a file with at least one")
        if embeddings is None and (better := minilm_instead(list(rows.values()), model)):
            remark(better)
        found, answers, proof, decision = _found(
            list(rows.values()),
            list(rows),
            model=model,
            embeddings=embeddings,
            options=options,
            values=None if keep_column is None else _values(source, keep_column),
            evidence=evidence,
            **where,
        )
        sample = (
            []
            if evidence.sample is None
            else draw(found, evidence.sample, seed=evidence.seed, judged=evidence.labelled)
        )
        result = DedupedFile(
            out=folder,
            kept=kept[0] if isinstance(source, TextFile) else folder,
            counts=_counts(found, sample),
            cut=found.cut,
            guarantee=guarantee(found, engine=engine),
            answers=answers,
            gold=None if evidence.gold is None else agreement(found, read_gold_groups(evidence.gold)),
            decision=None if decision is None else folder / DECISION,
            proof=proof,
            read=counter.report(),
            coverage=found.coverage,
            withheld_texts=found.withheld_texts,
            truncation=found.truncation,
            seconds=0.0,
        )
        made_with = _made_with(source, found, model=model, embeddings=embeddings, keep_column=keep_column)
        _write(found, source, result, made_with, decision, sample=sample, seed=evidence.seed)
        return replace(result, seconds=time.perf_counter() - started)


def parse_keep(word: str) -> tuple[Keep, str | None]:
    """Read ``longest``, ``first``, ``central``, or else the name of a column of which to keep the highest."""
    with suppress(ValueError):
        if (keep := Keep(word)) is not Keep.HIGHEST:
            return keep, None
    return Keep.HIGHEST, word


def _found(
    texts: list[str],
    ids: list[str],
    *,
    model: str | None,
    embeddings: Path | None,
    options: DedupeOptions,
    values: NDArray[np.float64] | None,
    evidence: Evidence,
    **where: Unpack[Workplace],
) -> tuple[Deduped, SampleAnswers | None, SampleProof | None, SavedDecision | None]:
    """What goes, by a threshold that a person's answers may have a say in."""
    encoder = None if embeddings is not None and model is None else encoder_of(model)
    labelled = evidence.labelled
    goal = None if labelled is None else options.precision
    if evidence.proof and goal is None:
        raise UsageError("a proof of no precision", fix="say which, such as --precision 0.95")
    cut = cut_of(options if goal is None else replace(options, precision=None), encoder, model=model)
    lowest = reach(cut.value) if labelled is None else min(reach(cut.value), lowest_of(labelled))
    found = dedupe(
        texts,
        encoder,
        embeddings=embeddings,
        options=replace(options, threshold=cut.value, precision=None, decision=None),
        ids=ids,
        values=values,
        lowest=lowest,
        **where,
    )
    found = replace(found, cut=cut)
    if labelled is None:
        return found, None, None, None
    judged = read_answers(labelled, found)
    proof = read_proof(labelled) if evidence.proof else None
    answers, decision = judged.answers(), None
    if goal is None:
        if told := precision_sentence(answers, cut.value):
            words = cut.words if cut.fitted else "nothing was fitted"
            found = replace(found, cut=replace(cut, words=f"{words}; {told}"))
    else:
        best = judged.reaching(goal, evidence.rule) if proof is None else proof.reaching(goal).threshold
        reached = _REACHED[evidence.rule] if proof is None else "with a proven precision"
        words = f"the lowest of the sample {reached} of {goal:g} or more"
        if told := precision_sentence(answers, best):
            words += f"; {told}"
        found = replace(found.rethreshold(best), cut=SourcedThreshold(best, words))
        chosen = next(one for one in answers.at if one.threshold == best)
        answers = replace(answers, chosen=chosen)
        if encoder is not None:
            decision = decision_for(
                judged,
                chosen,
                labelled,
                goal=(goal, evidence.rule),
                model=model,
                proof=None if proof is None else proof.of(proof.reaching(goal)),
            )
    return found, answers, proof, decision


def _write(
    found: Deduped,
    source: TextFile | TextParts,
    result: DedupedFile,
    made_with: Mapping[str, Any],
    decision: SavedDecision | None,
    *,
    sample: Sequence[tuple[str, ...]],
    seed: int,
) -> None:
    """Write all files."""
    page = dedupe_page(
        dedupe_report(
            found,
            facts=(name_of(source.path), str(made_with["vectors"]), f"textkin {__version__}"),
            guarantee=result.guarantee,
            answers=result.answers,
            gold=result.gold,
            made_with=made_with,
        )
    )
    with atomic_files(result.out, last=ACCOUNT) as staged:
        gone = {found.ids[place] for place in found.removed.tolist()}
        source.copy(staged / result.kept.name if isinstance(source, TextFile) else staged, without=gone)
        _write_table(staged / REMOVED, _REMOVED_COLUMNS, _removed(found))
        _write_table(staged / GROUPS, _GROUPS_COLUMNS, _members(found))
        write_text(staged / REPORT, page)
        if decision is not None:
            decision.write(staged / DECISION)
        if sample:
            with (staged / SAMPLE).open("w", encoding="utf-8", newline="") as stream:
                write_sample(sample, stream)
        files = {item.name: sha256_of_file(item) for item in sorted(staged.iterdir())}
        write_json(staged / ACCOUNT, _account(result, made_with, files=files, seed=seed))


_REMOVED_COLUMNS = ("id", "text", "kept_id", "kept_text", "score", "why")
_GROUPS_COLUMNS = ("group", "id", "kept", "score", "text")


def _write_table(path: Path, columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        RowWriter(stream, path, columns).write(rows)


def _removed(found: Deduped) -> Iterator[tuple[str, ...]]:
    for place in found.removed.tolist():
        kept = int(found.stays[place])
        yield (
            *(found.ids[place], found.texts[place], found.ids[kept], found.texts[kept]),
            *(str(found.similarity[place]), found.preference.reason(kept, place)),
        )


def _members(found: Deduped) -> Iterator[tuple[str, ...]]:
    for number_of, places in enumerate(found.groups, 1):
        for place in places:
            text = found.texts[place]
            shown = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
            stays = place == places[0]
            yield (
                *(str(number_of), found.ids[place], "yes" if stays else "no"),
                *("" if stays else str(found.similarity[place]), shown),
            )


def _counts(found: Deduped, sample: Sequence[tuple[str, ...]]) -> Counts:
    sizes = np.bincount(found.stays)
    complete = found.similar.complete
    return Counts(
        texts=len(found.texts),
        different=len(found.distinct),
        kept=int((sizes > 0).sum()),
        removed=len(found.removed),
        groups=int((sizes > 1).sum()),
        largest=int(sizes.max()),
        pairs=len(found.pairs) if complete else None,
        forbidden=len(found.forbidden) if complete else None,
        withheld=len(found.withheld) if complete else None,
        sampled=len(sample),
        answered=sum(bool(row[ANSWER]) for row in sample),
    )


def _made_with(
    source: TextFile | TextParts,
    found: Deduped,
    *,
    model: str | None,
    embeddings: Path | None,
    keep_column: str | None,
) -> dict[str, Any]:
    """What the result depends on."""
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
        "guards": ", ".join(options.guards) or "none",
        "long texts": "as the model reads them" if options.long is None else options.long.value,
        "lexical": "not looked at"
        if options.lexical is None
        else f"{options.lexical:g} of shingles of {options.shingles.value}",
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }


def _account(
    result: DedupedFile, made_with: Mapping[str, Any], *, files: Mapping[str, str], seed: int
) -> dict[str, Any]:
    """What ``dedupe.json`` holds: all but how long it took."""
    kept = result.guarantee
    return {
        "made_with": dict(made_with),
        "seed": seed,
        "input": {"rows": result.read.rows, "skipped": dict(result.read.skipped)},
        "truncation": None if result.truncation is None else asdict(result.truncation),
        "threshold": asdict(result.cut),
        "counts": asdict(result.counts),
        "coverage": None if result.coverage is None else asdict(result.coverage),
        "withheld_texts": result.withheld_texts,
        "guarantee": None if kept is None else {**asdict(kept), "holds": kept.holds},
        "answers": None if result.answers is None else asdict(result.answers),
        "proof": None if result.proof is None else asdict(result.proof),
        "gold": None if result.gold is None else asdict(result.gold),
        "files": dict(files),
    }


def _kept(source: TextFile | TextParts, folder: Path) -> list[Path]:
    """The files of what stays.

    Raises:
        UsageError: the folder has further ones, which would be taken for these.
    """
    if isinstance(source, TextFile):
        return [folder / f"kept{_ending(source)}"]
    files = [folder / path.name for path in source.files]
    if others := [path.name for path in parts_of(folder) if path not in files]:
        raise UsageError(
            f"{folder} holds {others[0]}, which {source.path} doesn't", fix="choose another output folder"
        )
    return files


def _ending(source: TextFile) -> str:
    endings = [ending for ending in source.path.suffixes if ending.lower() != ".gz"]
    return endings[-1] if endings else f".{source.format}"


def _refuse_to_overwrite(written: Sequence[Path], read: Sequence[Path | None], evidence: Evidence) -> None:
    if path := overwritten(written, read):
        raise UsageError(f"{path} is read, and would be written", fix="choose another output folder")
    sample = written[0].with_name(SAMPLE)
    if evidence.sample is not None and holds_answers(sample):
        raise UsageError(
            f"{sample} holds answers, which a new sample would overwrite",
            fix="choose another output folder; --labelled takes the answers over into it",
        )


def _values(source: TextFile | TextParts, column: str) -> NDArray[np.float64]:
    """The numbers of a column, nan where there is none."""
    found = [number(cell) for cell in source.cells(column)]
    values = np.array([np.nan if value is None else value for value in found])
    if np.isnan(values).all():
        raise DataError(
            f"the column {column!r} holds no number",
            path=source.path,
            fix="give --keep longest, first, central, or a column of numbers",
        )
    return values
