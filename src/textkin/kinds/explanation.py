"""Explanations of scores by contributions of token pairs, or by leaving words out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.files import write_json, write_text
from textkin.base.python_inputs import texts_of
from textkin.base.results import Result, ResultRow
from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.data.attention_map import AttentionMap
from textkin.data.protocols import Classifier, Scorer, System, gives_classes
from textkin.data.readers.row_pairs import require_filled
from textkin.data.token_attributions import AddsUp, TokenShares
from textkin.kinds.reproduction import how_made
from textkin.kinds.systems import AnyModel, resolve, takes_frequencies
from textkin.report.attention_page import TextMaps, attention_path, explanation_page
from textkin.text.baselines.leave_one_out import LeftOut, ScorePairs, left_out
from textkin.text.baselines.user_objects import given
from textkin.text.truncation_account import Truncation, truncation_of_pairs
from textkin.vectors.unknown_token_report import Coverage, coverage_of

EXACT, LEFT_OUT = "shares", "leave-one-out"

_SHOWN_PAIRS = 5
_BAR = 10  # characters of the longest bar


@dataclass(frozen=True, slots=True)
class TokenWeight:
    """A token's contribution to a score.

    Attributes:
        token: the token as in the text, or its name.
        weight: its contribution to the score, or the drop of the score without it.
    """

    token: str
    weight: float


@dataclass(frozen=True, slots=True, repr=False)
class Explained(Result):
    """An explanation of the score of two texts.

    Attributes:
        model: the model's name in tables.
        first: the first text.
        second: the second text.
        score: the score of the two.
        of_what: the explained quantity: "score", or "probability of CLASS".
        method: "shares" if the weights of each text sum to the score, "leave-one-out" if they are drops of
            the score without a word.
        first_tokens: the first text's tokens, in order.
        second_tokens: the second text's tokens.
        shares: the contributions of token pairs; None if the score isn't a sum over them.
        coverage: the model's vocabulary coverage of the texts.
        truncation: the truncation of the texts; None if unknown.
        notes: remarks for readers.

    Example:
        >>> import textkin as tk
        >>> found = tk.explain("opening hours", "When do you open?")
        >>> found.method, abs(found.shares.score - found.score) < 1e-6
        ('shares', True)
    """

    model: str
    first: str
    second: str
    score: float
    of_what: str
    method: str
    first_tokens: tuple[TokenWeight, ...]
    second_tokens: tuple[TokenWeight, ...]
    shares: TokenShares | None
    coverage: Coverage
    truncation: Truncation | None = None
    notes: tuple[str, ...] = ()

    def pairs(self, most: int) -> list[tuple[str, str, float]]:
        """The token pairs with the largest contributions, of either sign; none if there are none."""
        if self.shares is None:
            return []
        found = self.shares
        flat = found.shares.ravel()
        places = np.argsort(-np.abs(flat), kind="stable")[:most]
        cells = (divmod(int(place), len(found.second)) for place in places)
        return [
            (found.first[row], found.second[column], float(found.shares[row, column]))
            for row, column in cells
            if found.shares[row, column]
        ]

    def write(self, path: Path | str) -> Path:
        """Write a page of heat maps, or all numbers as JSON.

        Args:
            path: a file ending in .html or .json.

        Raises:
            UsageError: it has another ending.
            OutputError: it can't be written.
        """
        target = attention_path(path)
        if target.suffix.lower() == ".json":
            write_json(target, self.to_dict())
        else:
            report = TextMaps(
                model=self.model,
                first=self.first,
                second=self.second,
                maps=tuple(self._maps()),
                made=how_made("score", models={self.model: [self.model]}),
            )
            write_text(target, explanation_page(report, self.sentence()))
        return target

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values, with all digits."""
        return {
            "kind": "explanation",
            "format": 1,
            "model": self.model,
            "first": self.first,
            "second": self.second,
            "of": self.of_what,
            "score": self.score,
            "method": self.method,
            "first_tokens": [{"token": one.token, "weight": one.weight} for one in self.first_tokens],
            "second_tokens": [{"token": one.token, "weight": one.weight} for one in self.second_tokens],
            "shares": None if self.shares is None else self.shares.shares.tolist(),
            "notes": list(self.notes),
        }

    def text(self) -> str:
        """The tokens' weights, and the five pairs with the largest contributions."""
        return explanation_tables(self, top=_SHOWN_PAIRS)

    def as_dict(self) -> dict[str, Any]:
        """The JSON values of :meth:`to_dict`."""
        return self.to_dict()

    def sentence(self) -> str:
        """A sentence that explains the numbers."""
        if self.method == EXACT:
            return f"The shares of all pairs of tokens sum to the {self.of_what}, {self.score:.4f}."
        return (
            f"The {self.of_what} is {self.score:.4f}. It is not a sum over words: each weight is what it "
            "loses if this word alone is left out."
        )

    def _maps(self) -> Iterator[AttentionMap]:
        if self.shares is not None:
            shares = self.shares.shares.astype(np.float32)
            yield AttentionMap("shares of the score", self.shares.first, self.shares.second, shares)
        what = "its tokens' shares" if self.shares is not None else "what the score loses without each word"
        for which, tokens in (("first", self.first_tokens), ("second", self.second_tokens)):
            weights = np.array([[one.weight for one in tokens]], dtype=np.float32)
            names = tuple(one.token for one in tokens)
            yield AttentionMap(f"{which} text: {what}", ("weight",), names, weights.reshape(1, len(names)))

    def _rows(self) -> Iterator[ResultRow]:
        """One row per token, in text order."""
        for which, tokens in (("first", self.first_tokens), ("second", self.second_tokens)):
            for one in tokens:
                yield {"text": which, "token": one.token, "weight": one.weight}

    def _said(self) -> tuple[str, ...]:
        return (f"{self.model}: {self.sentence()}", *self.notes)


