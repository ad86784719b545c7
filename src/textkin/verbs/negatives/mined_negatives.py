"""Hard negatives: for every anchor texts that look like its positives and are not known to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from textkin.base.errors import DataError, UsageError, invalid, required
from textkin.base.files import refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.progress import progress
from textkin.base.python_inputs import path_of, several, texts_of
from textkin.base.results import Summary
from textkin.base.sharded_table_writer import RowTarget
from textkin.base.standard_streams import refuse_two_inputs
from textkin.base.table_writer import Rounded, TakesRows
from textkin.base.text_table import text_table
from textkin.data.protocols import Encoder, Scorer, Side, System
from textkin.data.readers import Reading, load_texts
from textkin.data.readers.from_python import GivenData
from textkin.data.readers.read_report import ReadReport, note_read
from textkin.kinds.data_coverage import DataCoverage
from textkin.kinds.registry import load_data
from textkin.kinds.systems import AnyModel, resolve
from textkin.text.baselines import with_analyser
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.pair_scoring import Lexical
from textkin.text.truncation_account import Truncation, truncation_of
from textkin.vectors.compute_engine import WorkEngine
from textkin.vectors.index.exact_search import place, searchable
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.vectors.unknown_token_report import Coverage, ReportsUnknown, coverage_of, note_accounts
from textkin.verbs.negatives.anchors import Anchors, gather
from textkin.verbs.negatives.options import NegativeOptions
from textkin.verbs.negatives.selection import FILTERS, DropCounts, Mined, Miner

_ANCHORS_AT_ONCE = 512


@dataclass(frozen=True, slots=True, repr=False)
class Negatives(Summary):
    """Mined negatives; ``candidates == sum(dropped.values()) + negatives + spare``.

    Attributes:
        out: the file that was written, or the folder of parts.
        sources: the names of the models that ranked the corpus.
        anchors: distinct first texts of positive pairs.
        positives: distinct positive pairs.
        left_out: positive pairs that could not be used, by reason.
        corpus: distinct texts that negatives could come from.
        candidates: combinations of an anchor and a text that a source ranked up to the last rank, known kin
            among them included.
        dropped: number of dropped candidates by filter; of several the first one counts.
        spare: candidates that passed and were not needed; the filter model didn't score them.
        negatives: candidates that became negatives.
        written: rows in the file; a negative comes once for every positive of its anchor.
        short: anchors with fewer negatives than wanted.
        without: those of them that have none at all.
        each: negatives that were wanted for an anchor.
        read: the rows that the readers skipped, by file.
        truncations: number of truncated anchors and texts, by model with a known maximum.
        coverages: the fraction of these texts that each model knows, where it reports that.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.negatives(samples.pairs("travel"), out="hard.tsv", ranks="1-20")
        >>> found.candidates == sum(found.dropped.values()) + found.negatives + found.spare
        True
    """

    out: Path
    sources: tuple[str, ...]
    anchors: int
    positives: int
    left_out: Mapping[str, int]
    corpus: int
    candidates: int
    dropped: Mapping[str, int]
    spare: int
    negatives: int
    written: int
    short: int
    without: int
    each: int
    read: tuple[ReadReport, ...] = ()
    truncations: tuple[Truncation, ...] = ()
    coverages: tuple[Coverage, ...] = ()

    def text(self) -> str:
        """The filters, the counts, and the file's name."""
        rows = [(reason, f"{count:,}") for reason, count in self.dropped.items()]
        lines = [
            text_table(("filter", "dropped"), rows),
            "",
            f"{self.anchors:,} anchors with {self.positives:,} positives, and {self.corpus:,} texts "
            f"ranked by {', '.join(self.sources)}",
        ]
        lines += [f"left out {count:,} positive pairs: {reason}" for reason, count in self.left_out.items()]
        lines.append(
            f"{self.candidates:,} candidates: {sum(self.dropped.values()):,} dropped, "
            f"{self.negatives:,} negatives, {self.spare:,} not needed"
        )
        if self.short:
            lines.append(
                f"{self.short:,} anchors have fewer than {self.each} negatives, {self.without:,} of them none"
            )
        return "\n".join([*lines, f"written to {shown_output(self.out)}: {self.written:,} rows"])

    def as_dict(self) -> dict[str, Any]:
        """The counts and the file; its number of rows is called so."""
        found = asdict(self)
        return {"rows": found.pop("written"), **found}


