"""Deduplicate the texts of a file; write kept and removed texts, groups, and a report."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from textkin.base.errors import PromiseError, UsageError, invalid, required
from textkin.base.files import refuse_overwriting, sole_writer
from textkin.base.progress import remark
from textkin.base.sharded_files import parts_of
from textkin.data.readers import TextReading
from textkin.data.readers.known_groups import read_gold_groups
from textkin.data.readers.plain_folder import PlainFolder
from textkin.data.readers.read_report import SkipCounter, note_read, without_texts
from textkin.data.readers.texts import TextFile, TextParts, TextSource, open_texts
from textkin.kinds.systems import encoder_of
from textkin.measures.decisions.goal import GoalRule
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.models.minilm_cost import minilm_instead
from textkin.vectors.groups.linkage import ColumnValues
from textkin.vectors.manifest import refuse_other_ids, refuse_other_texts
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.verbs.dedupe import deduped
from textkin.verbs.dedupe.checks import agreement, guarantee
from textkin.verbs.dedupe.chosen_threshold import decision_for
from textkin.verbs.dedupe.dedupe_report import precision_sentence
from textkin.verbs.dedupe.deduped_file import REPORT, Counts, DedupedFile, MissedPrecisionError
from textkin.verbs.dedupe.evidence import Evidence
from textkin.verbs.dedupe.kept_values import column_values
from textkin.verbs.dedupe.output_files import (
    ACCOUNT,
    DECISION,
    GROUPS,
    REMOVED,
    SAMPLE,
    made_of,
    write_all,
)
from textkin.verbs.dedupe.sample import ANSWER, check_answers, draw, holds_answers, lowest_of, read_answers
from textkin.verbs.dedupe.sample_answers import SampleAnswers
from textkin.verbs.dedupe.sample_proof import SampleProof, read_proof
from textkin.verbs.dedupe.threshold_steps import reach
from textkin.verbs.inputs import named

_REACHED = {
    GoalRule.LOWER_END: "that is shown to have a precision",
    GoalRule.ESTIMATE: "with an estimated precision",
}


def dedupe_file(
    texts: Path | str,
    out: Path | str,
    *,
    model: Any = None,
    embeddings: Any = None,
    options: deduped.DedupeOptions | None = None,
    keep_column: Any = None,
    evidence: Evidence | None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> DedupedFile:
    """Write kept and removed texts to the folder ``out``, all or nothing.

    ``kept`` with the extension of the input has its kept rows, unchanged; rows without a text are kept too.
    Of a folder with files ``part-*``, files of the same names hold them.
    ``removed.tsv``, ``groups.tsv``, ``report.html`` and ``dedupe.json`` say what was done; with
    ``Evidence.sample`` there is ``sample.csv``. A threshold that answers chose is kept in
    ``decision.json``. The same input gives the same files.

    Args:
        texts: plain text with one text per line, or a table, or a folder of them called ``part-*``.
        out: the folder; other files in it are kept.
        model: as in :func:`textkin.verbs.dedupe.deduped.dedupe_texts`.
        embeddings: a NumPy file with a vector for each text that is not empty.
        options: the defaults if left out. With ``Evidence.labelled`` their precision is that of the answers.
        keep_column: for ``KeepRule.HIGHEST``: the column of numbers or dates.
        evidence: samples, labels and known groups.
        reading: reading options of a table.
        where: the workplace, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: arguments are out of range or don't go together, or a file would be overwritten that is
            read or holds answers.
        DataError: a file can't be read, or what ``dedupe`` says.
        ModelError: as ``dedupe``.
        OutputError: the folder can't be written to, or another process is writing there.
        MissedPrecisionError: the labels show no threshold with the wanted precision. All files are written
            by the threshold without it, and say so.
    """
    started = time.perf_counter()
    options, evidence = options or deduped.DedupeOptions(), evidence or Evidence()
    check_where(**where)
    model, embeddings = named("model", model), named("embeddings", embeddings)
    embeddings = None if embeddings is None else Path(embeddings)
    if not isinstance(keep_column, str | None):
        raise invalid("keep", keep_column, expected="a rule or the name of a column, with `out`")
    source = open_texts(texts, reading=reading)
    refuse_other_texts(embeddings, texts)
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
            raise without_texts(counter.report())
        refuse_other_ids(embeddings, list(rows), texts)
        note_read(counter.report())
        if embeddings is None and (better := minilm_instead(list(rows.values()), model)):
            remark(better)
        found, answers, proof, decision, missed = _found(
            list(rows.values()),
            list(rows),
            model=model,
            embeddings=embeddings,
            options=options,
            values=None if keep_column is None else column_values(source, keep_column),
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
            kept=folder if isinstance(source, TextParts) else kept[0],
            counts=_counts(found, sample),
            cut=found.cut,
            guards=found.guards,
            guarantee=guarantee(found, engine=engine),
            answers=answers,
            gold=None if evidence.gold is None else agreement(found, read_gold_groups(evidence.gold)),
            decision=None if decision is None else folder / DECISION,
            proof=proof,
            read=counter.report(),
            coverage=found.coverage,
            withheld_texts=found.withheld_texts,
            truncation=found.truncation,
            long=options.long,
            seconds=0.0,
            missed="" if missed is None else missed.message,
            removed=frozenset(str(found.ids[one]) for one in found.removed.tolist()),
        )
        made_with = made_of(source, found, model=model, embeddings=embeddings, keep_column=keep_column)
        write_all(
            found,
            source,
            result,
            made_with,
            decision,
            sample=sample,
            seed=evidence.seed,
            reading=reading or TextReading(),
        )
        result = replace(result, seconds=time.perf_counter() - started)
        if missed is not None:
            raise MissedPrecisionError(missed, result)
        return result


_Found = tuple[
    deduped.Deduped, SampleAnswers | None, SampleProof | None, SavedDecision | None, PromiseError | None
]


def _found(
    texts: list[str],
    ids: list[str],
    *,
    model: str | None,
    embeddings: Path | None,
    options: deduped.DedupeOptions,
    values: ColumnValues | None,
    evidence: Evidence,
    **where: Unpack[Workplace],
) -> _Found:
    """Find the texts to remove, by a threshold that labels may have chosen."""
    encoder = None if embeddings is not None and model is None else encoder_of(model)
    labelled = evidence.labelled
    goal = None if labelled is None else options.precision
    if evidence.proof and goal is None:
        raise required("precision", by="`proof`", fix="give `precision=0.95`, for example")
    if labelled is not None:  # before minutes of encoding
        check_answers(labelled, texts)
    cut = deduped.cut_of(options if goal is None else replace(options, precision=None), encoder, model=model)
    lowest = reach(cut.value) if labelled is None else min(reach(cut.value), lowest_of(labelled))
    found = deduped.dedupe_texts(
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
        return found, None, None, None, None
    judged = read_answers(labelled, found)
    proof = read_proof(labelled) if evidence.proof else None
    answers, decision = judged.answers(), None
    if goal is None:
        if told := precision_sentence(answers, cut.value):
            found = replace(found, cut=replace(cut, precision=told))
    else:
        try:
            best = judged.reaching(goal, evidence.rule) if proof is None else proof.reaching(goal).threshold
        except PromiseError as missed:
            cut = replace(cut, precision=f"the labels show no threshold of precision {goal:g}")
            return replace(found, cut=cut), answers, proof, None, missed
        reached = _REACHED[evidence.rule] if proof is None else "with a proven precision"
        origin = f"the lowest of the sample {reached} of {goal:g} or more"
        cut = deduped.SourcedThreshold(best, origin, precision_sentence(answers, best))
        found = replace(found.rethreshold(best), cut=cut)
        chosen = next(one for one in answers.at if one.threshold == best)
        answers = replace(answers, chosen=chosen, found=judged.found(best))
        if encoder is not None:
            decision = decision_for(
                judged,
                chosen,
                labelled,
                goal=(goal, evidence.rule),
                model=model,
                proof=None if proof is None else proof.of(proof.reaching(goal)),
            )
    return found, answers, proof, decision, None


def _counts(found: deduped.Deduped, sample: Sequence[tuple[str, ...]]) -> Counts:
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


def _kept(source: TextSource, folder: Path) -> list[Path]:
    """The files of kept texts.

    Raises:
        UsageError: the folder has further ones, which would be taken for these.
    """
    if not isinstance(source, TextParts):
        return [folder / f"kept{_ending(source)}"]
    files = [folder / part.copied_name for part in source.parts]
    if others := [path.name for path in parts_of(folder) if path not in files]:
        raise UsageError(
            f"`out` {folder} holds {others[0]}, which isn't a part of {source.path}",
            fix="choose another folder",
            params=("out",),
            value=folder,
        )
    return files


def _ending(source: TextFile | PlainFolder) -> str:
    endings = [ending for ending in Path(source.copied_name).suffixes if ending.lower() != ".gz"]
    return endings[-1] if endings else f".{source.format}"


def _refuse_to_overwrite(written: Sequence[Path], read: Sequence[Path | None], evidence: Evidence) -> None:
    refuse_overwriting(written, read, fix="choose another folder")
    sample = written[0].with_name(SAMPLE)
    if evidence.sample is not None and holds_answers(sample):
        raise UsageError(
            f"`sample` would overwrite the labels in {sample}",
            fix="choose another folder; `labelled` copies the labels into it",
            params=("sample", "out"),
        )
