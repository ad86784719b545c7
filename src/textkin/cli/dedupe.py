"""``textkin dedupe``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.text_equality import Equal
from textkin.cli.goal_options import Proof, Rule
from textkin.cli.output import emit_json, emit_table, emit_text, note_read
from textkin.cli.shared_options import (
    AsJson,
    DecisionFile,
    Download,
    Embeddings,
    EncoderName,
    EqualTexts,
    LongOptions,
    RayOptions,
    Seed,
    TextLayout,
    TextsFile,
    UnknownTokens,
    fetch,
    guards_of,
)

if TYPE_CHECKING:
    from textkin.verbs.dedupe.dedupe import DedupeOptions
    from textkin.verbs.dedupe.deduped_file import DedupedFile
    from textkin.verbs.dedupe.sample_answers import SampleAnswers
    from textkin.verbs.dedupe.sample_proof import SampleProof

EXAMPLES = """
textkin dedupe questions.txt --out deduped
textkin dedupe tickets.csv --text subject --keep votes --guard numbers,negation --out deduped
textkin dedupe questions.txt --out deduped --lexical 0.8 --shingles words
textkin dedupe questions.txt --out deduped --sample 200
textkin dedupe questions.txt --out deduped --labelled deduped/sample.csv --precision 0.95
textkin dedupe questions.txt --out deduped --labelled deduped/sample.csv --precision 0.95 --proof
"""


def command(
    texts: TextsFile,
    /,
    *,
    out: Annotated[Path, Option("Folder for the files.", metavar="DIR")],
    model: EncoderName = None,
    embeddings: Embeddings = None,
    threshold: Annotated[
        float | None,
        Option(
            "Texts are similar from this cosine on. Left out: the model's own threshold, or else 0.9.",
            metavar="T",
        ),
    ] = None,
    precision: Annotated[
        float | None,
        Option(
            "The threshold for this precision: that of --labelled, or else the one that textkin "
            "calibrate saved with the model.",
            metavar="P",
        ),
    ] = None,
    decision: DecisionFile = None,
    linkage: Annotated[
        Literal["representative", "complete", "components"],
        Option(
            "What makes a group: every text resembles the one that stays; or every other; or a chain "
            "leads to it."
        ),
    ] = "representative",
    keep: Annotated[
        str,
        Option(
            "Which text of a group stays: longest, first, central, or the name of a column for the "
            "one with the highest number there.",
            metavar="RULE",
        ),
    ] = "longest",
    most: Annotated[int | None, Option("No group has more different texts.", metavar="N")] = None,
    guard: Annotated[
        str | None,
        Option(
            "Keep texts apart that differ in these: numbers, negation, names, order (of the same words, "
            "or of names and numbers), content (each has a content word that the other lacks); or none.  "
            "[default: all but content; content too where the texts are made of templates]",
            metavar="NAME,...",
        ),
    ] = None,
    lexical: Annotated[
        float | None,
        Option(
            "Texts are similar too if they share so much of their shingles (Jaccard), such as 0.9.",
            metavar="X",
        ),
    ] = None,
    shingles: Annotated[
        Literal["letters", "words"],
        Option("What these are: runs of four letters, or of two words."),
    ] = "letters",
    equal: EqualTexts = Equal.CASE,
    long: LongOptions,
    sample: Annotated[
        int | None,
        Option(
            "Write N pairs to DIR/sample.csv, to be judged by a person. "
            "With --labelled: its pairs and answers, and more up to N.",
            metavar="N",
        ),
    ] = None,
    labelled: Annotated[
        Path | None,
        Option("Such a file with yes or no in the column same: the precision.", metavar="FILE"),
    ] = None,
    rule: Rule = "lower-end",
    proof: Proof = False,
    gold: Annotated[
        Path | None,
        Option("Known groups, a table with id and group: the agreement with them.", metavar="FILE"),
    ] = None,
    layout: TextLayout,
    seed: Seed = 0,
    unknown: UnknownTokens = "withhold",
    download: Download = False,
    ray: RayOptions,
    as_json: AsJson = False,
) -> None:
    """Decide which texts can go, since others say the same.

    Writes to DIR: kept with the rows of TEXTS that stay, removed.tsv with
    what goes, why and for what, groups.tsv, dedupe.json, and report.html,
    where a slider shows what other thresholds would do. The result does not
    depend on the order of the rows, unless --keep first asks for it.

    Where the answers of --labelled show no threshold with --precision, all of
    this is written by the threshold without them, and the exit code is 10.
    """
    from textkin.base.shingles import Unit
    from textkin.measures.decisions.goal import GoalRule
    from textkin.vectors.groups.linkage import Linkage
    from textkin.vectors.unknown_token_report import UnknownTexts
    from textkin.verbs.dedupe.dedupe import DedupeOptions
    from textkin.verbs.dedupe.dedupe_file import dedupe_file, parse_keep
    from textkin.verbs.dedupe.deduped_file import MissedPrecisionError
    from textkin.verbs.dedupe.evidence import Evidence

    kept, keep_column = parse_keep(keep)
    options = DedupeOptions(
        threshold=threshold,
        precision=precision,
        decision=decision,
        linkage=Linkage(linkage),
        keep=kept,
        most=most,
        guards=guards_of(guard),
        lexical=lexical,
        shingles=Unit(shingles),
        unknown=UnknownTexts(unknown),
        long=long.chosen(),
        equal=equal,
    )
    evidence = Evidence(
        sample=sample, labelled=labelled, rule=GoalRule(rule), gold=gold, seed=seed, proof=proof
    )
    fetch(model, download=download)
    try:
        found, missed = (
            dedupe_file(
                texts,
                out,
                model=model,
                embeddings=embeddings,
                options=options,
                keep_column=keep_column,
                evidence=evidence,
                reading=layout.reading(),
                **ray.workplace(),
            ),
            None,
        )
    except MissedPrecisionError as error:
        found, missed = error.found, error
    note_read(found.read)
    emit_json(found) if as_json else _print(found, options)
    if missed is not None:
        raise missed


def _print(found: DedupedFile, options: DedupeOptions) -> None:
    from textkin.report.figure_words import count, duration, percent
    from textkin.verbs.dedupe.dedupe_report import agreement_figures, how_many

    counts = found.counts
    emit_text(
        f"{count(counts.texts, 'text')}, {count(counts.different)} different: {count(counts.kept)} stay, "
        f"{count(counts.removed)} go ({percent(counts.removed / counts.texts)})"
    )
    groups = f"{count(counts.groups, 'group')} of several, the largest of {count(counts.largest, 'text')}"
    if counts.pairs is None or counts.forbidden is None:
        emit_text(groups)
        emit_text(how_many())
    else:
        pairs = f"{count(counts.pairs, 'similar pair')}, {count(counts.forbidden)} more forbidden by a guard"
        emit_text(f"{groups}; {pairs}")
    emit_text(f"threshold {found.cut.value:.6g}: {found.cut.words}")
    for line in _notes(found, options):
        emit_text(line)
    if found.answers is not None:
        _print_answers(found.answers)
        _print_proof(found.proof)
    if found.decision is not None:
        emit_text(f"kept for --decision of mine, dedupe, score and match: {found.decision}")
    if found.gold is not None:
        rows = [(name, f"{value:.4f}") for name, value in agreement_figures(found.gold).items()]
        emit_table(("against known groups", ""), rows)
    if counts.sampled:
        known = f", beside {count(counts.answered)} with your answers" if counts.answered else ""
        left = count(counts.sampled - counts.answered, "pair")
        emit_text(f"{left} to judge{known}: write yes or no into {found.out / 'sample.csv'}")
    skipped = sum(found.read.skipped.values())
    beside = (
        f" (with {count(skipped, 'row')} that {'has' if skipped == 1 else 'have'} no text)" if skipped else ""
    )
    report = found.out / "report.html"
    emit_text(f"{duration(found.seconds)}; what stays: {found.kept}{beside}, report: {report}")


def _notes(found: DedupedFile, options: DedupeOptions) -> list[str]:
    """What stands below the counts and the threshold."""
    from textkin.verbs.dedupe.dedupe_report import how_to_fit, withheld_sentence
    from textkin.verbs.dedupe.dedupe_report import long_texts as in_words

    counts = found.counts
    notes = [found.guards.sentence(counts.different)]
    if not found.cut.fitted and found.answers is None:
        notes.append(how_to_fit(complete=counts.pairs is not None))
    if found.withheld_texts:
        notes.append(withheld_sentence(found.withheld_texts))
    notes += in_words(found.truncation, counts.withheld, options.long)
    if found.guarantee is not None:
        notes.append(found.guarantee.sentence())
    return [note for note in notes if note]


def _print_answers(answers: SampleAnswers) -> None:
    from textkin.report.figure_words import count
    from textkin.verbs.dedupe.dedupe_report import in_words, precision_in_words, said_beside

    rows = [
        (
            f"{one.threshold:.6g}",
            f"{one.pairs:,}",
            "too few answers" if one.precision is None else precision_in_words(one.precision),
            "-" if one.remaining is None else in_words(one.remaining),
        )
        for one in answers.at
    ]
    title = f"Precision by {count(answers.judged, 'answer')}, {count(answers.blank)} left blank"
    emit_table(("threshold", "pairs from there on", "precision", "duplicates remaining"), rows, title=title)
    for line in said_beside(answers):
        emit_text(line)


def _print_proof(proof: SampleProof | None) -> None:
    """What is proven, or that nothing is."""
    from textkin.report.figure_words import count

    if proof is None:
        emit_text(
            "These intervals are of a fixed number of answers: who looks again and again until they fit has "
            "no proof. --proof has a test that allows it."
        )
        return
    rows = [(f"{one.threshold:.6g}", f"{one.pairs:,}", f"{one.least:.3f}") for one in proof.at]
    title = f"Proven by {count(proof.labels, 'label')}, however often one looks"
    emit_table(("threshold", "pairs from there on", "proven precision"), rows, title=title)
    if proof.blank:
        emit_text(f"{count(proof.blank, 'pair')} left blank before the last answer count as not the same")
