"""Duplicates among texts in memory: which text is kept, which are removed, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields
from textkin.base.counts import count
from textkin.base.errors import DataError, invalid, required
from textkin.base.results import Result, ResultRow
from textkin.base.shingles import Unit
from textkin.base.text_equality import Equal
from textkin.data.protocols import Encoder
from textkin.kinds.systems import decision_of, encoder_of
from textkin.measures.decisions.user_thresholds import NOT_FITTED_THRESHOLD
from textkin.report.threshold_page import thresholds_plot
from textkin.text.truncation_account import Truncation
from textkin.vectors.batched_encoding import in_precision
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.linkage import (
    ColumnValues,
    Edges,
    KeepPreference,
    KeepRule,
    Lengths,
    Linkage,
    Numbers,
    group,
    preferred,
)
from textkin.vectors.groups.templated_texts import ChosenGuards
from textkin.vectors.long_texts import LongTexts
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.vectors.pair_limits import PairLimits, check_limits, settle_limits
from textkin.vectors.similar_texts import (
    MOST_PAIRS,
    Distinct,
    Similar,
    deciding,
    distinct,
    pair_keys,
    similar,
)
from textkin.vectors.unique_texts import embedded
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts
from textkin.verbs.dedupe.removal_reasons import Way, ways
from textkin.verbs.dedupe.threshold_steps import reach, thresholds

if TYPE_CHECKING:
    from textkin.report.notebook_plots import Plot

_UNKNOWN = "its precision on these texts has not been measured"

_NO_NUMBERS = np.empty(0, dtype=np.int64)
_NO_PAIRS = Edges(_NO_NUMBERS, _NO_NUMBERS, np.empty(0, dtype=np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeOptions:
    """Options of deduplication: the definition of duplicates, and the texts to keep.

    Attributes:
        threshold: minimum cosine of duplicates; None for the one that ``calibrate`` saved with
            the model, or else 0.9.
        precision: take the threshold that was fitted for this precision and saved with the model.
        decision: a file of ``textkin calibrate`` for this model, whose threshold stands for the model's own.
        linkage: the method of grouping.
        keep: the rule for the text of a group that is kept.
        most: different texts of a group; None for any number.
        guards: rules that keep two texts apart: "numbers", "negation", "names", "order" or "content";
            () for none. None for all but "content", and for that too where many texts share all but a word or
            two, as messages made of templates do.
        lexical: minimum Jaccard similarity of shingles at which texts count as duplicates too; None to
            compare vectors only.
        shingles: runs of four letters or of two words.
        unknown: treatment of texts with many unknown tokens: "withhold" keeps them, unless
            they equal others; "accept" uses their vectors as they are.
        long: treatment of texts longer than the encoder's maximum; None to compare them in windows where it
            reads whole texts, as static encoders do, and else to withhold their pairs.
        equal: the equality by which all texts but one are removed, whatever the model and the guards:
            "exact", "form", "case" or "letters".
    """

    threshold: float | None = None
    precision: float | None = None
    decision: Path | str | None = None
    linkage: Linkage = Linkage.REPRESENTATIVE
    keep: KeepRule = KeepRule.LONGEST
    most: int | None = None
    guards: tuple[str, ...] | None = None
    lexical: float | None = None
    shingles: Unit = Unit.LETTERS
    unknown: UnknownTexts = UnknownTexts.WITHHOLD
    long: LongTexts | None = None
    equal: Equal = Equal.CASE

    def __post_init__(self) -> None:
        check_fields(self)
        check_limits(PairLimits(threshold=self.threshold, precision=self.precision, decision=self.decision))
        if self.lexical is not None and not 0 < self.lexical <= 1:
            raise invalid("lexical", self.lexical, expected="a number above 0, at most 1")
        if self.lexical is None and self.shingles is not Unit.LETTERS:
            raise required("lexical", by="`shingles`", fix="give `lexical=0.8`, for example")


@dataclass(frozen=True, slots=True)
class SourcedThreshold:
    """A threshold and its origin.

    Attributes:
        value: minimum cosine of duplicates.
        origin: its origin in words.
        precision: what is known of its precision, in words, if anything.
        fitted: whether it was fitted to labels.
    """

    value: float
    origin: str
    precision: str = ""
    fitted: bool = True

    @property
    def words(self) -> str:
        """Its origin, and what is known of its precision."""
        return f"{self.origin}; {self.precision}" if self.precision else self.origin


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deduped(Result):
    """Duplicates: its rows are the texts to remove, each with the text that is kept instead.

    Attributes:
        stays: for each text the place of the one kept for it, its own if it is kept. Shape [texts].
        similarity: the cosine between the two; 1 between equal texts, which aren't encoded. Shape
            [texts].
        pairs: similar pairs of distinct texts, as places in ``texts``, without pairs blocked by a guard.
            Where ``similar.complete`` is false, only those of a removed text with the one kept for it.
        forbidden: pairs that are similar enough, but for a guard; none where it is false.
        withheld: pairs that are similar as far as the encoder read them, and at least one was not read to
            its end; none where it is false.
        cut: the threshold.
        options: the options it was made with.
        preference: the rule for the kept text.
        similar: pairs of the different texts, of which some may be below the threshold.

    Example:
        >>> import textkin as tk
        >>> found = tk.dedupe(["Hello!", "Hello!", "Goodbye."])
        >>> found.kept.tolist(), found.removed.tolist(), found.groups
        ([0, 2], [1], [[0, 1]])
    """

    stays: Numbers
    similarity: NDArray[np.float32]
    pairs: Edges
    forbidden: Edges
    withheld: Edges
    cut: SourcedThreshold
    options: DedupeOptions
    preference: KeepPreference = field(repr=False)
    similar: Similar = field(repr=False)
    _came: _Came = field(repr=False)

    def _columns(self) -> Sequence[str]:
        return "id", "text", "kept_id", "kept_text", "score", "by", "why"

    def _rows(self) -> Iterator[ResultRow]:
        """One row for each removed text."""
        for place, way in zip(self.removed.tolist(), self.ways, strict=True):
            kept = int(self.stays[place])
            yield {
                "id": self.ids[place],
                "text": self.texts[place],
                "kept_id": self.ids[kept],
                "kept_text": self.texts[kept],
                "score": float(self.similarity[place]),
                "by": way.value,
                "why": self.preference.reason(kept, place),
            }

    def _count(self) -> int:
        return len(self.removed)

    def _said(self) -> tuple[str, ...]:
        why = self.guards.sentence(len(self.distinct))
        return (
            f"{len(self.kept):,} of {len(self.texts):,} texts kept, {len(self.removed):,} removed; "
            f"threshold {self.cut.value:.6g}: {self.cut.words}",
            *((why,) if why else ()),
        )

    def _summary(self) -> str:
        return f"{count(len(self.texts), 'text')}, {len(self.kept):,} kept, threshold {self.cut.value:.4g}"

    def _index(self) -> Any:
        return self.removed if self._came.index is None else self._came.index[self.removed]

    def as_dict(self) -> dict[str, Any]:
        """The numbers of texts, the threshold, the guards, and the removed texts."""
        return {
            "texts": len(self.texts),
            "kept": len(self.kept),
            "removed": len(self.removed),
            "threshold": asdict(self.cut),
            "guards": asdict(self.guards),
            "rows": self.rows(),
        }

    def plot(self) -> Plot:
        """The report's plots: texts removed by threshold, scores, and the pairs at each threshold's border.

        The texts are searched again for pairs somewhat below the threshold, if they were not.
        """
        found, low = self, reach(self.cut.value)
        if self.similar.complete and self.similar.lowest > low:
            found = replace(self, similar=_search(self._came, self.cut.value, low, self.options))
        return thresholds_plot(thresholds(found))

    @property
    def ids(self) -> tuple[Any, ...]:
        """Ids of the texts, in their order: those of a file or frame, else places from 0."""
        return self._came.ids

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, in their order."""
        return self._came.texts

    @property
    def threshold(self) -> float:
        """The lowest cosine of duplicates."""
        return self.cut.value

    @property
    def is_duplicate(self) -> NDArray[np.bool_]:
        """True for each removed text: ``frame[~found.is_duplicate]`` has the others. Shape [texts].

        Example:
            >>> import textkin as tk
            >>> tk.dedupe(["Hello!", "Hello!", "Goodbye."]).is_duplicate.tolist()
            [False, True, False]
        """
        return np.not_equal(self.stays, np.arange(len(self.stays)))

    @property
    def kept_texts(self) -> list[str]:
        """The texts that are kept, in their order."""
        return [self.texts[place] for place in self.kept.tolist()]

    @property
    def distinct(self) -> Distinct:
        """The different texts."""
        return self._came.distinct

    @property
    def guards(self) -> ChosenGuards:
        """The rules that keep pairs apart."""
        return self._came.guards

    @property
    def coverage(self) -> Coverage | None:
        """The fraction of the texts that the encoder knows; None of given vectors."""
        return self._came.coverage

    @property
    def withheld_texts(self) -> int:
        """The number of unique texts compared for equality only, because too many tokens are unknown."""
        withhold = self.options.unknown is UnknownTexts.WITHHOLD
        return self.coverage.noticeable if self.coverage is not None and withhold else 0

    @property
    def truncation(self) -> Truncation | None:
        """The number of texts longer than the encoder's maximum; None if it is not known."""
        return self._came.distinct.account

    @property
    def kept(self) -> Numbers:
        """The places of the kept texts, ascending."""
        return np.flatnonzero(~self.is_duplicate)

    @property
    def removed(self) -> Numbers:
        """The places of those that go, ascending."""
        return np.flatnonzero(self.is_duplicate)

    @property
    def ways(self) -> list[Way]:
        """The reason for each removal, in the order of ``removed``."""
        removed, texts = self.removed, self.distinct
        pairs = texts.node[removed], texts.node[self.stays[removed]]
        return ways(texts, self.similar, self.cut.value, pairs, self.similarity[removed])

    @property
    def groups(self) -> list[list[int]]:
        """Groups of several texts, the largest first; in each the kept text, then the most similar."""
        members: dict[int, list[int]] = {}
        for place in self.removed.tolist():
            members.setdefault(int(self.stays[place]), []).append(place)
        similarity, ties = self.similarity.tolist(), self.distinct.ties.tolist()
        found = [
            [stays, *sorted(gone, key=lambda place: (-similarity[place], ties[place]))]
            for stays, gone in members.items()
        ]
        return sorted(found, key=lambda places: (-len(places), ties[places[0]]))

    def rethreshold(self, threshold: float) -> Deduped:
        """Apply another threshold, higher or lower, to the same texts; equals a new call.

        Example:
            >>> import textkin as tk
            >>> found = tk.dedupe(["Hello!", "Hello!", "Goodbye."])
            >>> found.rethreshold(-1.0).kept.tolist()
            [2]
        """
        options = replace(self.options, threshold=threshold, precision=None, decision=None)
        found = self.similar
        if not found.serves(threshold):
            found = _search(self._came, threshold, threshold, options)
        return _decide(self._came, found, SourcedThreshold(threshold, "given"), options)


