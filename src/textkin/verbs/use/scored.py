"""Scores of pairs by any model or baseline, with decisions where the model can decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Bools, Floats, Floats32
from textkin.base.column_results import ColumnResult
from textkin.base.counts import count
from textkin.base.errors import ModelError, inapplicable
from textkin.base.extras import imported
from textkin.base.parquet_files import Cell
from textkin.base.paths import shown_output
from textkin.base.results import Printed, ResultRow, Summary
from textkin.base.spelling import spelt
from textkin.base.table_writer import Rounded, written_table
from textkin.base.text_table import text_table
from textkin.data.protocols import gives_classes
from textkin.kinds.explanation import system_of
from textkin.kinds.systems import AnyModel, takes_frequencies
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.measures.decisions.user_thresholds import NOT_FITTED, check_threshold, decide
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.models.passports.making import decision_beside
from textkin.models.provenance import folder_of, hash_of_scorer
from textkin.text.baselines import with_analyser
from textkin.text.baselines.analysers import PLAIN
from textkin.text.truncation_account import Truncation, truncation_of_pairs
from textkin.vectors.unknown_token_report import Coverage, coverage_of

if TYPE_CHECKING:
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts
    from textkin.models.passports.document import PassportDecision


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scored(ColumnResult):
    """Scores with their probabilities and decisions; an array in comparisons, arithmetic and frames.

    Attributes:
        model: the scorer's name in tables.
        scores: shape [pairs], higher is more similar.
        probabilities: that each pair is the same, if the model is calibrated. Shape [pairs].
        decided: True for duplicates, if there is a threshold; masked where pairs weren't compared. Shape
            [pairs].
        threshold: the minimum score of duplicates: as it was given, or else the model's own, if
            it has one.
        coverage: the fraction of the distinct texts that the model knows; baselines know all.
        truncation: number of texts longer than the model's maximum; None if unknown.
        texts: the pairs.
        notes: notes on the scores.
        threshold_fitted: True if the threshold was fitted on labelled pairs; None if there is none.
        places: the number of each pair's row in its file, or its place, from 1.
        index: the index of the frame or column that was given.
        classes: the most probable class of each pair, of a model that gives classes; the score is its
            probability then.

    Example:
        >>> import textkin as tk
        >>> found = tk.score([("one", "one"), ("one", "two")])
        >>> found.scores.shape, (found > 0.99).tolist(), found.same is None
        ((2,), [True, False], True)
    """

    model: str
    scores: Floats32
    coverage: Coverage
    probabilities: Floats | None = None
    decided: Bools | None = None
    threshold: float | None = None
    truncation: Truncation | None = None
    texts: Sequence[tuple[str, str]] = ()
    notes: tuple[str, ...] = ()
    threshold_fitted: bool | None = None
    places: Sequence[int] = ()
    index: Any = field(default=None, repr=False)
    classes: Sequence[str] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scores, [pairs]."""
        return self.scores.shape

    @property
    def same(self) -> Any:
        """True for duplicates, if there is a threshold. Shape [pairs].

        Pairs that weren't compared are missing: in a masked array, or for a frame of pandas in its array of
        nullable booleans, so that both ``frame[found.same]`` and ``frame[~found.same]`` leave them out.
        """
        if self.index is None or not np.ma.isMaskedArray(self.decided):
            return self.decided
        return imported("pandas", extra="pandas").arrays.BooleanArray(self.decided.data, self.decided.mask)

    def _column(self) -> Floats32:
        return self.scores

    def _index(self) -> Any:
        return self.index

    def _summary(self) -> str:
        return ", ".join([f"{count(len(self.scores), 'pair')}, {self.model}", *self._threshold_sentence()])

    def _columns(self) -> Sequence[str]:
        some = {"class": self.classes or None, "probability": self.probabilities, "same": self.decided}
        return "text_a", "text_b", "score", *(name for name, values in some.items() if values is not None)

    def _rows(self) -> Iterator[ResultRow]:
        """One row per pair, with all outputs of the model."""
        _, _, *names = self._columns()
        for place, one in enumerate(self.figures()):
            a, b = self.texts[place] if self.texts else ("", "")
            yield {"text_a": a, "text_b": b, **{name: one[name] for name in names}}

    def _count(self) -> int:
        return len(self.scores)

    @property
    def threshold_words(self) -> str:
        """The threshold, and whether it is fitted; "" if there is none."""
        if self.threshold is None:
            return ""
        return f"{self.threshold:.4f}" + ("" if self.threshold_fitted else f" ({NOT_FITTED})")

    def _threshold_sentence(self) -> tuple[str, ...]:
        return () if self.threshold is None else (f"threshold {self.threshold_words}",)

    def _said(self) -> tuple[str, ...]:
        return (", ".join([f"scores of {self.model}", *self._threshold_sentence()]), *self.notes)

    def about(self) -> dict[str, Any]:
        """The entries of the JSON object that hold for all pairs."""
        names = ("model", "threshold", "threshold_fitted", "truncation", "coverage")
        return {name: getattr(self, name) for name in names}

    def figures(self) -> Iterator[dict[str, Any]]:
        """The score, probability and decision of each pair; None where the model gives none."""
        same = [None] * len(self) if self.decided is None else self.decided.tolist()  # None if masked
        for place, score in enumerate(self.scores.tolist()):
            yield {
                "score": score,
                "probability": None if self.probabilities is None else float(self.probabilities[place]),
                "same": same[place],
                **({"class": self.classes[place]} if self.classes else {}),
            }

    def as_dict(self) -> dict[str, Any]:
        """The model and its threshold, and the scores by row."""
        return {
            **self.about(),
            "pairs": [{"row": row, **one} for row, one in zip(self.places, self.figures(), strict=True)],
        }

    def as_lines(self) -> tuple[Sequence[str], Iterator[Sequence[Cell]]]:
        """The texts and the scores."""
        return self.header(), self.lines()

    def header(self) -> list[str]:
        """The names of the columns of a file."""
        names = ["row", "text_a", "text_b", "score"]
        names += ["class"] if self.classes else []
        names += [] if self.probabilities is None else ["probability"]
        if self.decided is None:
            return names
        return [*names, "decision" if self.threshold_fitted else f"decision ({NOT_FITTED})"]

    def lines(self) -> Iterator[list[Cell]]:
        """The cells of a file; those of pairs that were not compared are missing."""
        for row, (a, b), one in zip(self.places, self.texts, self.figures(), strict=True):
            cells: list[Cell] = [row, a, b, _number(one["score"])]
            if "class" in one:
                cells.append(one["class"])
            if self.probabilities is not None:
                cells.append(_number(one["probability"]))
            if self.decided is not None:
                cells.append(None if one["same"] is None else decision_word(one["same"]))
            yield cells


