"""Scoring of texts: scores, a file of them, or explanations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.errors import UsageError, conflict, inapplicable
from textkin.base.files import refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.progress import note
from textkin.base.python_inputs import path_of
from textkin.base.table_writer import check_ending
from textkin.data.readers import Reading
from textkin.data.readers.row_pairs import as_pairs, filled, require_filled
from textkin.kinds.explanation import Explained
from textkin.kinds.explanation import explain as explain_pair
from textkin.kinds.systems import AnyModel
from textkin.report.attention_page import attention_path
from textkin.text.baselines import with_analyser
from textkin.text.truncation_account import note_truncation
from textkin.verbs.inputs import fit_texts_from
from textkin.verbs.pair_inputs import PairInput, pairs_from
from textkin.verbs.use.attention import check_attention, write_attention
from textkin.verbs.use.scored import Score, Scored, ScoredFile, among, score_pairs

if TYPE_CHECKING:
    from textkin.verbs.use.faithfulness import Faithfulness

_NOTHING = "give two texts, or `pairs`"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scoring:
    """A user's options of scoring, as :func:`textkin.score` describes them."""

    model: AnyModel
    out: Path | None
    threshold: float | None
    decision: Path | str | None
    fit: Any
    vectors: Path | None
    seed: int
    analyser: str
    attention: Path | None
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    sample: int
    reading: Reading

    def of(
        self, a: Any, b: Any, pairs: Any, *, explain: bool
    ) -> Score | Scored | ScoredFile | Explained | Faithfulness:
        """Score or explain the given texts.

        Raises:
            UsageError: options exclude each other, or there is nothing to compare.
            DataError: a file can't be read.
            ModelError: the model can't be read, or the decision is another's.
            OutputError: a file can't be written.
        """
        self._check(explain=explain)
        given = self._given(a, b, pairs)
        if given.single:
            require_filled(*given.pairs[0])
        if not given.single and self.attention is not None:
            raise inapplicable("attention", to="several pairs", fix="give two texts")
        if explain:
            return self._explained(given)
        if self.out is not None:
            if given.single:
                raise inapplicable("out", to="two texts", fix="leave it out, or give `pairs`")
            if given.source is not None:
                refuse_overwriting([self.out], [given.source])
        found = self._scored(given)
        if self.attention is not None:
            write_attention(
                self.attention, given.pairs[0], model=self.model, layers=self.layers, heads=self.heads
            )
        if given.single:
            return Score(found)
        return found if self.out is None else ScoredFile.write(self.out, found)

    def _check(self, *, explain: bool) -> None:
        if self.threshold is not None and self.decision is not None:
            raise conflict("threshold", "decision")
        check_attention(self.attention, self.layers, self.heads)
        if self.out is not None and not explain:
            check_ending(self.out)
        elif self.out is not None:
            attention_path(self.out)

    def _given(self, a: Any, b: Any, pairs: Any) -> PairInput:
        if pairs is not None:
            if a is not None:
                raise conflict("a", "pairs", fix=_NOTHING)
            return pairs_from(pairs, None, self.reading)
        if a is None or (b is None and isinstance(a, str) and path_of(a, or_text=True) is None):
            raise UsageError("there is nothing to compare", fix=_NOTHING, params=("pairs",))
        return pairs_from(a, b, self.reading)

    def _scored(self, given: PairInput) -> Scored:
        in_rows = given.source is None and not given.single
        kept = filled(given.pairs, "pairs") if in_rows else range(len(given.pairs))
        found = score_pairs(
            self.model,
            [given.pairs[place] for place in kept],
            fit_texts=fit_texts_from(self.fit),
            vectors=self.vectors,
            seed=self.seed,
            analyser=self.analyser,
            decision=self.decision if self.threshold is None else self.threshold,
            places=[given.rows[place] for place in kept],
            index=given.index,
        )
        if len(kept) < len(given.pairs):
            found = among(found, kept, given.pairs, given.rows)
        note_truncation(found.truncation)
        for words in found.notes:
            note(words)
        return found

    def _explained(self, given: PairInput) -> Explained | Faithfulness:
        from textkin.measures.intervals.sampling import Sampling
        from textkin.verbs.use.faithfulness import faithfulness

        (model,) = with_analyser([self.model], self.analyser)
        texts = fit_texts_from(self.fit) or ()
        if given.single:
            found = explain_pair(
                model, *given.pairs[0], fit_texts=texts, vectors=self.vectors, seed=self.seed
            )
            note_truncation(found.truncation)
            found.coverage.tell()
            for words in found.notes:
                note(words)
            if self.out is not None:
                found.write(self.out)
                note(f"written to {shown_output(self.out)}")
            return found
        if self.out is not None:
            raise inapplicable("out", to="explanations of several pairs")
        name = "pairs" if given.source is None else given.source.name
        return faithfulness(
            as_pairs(given.pairs, name=name),
            model=model,
            sample=self.sample,
            fit=texts,
            vectors=self.vectors,
            sampling=Sampling(seed=self.seed),
        )