def explain(
    model: AnyModel,
    first: str,
    second: str,
    *,
    fit_texts: Sequence[str] = (),
    vectors: Path | None = None,
    seed: int = 0,
) -> Explained:
    """Explain a score by the words of two texts.

    Static embeddings, TF-IDF, BM25, networks that sum token vectors, and late interaction have an exact
    contribution for each pair of tokens. For every other model, each word is left out in turn.

    Args:
        model: a model folder, the name of a cached model, a baseline, or an object.
        first: a text.
        second: the text to compare it with.
        fit_texts: the source of a baseline's word frequencies; the two texts if empty.
        vectors: word vectors for the baseline mean-vectors.
        seed: the seed of the baseline random.

    Raises:
        UsageError: a text is blank, or there is no such folder or baseline.
        ModelError: the folder can't be read.
    """
    first, second = texts_of([first, second])
    require_filled(first, second)
    notes: tuple[str, ...] = ()
    if not fit_texts and takes_frequencies(model):
        more = spelt("give more of them with `fit`")
        notes = (f"{model} takes its word frequencies from these two texts; {more}",)
    texts = list(dict.fromkeys((first, second)))  # each once, as where they are scored
    system = system_of(model, fit_texts=list(fit_texts) or texts, vectors=vectors, seed=seed)
    coverage = coverage_of(system, texts)
    return Explained(
        **_explained(system, first, second),
        model=system.name,
        first=first,
        second=second,
        coverage=coverage,
        truncation=truncation_of_pairs(system, [(first, second)]),
        notes=notes,
    )


def system_of(model: AnyModel, *, fit_texts: Sequence[str], vectors: Path | None, seed: int) -> System:
    """A scorer, or an object that predicts classes only."""
    found = model if isinstance(model, str | Path) else given(model)
    if isinstance(found, Classifier) and not isinstance(found, Scorer):
        return found
    return resolve(found, fit_texts=fit_texts, vectors=vectors, seed=seed)


def shares_of(system: Any, first: str, second: str) -> TokenShares | None:
    """The exact contribution of each token pair; None if the score isn't a sum over them."""
    if isinstance(system, AddsUp) and system.adds_up:
        return TokenShares.of(system.addends(first), system.addends(second, second=True))
    shares = getattr(system, "shares", None)
    return None if shares is None else shares(first, second)


def score_function(system: Any, first: str, second: str) -> tuple[ScorePairs, str]:
    """The explained quantity as a function of pairs, and its name.

    For a classifier, it is the probability of the class it predicts for the two.
    """
    if gives_classes(system):
        likeliest = int(np.argmax(system.classify([(first, second)])[0]))

        def probability(pairs: Sequence[tuple[str, str]]) -> Floats32:
            return np.asarray(system.classify(pairs))[:, likeliest]

        return probability, f"probability of {system.labels[likeliest]}"
    return system.score, "score"


def _explained(system: Any, first: str, second: str) -> dict[str, Any]:
    shares = shares_of(system, first, second)
    if shares is None:
        score, what = score_function(system, first, second)
        found = left_out(score, first, second)
        return {
            "score": found.score,
            "of_what": what,
            "method": LEFT_OUT,
            "shares": None,
            **_tokens(found),
        }
    return {
        "score": float(system.score([(first, second)])[0]),
        "of_what": "score",
        "method": EXACT,
        "shares": shares,
        **_tokens(shares),
    }


def _tokens(found: TokenShares | LeftOut) -> dict[str, tuple[TokenWeight, ...]]:
    return {
        f"{which}_tokens": tuple(
            TokenWeight(token, weight) for token, weight in zip(tokens, weights.tolist(), strict=True)
        )
        for which, tokens, weights in (
            ("first", found.first, found.of_first),
            ("second", found.second, found.of_second),
        )
    }


def explanation_tables(found: Explained, *, top: int) -> str:
    """The tokens' weights side by side, and the ``top`` pairs with the largest contributions."""
    header = ("first text", "weight", "", "second text", "weight", "")
    parts = [
        f"{found.model}: {found.sentence()}",
        text_table(header, list(_side_by_side(found)), width=None),
    ]
    if largest := found.pairs(top):
        rows = [(first, second, f"{share:+.4f}") for first, second, share in largest]
        parts.append(text_table(("first", "second", "share"), rows, width=None))
    return "\n\n".join(parts)


def word_table(words: Sequence[TokenWeight]) -> str:
    """The contribution of each word of a query."""
    largest = max((one.weight for one in words), default=0.0)
    return text_table(("word", "adds", ""), [_cells(one, largest) for one in words], width=None)


def _side_by_side(found: Explained) -> Iterator[tuple[str, ...]]:
    both = (*found.first_tokens, *found.second_tokens)
    largest = max((abs(one.weight) for one in both), default=0.0)
    for pair in zip_longest(found.first_tokens, found.second_tokens):
        yield tuple(cell for one in pair for cell in _cells(one, largest))


def _cells(one: TokenWeight | None, largest: float) -> tuple[str, str, str]:
    if one is None:
        return "", "", ""
    length = round(abs(one.weight) / largest * _BAR) if largest else 0
    return one.token, f"{one.weight:+.4f}", ("+" if one.weight > 0 else "-") * length