def _number(value: float) -> Rounded | None:
    return None if isnan(value) else Rounded(value)


def among(
    found: Scored, kept: Sequence[int], texts: Sequence[tuple[str, str]], places: Sequence[int]
) -> Scored:
    """The scores at the places of the pairs that were kept; NaN, no class and masked decisions for others."""
    scores = np.full(len(texts), np.nan, dtype=np.float32)
    scores[list(kept)] = found.scores
    probabilities = None if found.probabilities is None else np.full(len(texts), np.nan)
    decided = (
        None if found.decided is None else np.ma.MaskedArray(np.zeros(len(texts), dtype=np.bool_), mask=True)
    )
    for values, own in ((probabilities, found.probabilities), (decided, found.decided)):
        if values is not None:
            values[list(kept)] = own
    named = dict(zip(kept, found.classes, strict=False))
    return replace(
        found,
        scores=scores,
        probabilities=probabilities,
        decided=decided,
        texts=texts,
        places=places,
        classes=[named.get(place, "") for place in range(len(texts))] if named else (),
    )


def decision_word(same: bool) -> str:
    """The word for a decision."""
    return "same" if same else "different"


class Score(float, Printed):
    """The score of two texts: a number that knows its model, probability and decision.

    Attributes:
        scored: the result of the pair.

    Example:
        >>> import textkin as tk
        >>> found = tk.score("Hello!", "Hello!")
        >>> found == 1.0, found.scored.model, found.same
        (True, 'default', None)
    """

    __slots__ = ("scored",)

    scored: Scored

    def __new__(cls, scored: Scored) -> Score:
        """Make the number of the only score."""
        found = super().__new__(cls, scored.scores[0])
        found.scored = scored
        return found

    def __getnewargs__(self) -> tuple[Scored]:  # type: ignore[override]
        return (self.scored,)

    @property
    def probability(self) -> float | None:
        """The probability that the texts mean the same, of a calibrated model."""
        return next(self.scored.figures())["probability"]

    @property
    def same(self) -> bool | None:
        """The decision, where there is a threshold."""
        return next(self.scored.figures())["same"]

    def text(self) -> str:
        """A table of one row."""
        cells = {"model": self.scored.model, "score": f"{self:.4f}"}
        if self.scored.classes:
            cells["class"] = self.scored.classes[0]
        if self.probability is not None:
            cells["probability"] = f"{self.probability:.3f}"
        if self.same is not None:
            cells |= {"threshold": self.scored.threshold_words, "decision": decision_word(self.same)}
        return text_table(tuple(cells), [tuple(cells.values())])

    def as_dict(self) -> dict[str, Any]:
        """The model and its threshold, and the score."""
        return {**self.scored.about(), **next(self.scored.figures())}


