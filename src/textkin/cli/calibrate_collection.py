"""``textkin calibrate`` of a collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, note_read, note_truncation
from textkin.cli.shared_options import guards_of
from textkin.collection.store.address import Place, is_address

if TYPE_CHECKING:
    from textkin.collection.calibration.calibration_result import CalibratedCollection
    from textkin.data.readers.read_options import Reading
    from textkin.measures.decisions.goal import Goal

Queries = Annotated[
    Path | None,
    Option(
        "Of a collection: a table with the ids and texts of the queries.", flag="--queries", metavar="FILE"
    ),
]
FitSplit = Annotated[
    str | None,
    Option(
        "Of a collection and a BEIR folder: which judgements to learn from.", flag="--split", metavar="NAME"
    ),
]
FitHits = Annotated[
    int,
    Option(
        "Of a collection: the probability is that of the first K hits of a query.", flag="-k", metavar="K"
    ),
]
FitGroups = Annotated[
    str | None,
    Option(
        "Of a collection: a field of the metadata; entries with the same value say the same.",
        flag="--groups",
        metavar="FIELD",
    ),
]
FitRate = Annotated[
    float | None,
    Option(
        "Of a collection and pairs or groups: expected share of incoming texts that have a duplicate.  "
        "[default: estimated from the labels]",
        flag="--base-rate",
        metavar="SHARE",
    ),
]
FitGuards = Annotated[
    str | None,
    Option(
        "Of a collection and pairs or groups: never call texts duplicates that differ in these: "
        "numbers, negation, names, order, content; or none.  [default: all but content]",
        flag="--guard",
        metavar="NAME,...",
    ),
]

_OF_MATCHES = ("groups", "guard", "base-rate")


@final
@dataclass(frozen=True, slots=True)
class CollectionFit:
    """Options that are for collections alone."""

    queries: Path | None = None
    split: str | None = None
    k: int = 10
    rerank: str | None = None
    rerank_depth: int = 100
    groups: str | None = None
    guard: str | None = None
    base_rate: float | None = None

    def is_for_matches(self, data: Path | None) -> bool:
        """Whether what is given are pairs or groups, and no judged queries."""
        from textkin.data.readers.trec import looks_like_qrels

        if self.groups is not None or data is None:
            return True
        return self.queries is None and not data.is_dir() and not looks_like_qrels(data)

    def asked(self) -> Iterator[str]:
        """The names of those that were given."""
        for one in fields(self):
            if getattr(self, one.name) != one.default:
                yield one.name.replace("_", "-")


def is_collection(folder: str) -> bool:
    """Whether this is the folder of a collection, or an address, which is nothing else."""
    from textkin.collection.store.open_store import is_there

    return is_address(folder) or is_there(Path(folder))


def refuse(given: Mapping[str, bool], what: str) -> None:
    """Refuse options that don't go with what is calibrated.

    Raises:
        UsageError: one was given.
    """
    for name, is_given in given.items():
        if is_given:
            raise UsageError(f"{name} does not go with {what}", fix="leave it out")


def fit_matches(
    folder: Place,
    data: Path | None,
    asked: CollectionFit,
    goal: Goal,
    test: Path | None,
    *,
    reading: Reading,
    seed: int,
    as_json: bool,
) -> None:
    """Fit what textkin match calls a duplicate to pairs or groups, and print what to expect."""
    from textkin.collection.match.fit_matching import fit_matching
    from textkin.collection.match.match import told
    from textkin.collection.open_collection import open_collection
    from textkin.data.readers import load_pairs
    from textkin.measures.decisions.goal import Aim
    from textkin.measures.decisions.match_rule import MatchGoal
    from textkin.vectors.groups.guards import STANDARD

    refuse({f"--{name}": True for name in asked.asked() if name not in _OF_MATCHES}, "pairs and groups")
    refuse({"--test": test is not None}, "pairs and groups of a collection")
    if data is None and asked.groups is None:
        raise UsageError(
            "nothing to learn from is given",
            fix="give labelled pairs, --groups FIELD, or judgements with --queries FILE",
        )
    if data is not None and asked.groups is not None:
        raise UsageError("labels come from pairs or from groups", fix="give DATA or --groups")
    if goal.aim not in (Aim.PRECISION, Aim.F1):  # F1 is what stands for no goal
        raise UsageError(f"{goal} is no goal of matches", fix="give --precision")
    named = guards_of(asked.guard)
    guards = STANDARD if named is None else named
    pairs = None
    if data is not None:
        loaded = load_pairs(data, reading=reading)
        note_read(loaded.report)
        pairs = loaded.data
    with open_collection(folder) as opened:
        opened.store.catch_up()
        found = fit_matching(
            opened.store,
            opened.model,
            pairs=pairs,
            path=data,
            groups=asked.groups,
            base_rate=asked.base_rate,
            guards=guards,
            seed=seed,
        )
    rule = found.rule(MatchGoal() if goal.level is None else MatchGoal(precision=goal.level))
    if as_json:
        emit_json({**found.rows()[0], "rule": told(rule, found.source)})
        return
    emit_text(str(found))
    for line in told(rule, f"base rate {found.base_rate.in_words}"):
        emit_text(line)


def fit_collection(
    folder: Place,
    data: Path | None,
    asked: CollectionFit,
    goal: Goal,
    test: Path | None,
    *,
    seed: int,
    reading: Reading,
    as_json: bool,
) -> None:
    """Fit, keep in the collection, and print what to expect."""
    from textkin.collection.calibration.calibrate import FitOptions, calibrate_collection
    from textkin.collection.calibration.judged_queries import judged_queries
    from textkin.collection.open_collection import open_collection
    from textkin.collection.search.reranker import Reranker
    from textkin.data.readers import TextReading
    from textkin.kinds.pair_figures import Sampling

    own = {"--guard": asked.guard is not None, "--base-rate": asked.base_rate is not None}
    refuse(own, "judged queries")
    if data is None:
        raise UsageError("judgements are missing", fix="give a TREC file of them, or a BEIR folder")
    of_queries = TextReading(quoting=reading.quoting, encoding=reading.encoding)
    sides = [judged_queries(data, asked.queries, split=asked.split, reading=of_queries)]
    if test is not None:
        sides.append(judged_queries(test, asked.queries, reading=of_queries))
    for one in sides:
        if one.read is not None:
            note_read(one.read)
    reranker = None if asked.rerank is None else Reranker(asked.rerank)
    options = FitOptions(
        goal=goal,
        k=asked.k,
        test=sides[1] if test is not None else None,
        rerank_depth=asked.rerank_depth,
        sampling=Sampling(seed=seed),
    )
    with open_collection(folder) as opened:
        opened.store.catch_up()
        found = calibrate_collection(opened.store, opened.model, sides[0], options=options, reranker=reranker)
    if reranker is not None:
        note_truncation(reranker.truncation)
    emit_json(_object(found)) if as_json else _print(found)


def _object(found: CalibratedCollection) -> dict[str, Any]:
    return {
        "fitted": found.fitted.to_dict(),
        "fitted_on": found.fitted_on,
        "textless": found.textless,
        "figures": {
            name: {
                "queries": side.queries,
                "relevant": side.relevant,
                "absent": side.absent,
                "figures": side.figures(),
                "answering": [{"answered": share, "risk": risk} for share, risk in side.answering()],
            }
            for name, side in found.sides().items()
        },
    }


def _print(found: CalibratedCollection) -> None:
    from textkin.report.figure_words import full

    sides = found.sides()
    names = list(dict.fromkeys(name for side in sides.values() for name in side.figures()))
    rows = [[name, *(full(side.figures()[name]) for side in sides.values())] for name in names]
    emit_table(["", *sides], rows)
    emit_text()
    for name, side in sides.items():
        told = ", ".join(f"{risk:.3f} of the surest {share:.0%}" for share, risk in side.answering())
        emit_text(f"{name}: answered without a relevant hit: {told}")
    for line in found.said():
        emit_text(line)