@dataclass(frozen=True, slots=True, eq=False)
class _Came:
    """Input texts with ids, guards and values.

    Attributes:
        ids: ids of the texts.
        index: the index of the pandas frame or column; None of anything else.
        texts: as they came.
        distinct: the different ones.
        lengths: lengths of the texts.
        guards: the rules that keep pairs apart.
        values: of each text; the highest of a group is kept. Shape [texts], or None.
        coverage: the fraction of them that the encoder knows; None of given vectors.
    """

    ids: tuple[Any, ...]
    index: Any
    texts: tuple[str, ...]
    distinct: Distinct
    lengths: Lengths
    guards: ChosenGuards
    values: ColumnValues | None
    coverage: Coverage | None


def dedupe_texts(
    texts: Sequence[str],
    model: str | Path | Encoder | None = None,
    *,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: DedupeOptions | None = None,
    ids: Sequence[Any] | None = None,
    index: Any = None,
    values: ColumnValues | None = None,
    lowest: float | None = None,
    **where: Unpack[Workplace],
) -> Deduped:
    """Decide which texts can go. The same texts give the same result in any order.

    Args:
        texts: at least one.
        model: an encoder, its folder or name; default: the built-in one, unless ``embeddings`` is given.
        embeddings: vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        options: the defaults if left out.
        ids: ids of the texts, which order equal ones; default: their places from 0.
        index: the index of the pandas frame or column that they come from.
        values: of each text; the highest of a group is kept.
        lowest: find pairs down to this cosine, so that :meth:`Deduped.rethreshold` need not search again;
            given up where these are too many.
        where: the workplace, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: there are not as many vectors, ids or values as texts.
        ModelError: there is no such encoder.
        PromiseError: it has no threshold for the wanted precision.
        DataError: there is no text, vectors have no finite numbers, or more pairs are similar than can be
            held, and the options ask for all.
    """
    options = options or DedupeOptions()
    check_where(**where)
    for name, given in (("ids", ids), ("values", values)):
        if given is not None and len(given) != len(texts):
            raise invalid(name, f"{len(given):,} values", expected=f"{len(texts):,}, one per text")
    names = tuple(range(len(texts)) if ids is None else ids)
    encoder: Encoder | None
    if embeddings is None:
        encoder = encoder_of(model)
        vectors: Encoder | NDArray[Any] | Path | str = in_precision(encoder, "auto", texts)[0]
    else:
        encoder, vectors = None if model is None else encoder_of(model), embeddings
    cut = cut_of(options, encoder, model=model)  # before hours of work
    long = options.long or _usual(encoder)
    with engine_of(**where) as engine:
        read = embedded(
            texts, vectors, ids=[*map(str, names)], long=long, unknown=options.unknown, engine=engine
        )
        distincts = distinct(read, options.equal)
        guards = ChosenGuards.of(options.guards, distincts.texts)
        came = _Came(names, index, tuple(texts), distincts, Lengths.of(texts), guards, values, read.coverage)
        found = _search(came, cut.value, cut.value if lowest is None else lowest, options, engine)
    return _decide(came, found, cut, options)