def mine_negatives(
    data: GivenData,
    *,
    out: Path | str,
    models: Sequence[AnyModel] = ("bm25",),
    corpus: Any = None,
    vectors: Path | None = None,
    filter: AnyModel | None = None,
    options: NegativeOptions | None = None,
    reading: Reading | None = None,
    **where: Unpack[Workplace],
) -> Negatives:
    """Mine hard negatives: for every anchor texts that look like its positives and are not known to be.

    A negative is never the same text as its anchor or one of the anchor's positives, nor linked to them
    through pairs that are known to mean the same. Rows stand in the order of anchors, positives and choice:
    the file depends on texts, labels, models and seed, not on the order of ``data`` and ``corpus``.

    Args:
        data: labelled pairs (unlabelled ones count as the same), questions with candidates, or a collection:
            the path of a file or folder, records, or rows of texts and labels.
        out: the file to write, .tsv, .csv or .jsonl.
        models: the models that rank the corpus: folders or names of models, baselines, or encoders.
        corpus: the source of negatives: texts, or the path of their file; the second texts of the pairs, or
            the collection's corpus, if left out.
        vectors: for the baseline mean-vectors.
        filter: a model that scores the candidates left by all other filters, such as a cross-encoder.
        options: see :class:`NegativeOptions`.
        reading: the reading options of the file.
        where: ``on="ray"`` has the workers of Ray do the work, here or at an ``address``, with the same
            result. ``address="auto"`` finds a Ray that is running already.

    Raises:
        UsageError: a model is unknown or can't rank a corpus, or arguments don't go together.
        DataError: there is no positive pair, or no negative was found.
        ModelError: a model can't be read.
        OutputError: the file can't be written.
    """
    refuse_two_inputs({"data": data, "corpus": corpus})
    models = several(models, "model")
    path = path_of(data)
    gold = load_data(data, reading=reading)[1].data if path is None else path
    if corpus is not None:
        corpus = path_of(corpus) or texts_of(corpus, name="corpus")
    wanted, target = options or NegativeOptions(), RowTarget.of(out, gold)
    _check(models, filter, wanted)
    check_where(**where)
    refuse_overwriting([target.path], [given for given in (gold, corpus) if isinstance(given, Path | str)])
    read: tuple[ReadReport, ...] = ()
    if isinstance(gold, Path):
        _, pairs = load_data(gold, reading=reading, every=True)
        gold, read = pairs.data, (pairs.report,)
    if isinstance(corpus, Path):
        texts = load_texts(corpus)
        corpus, read = texts.data.texts, (*read, texts.report)
    for report in read:
        note_read(report)
    models = with_analyser(models, wanted.analyser)
    material = gather(gold, corpus)
    if not material.corpus:
        raise DataError("the corpus holds no text", fix="give texts that negatives can come from")
    tally = DropCounts()
    with target.writer(_columns(wanted)) as writer, engine_of(**where) as engine:
        miner = _miner(material, models, filter, vectors, wanted, engine)
        written = _write(writer, _mined(miner, tally, engine), wanted)
        dropped = dict(zip(FILTERS, tally.dropped.tolist(), strict=True))
        if not written.rows:
            told = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items() if count)
            raise DataError(
                f"no row to write: {len(material.anchors):,} anchors, {tally.looked_at:,} candidates; "
                f"dropped: {told or 'none'}",
                fix="give a larger corpus, wider ranks, or weaker filters",
            )
    note_accounts(miner.accounts.truncations, miner.accounts.coverages)
    return Negatives(
        out=target.path,
        sources=tuple(space.name for space in miner.spaces),
        anchors=len(material.anchors),
        positives=len(material.positives),
        left_out=material.left_out,
        corpus=material.corpus,
        candidates=tally.looked_at,
        dropped=dropped,
        spare=tally.spare,
        negatives=tally.taken,
        written=written.rows,
        short=written.short,
        without=written.without,
        each=wanted.each,
        read=read,
        truncations=miner.accounts.truncations,
        coverages=miner.accounts.coverages,
    )


def _check(models: Sequence[AnyModel], filter: AnyModel | None, options: NegativeOptions) -> None:
    """Check the arguments before anything is read or encoded."""
    if not models:
        raise invalid("model", (), expected="at least one, such as bm25")
    first, last = options.ranks
    if options.each > (last - first + 1) * len(models):
        raise invalid(
            "each", options.each, expected=f"at most what `ranks` {first}-{last} of {len(models)} models have"
        )
    limits = options.filter_max, options.filter_margin
    if (filter is None) != (limits == (None, None)):
        if filter is None:
            raise required("filter", by="`filter_max` or `filter_margin`")
        raise UsageError(
            "`filter` needs `filter_max` or `filter_margin`", params=("filter_max", "filter_margin")
        )