@dataclass(frozen=True, slots=True, repr=False)
class ScoredFile(Summary):
    """A file of scored pairs.

    Attributes:
        out: the file.
        scored: its scores.

    Example:
        >>> import textkin as tk
        >>> made = tk.score([("Hello!", "Hello!")], out="scored.tsv")
        >>> made.out.name, len(made.scored)
        ('scored.tsv', 1)
    """

    out: Path
    scored: Scored

    @classmethod
    def write(cls, out: Path, scored: Scored) -> ScoredFile:
        """Write scored pairs, completely or not at all.

        Raises:
            OutputError: they can't be written.
        """
        with written_table(out, scored.header()) as writer:
            writer.write(scored.lines())
        return cls(out, scored)

    def _rows(self) -> Iterator[ResultRow]:
        yield {"model": self.scored.model, "pairs": len(self.scored), "out": self.out}

    def text(self) -> str:
        """The number of pairs, and the file's name."""
        row = (self.scored.model, f"{len(self.scored):,}", shown_output(self.out))
        return text_table(("model", "pairs", "written to"), [row])

    def as_dict(self) -> dict[str, Any]:
        """The model and its threshold, the number of pairs and the file."""
        return {**self.scored.about(), "count": len(self.scored), "out": self.out}


def score_pairs(
    model: AnyModel,
    pairs: Sequence[tuple[str, str]],
    *,
    fit_texts: Sequence[str] | None = None,
    vectors: Path | None = None,
    seed: int = 0,
    analyser: str = PLAIN,
    decision: Path | str | float | None = None,
    places: Sequence[int] | None = None,
    index: Any = None,
) -> Scored:
    """Score pairs of texts.

    Args:
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        pairs: the texts.
        fit_texts: source of a baseline's word frequencies; the pairs' own texts if None.
        vectors: for the baseline mean-vectors.
        seed: seed of the baseline random.
        analyser: analyser of tfidf and bm25: plain, or a language whose words they stem.
        decision: a file of ``calibrate`` for this scorer, or a threshold of the user's, instead of what is
            saved with the model.
        places: the number of each pair's row; counted from 1 if None.
        index: the index of the frame of the pairs.

    Raises:
        UsageError: there is neither a folder nor a baseline of that name, it does not read by an analyser, or
            the threshold is not a finite number.
        ModelError: the folder can't be read, or the decision was made for another model or other texts.
        DataError: the decision can't be read.
    """
    given = None if decision is None or isinstance(decision, str | Path) else check_threshold(decision)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    notes: tuple[str, ...] = ()
    if fit_texts is None:
        if len(pairs) == 1 and takes_frequencies(model):
            notes = (
                f"{model} takes its word frequencies from these two texts; "
                + spelt("give more of them with `fit`"),
            )
        fit_texts = texts
    (model,) = with_analyser([model], analyser)
    scorer: Any = system_of(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
    saved: ModelFacts | SavedEnsemble | PassportDecision | SavedDecision | None = _saved_with(scorer)
    if isinstance(decision, str | Path):
        saved = SavedDecision.read(decision)
        if not isinstance(model, str | Path):
            raise ModelError(
                f"{scorer.name} is given as an object, so {decision} may have been made for another model",
                fix="give the model's folder or name",
            )
        own = hash_of_scorer(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
        saved.require(own, path=decision, name=str(model))
    classes: tuple[str, ...] = ()
    if gives_classes(scorer):
        if decision is not None:
            given_as = "threshold" if isinstance(decision, float | int) else "decision"
            raise inapplicable(given_as, to=f"{scorer.name}, which gives classes")
        by_class = np.asarray(scorer.classify(pairs))
        scores = by_class.max(axis=1)
        classes = tuple(scorer.labels[one] for one in by_class.argmax(axis=1))
    else:
        scores = scorer.score(pairs)
    coverage = coverage_of(scorer, texts)
    coverage.tell()
    fitted = None if saved is None or saved.threshold is None else saved.threshold.threshold
    calibration = None if saved is None else saved.calibration
    same = None if fitted is None else fitted.decide(scores)
    if given is not None:
        notes, same = (*notes, *_given_notes(given, fitted)), decide(scores, given)
    cut = given if given is not None else None if fitted is None else fitted.value
    return Scored(
        model=scorer.name,
        scores=scores,
        probabilities=None if calibration is None else calibration.probability(scores),
        decided=same,
        threshold=cut,
        threshold_fitted=None if cut is None else given is None,
        coverage=coverage,
        truncation=truncation_of_pairs(scorer, pairs),
        texts=pairs,
        notes=notes,
        places=range(1, len(pairs) + 1) if places is None else places,
        index=index,
        classes=classes,
    )


def _saved_with(scorer: Any) -> ModelFacts | SavedEnsemble | PassportDecision | None:
    """The source of a threshold and calibration: a scorer's own facts, or a foreign folder's passport."""
    facts, folder = getattr(scorer, "model", None), folder_of(scorer)
    if folder is None or kind_of(folder) in (Kind.TEXTKIN, Kind.ENSEMBLE):
        return facts
    return decision_beside(folder)


def _given_notes(given: float, fitted: Threshold | None) -> Iterator[str]:
    """Notes on decisions at a given threshold."""
    own = "" if fitted is None else f"; the model's own, {fitted.value:.4f}, is left aside"
    yield f"decisions are made at the threshold {given:g}, which was given and is {NOT_FITTED}{own}"