def _usual(encoder: Encoder | None) -> LongTexts:
    """The default for long texts: windows, where all of each text would be read anyway."""
    most = getattr(encoder, "max_tokens", 0)  # an encoder of the user's own may not say
    return LongTexts.WINDOWS if most is None else LongTexts.WITHHOLD


def cut_of(
    options: DedupeOptions, encoder: Encoder | None, *, model: str | Path | Encoder | None
) -> SourcedThreshold:
    """The threshold that is wanted.

    Args:
        options: the options, which may give it.
        encoder: whose own it may be; None if vectors come from elsewhere.
        model: the encoder as the user names it, which a decision must be for.

    Raises:
        UsageError: a decision is given, and not the model of the vectors.
        DataError: the decision can't be read.
        PromiseError: a precision is wanted, and no threshold was fitted for it.
    """
    decided = None
    if options.decision is not None:
        if encoder is None:
            raise required("model", by="`decision`, with `embeddings`,")
        decided = decision_of(options.decision, model)
    chosen = settle_limits(
        PairLimits(threshold=options.threshold, precision=options.precision), encoder, decided=decided
    )
    if chosen.limit is not None:
        return SourcedThreshold(NOT_FITTED_THRESHOLD, "default", _UNKNOWN, fitted=False)
    if options.threshold is not None:
        return SourcedThreshold(chosen.threshold, chosen.words, _UNKNOWN, fitted=False)
    return SourcedThreshold(chosen.threshold, chosen.words)