def _miner(
    material: Anchors,
    models: Sequence[AnyModel],
    filter: AnyModel | None,
    vectors: Path | None,
    options: NegativeOptions,
    engine: WorkEngine,
) -> Miner:
    def scorer(model: AnyModel) -> Scorer:
        texts = material.documents[: material.corpus]
        found: System = resolve(model, fit_texts=texts, vectors=vectors)
        if isinstance(found, Scorer):
            return found
        raise invalid("model", str(model), expected="models that give scores")

    judge = None if filter is None else scorer(filter)
    sources = {model: scorer(model) for model in models}
    spaces = [place(_at(engine, source), material.anchors, material.documents) for source in sources.values()]
    if len({space.name for space in spaces}) < len(spaces):  # two folders may hold models of one name
        names = [str(one) if isinstance(one, str | Path) else sources[one].name for one in sources]
        spaces = [replace(space, name=name) for name, space in zip(names, spaces, strict=True)]
    corpora = [searchable(space.documents[: material.corpus]) for space in spaces]
    models_read = (*sources.values(), *(() if judge is None else (judge,)))
    return Miner(material, spaces, corpora, options, judge, DropCounts(), _accounts(material, models_read))


def _at(engine: WorkEngine, source: Scorer) -> Scorer:
    """A scorer whose texts are encoded by an engine, if it encodes texts one by one."""
    sparse = isinstance(source, Lexical | LuceneClassic)
    return engine.encoder(source) if isinstance(source, Encoder) and not sparse else source


def _accounts(material: Anchors, models: Sequence[Scorer]) -> DataCoverage:
    texts = dict.fromkeys((*material.anchors, *material.documents))
    return DataCoverage.of(
        (
            _truncation(model, material),
            coverage_of(model, texts) if isinstance(model, ReportsUnknown) else None,
        )
        for model in models
    )


def _truncation(model: Scorer, material: Anchors) -> Truncation | None:
    queries = truncation_of(model, material.anchors, side=Side.QUERY)
    documents = truncation_of(model, material.documents, side=Side.DOCUMENT)
    return None if queries is None or documents is None else queries + documents


def _mined(miner: Miner, tally: DropCounts, engine: WorkEngine) -> Iterator[Mined]:
    count = len(miner.material.anchors)
    starts = range(0, count, _ANCHORS_AT_ONCE)
    blocks = [range(start, min(start + _ANCHORS_AT_ONCE, count)) for start in starts]
    with progress("anchors", total=count) as shown:
        for block, (mined, counts) in zip(blocks, engine.each(mined_of, miner, blocks), strict=True):
            tally.add(counts)
            yield from mined
            shown.advance(len(block))


def mined_of(miner: Miner, anchors: range) -> tuple[list[Mined], DropCounts]:
    """The negatives of some anchors, and counts of the candidates by outcome."""
    tally = DropCounts()
    return list(replace(miner, tally=tally).mine(anchors)), tally


@dataclass(slots=True)
class _Written:
    rows: int = 0
    short: int = 0
    without: int = 0


def _write(writer: TakesRows, mined: Iterable[Mined], options: NegativeOptions) -> _Written:
    """Write rows as they come."""
    done = _Written()
    for one in mined:
        done.short += len(one.negatives) < options.each
        done.without += not one.negatives
        rows = list(_rows(one, options))
        writer.write(rows)
        done.rows += len(rows)
    return done


def _columns(options: NegativeOptions) -> list[str]:
    """The column names of :func:`_rows`, for the reader of triplets."""
    numbers = [f"_{number}" for number in range(1, options.each + 1)] if options.wide else [""]
    texts = ["positive", *(f"negative{number}" for number in numbers)]
    columns = ["anchor", *texts, *(f"{text}_score" for text in texts)]
    return columns if options.wide else [*columns, "rank", "source"]


def _rows(one: Mined, options: NegativeOptions) -> Iterator[list[str | int | float]]:
    """The rows of an anchor: for each positive one for each negative, or one for all with blanks behind."""
    for positive, positive_score in zip(one.positives, one.scores, strict=True):
        if options.wide and one.negatives:
            blanks = [""] * (options.each - len(one.negatives))
            texts = [one.anchor, positive, *(negative.text for negative in one.negatives), *blanks]
            scores = [Rounded(negative.score) for negative in one.negatives]
            yield [*texts, Rounded(positive_score), *scores, *blanks]
        elif not options.wide:
            for negative in one.negatives:
                scores = [Rounded(positive_score), Rounded(negative.score)]
                yield [one.anchor, positive, negative.text, *scores, negative.rank, negative.source]