def _search(
    came: _Came, threshold: float, lowest: float, options: DedupeOptions, engine: WorkEngine = THIS_MACHINE
) -> Similar:
    """Pairs down to a threshold, or lower if that is wanted and there are not too many.

    If there are too many at the threshold, only those that decide, if the options allow this.
    """
    texts, guards = came.distinct, came.guards.names
    least = max(min(lowest, threshold), -1.0)
    found = similar(
        texts, least, guards=guards, lexical=options.lexical, shingles=options.shingles, engine=engine
    )
    if found.lowest <= threshold:
        return found
    if asking := _asking_for_all(options):
        enough = ceil(found.lowest * 1000) / 1000
        raise DataError(
            f"more than {MOST_PAIRS:,} pairs are similar from {threshold:g} on",
            fix=f"leave out {' and '.join(asking)}"
            + (f", or raise the threshold to {enough:g}" if enough <= 1 else ""),
        )
    rank = _preference(came, options, _NO_PAIRS).rank
    return deciding(
        texts, threshold, np.argsort(rank[_best_place(texts, rank)]), guards=guards, engine=engine
    )


def _asking_for_all(options: DedupeOptions) -> list[str]:
    """The options that need all similar pairs, not only those with kept texts."""
    asking = {
        f"linkage {options.linkage}": options.linkage is not Linkage.REPRESENTATIVE,
        f"keep {options.keep}": options.keep is KeepRule.CENTRAL,
        f"most {options.most}": options.most is not None,
        f"lexical {options.lexical}": options.lexical is not None,
    }
    return [words for words, asks in asking.items() if asks]


def _decide(came: _Came, found: Similar, cut: SourcedThreshold, options: DedupeOptions) -> Deduped:
    texts = came.distinct
    edges, forbidden, withheld = found.at(cut.value)
    pairs = texts.places(edges)
    preference = _preference(came, options, pairs)
    best = _best_place(texts, preference.rank)
    nodes = np.argsort(np.argsort(preference.rank[best]))
    chosen = group(edges, nodes, linkage=options.linkage, most=options.most)
    stays = best[chosen[texts.node]]
    return Deduped(
        stays=stays,
        similarity=_similarity(texts, edges, texts.node, texts.node[stays]),
        pairs=pairs,
        forbidden=texts.places(forbidden),
        withheld=texts.places(withheld),
        cut=cut,
        options=options,
        preference=preference,
        similar=found,
        _came=came,
    )


def _preference(came: _Came, options: DedupeOptions, pairs: Edges) -> KeepPreference:
    return preferred(options.keep, came.lengths, came.distinct.ties, edges=pairs, values=came.values)


def _best_place(texts: Distinct, rank: Numbers) -> Numbers:
    """For each different text the place of the one to prefer among equal ones. Shape [different texts]."""
    order = np.argsort(rank, kind="stable")
    best = np.full(len(texts), -1, dtype=np.int64)
    # Of several writes to one place the last one holds, so the preferred one comes last.
    best[texts.node[order[::-1]]] = order[::-1]
    return best


def _similarity(texts: Distinct, edges: Edges, ours: Numbers, theirs: Numbers) -> NDArray[np.float32]:
    """Similarity of each text to the one kept for it, taken from their pair if there is one."""
    found = np.ones(len(ours), dtype=np.float32)
    moved = np.flatnonzero(ours != theirs)
    keys = pair_keys(edges.a, edges.b, len(texts))
    wanted = pair_keys(ours[moved], theirs[moved], len(texts))
    order = np.argsort(keys)
    near = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
    listed = keys[order[near]] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
    found[moved[listed]] = edges.score[order[near[listed]]]
    found[moved[~listed]] = texts.scores(ours[moved[~listed]], theirs[moved[~listed]])
    return found
