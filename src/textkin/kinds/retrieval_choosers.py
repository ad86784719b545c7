"""Choosers that look things up: questions with their answers, and sentences that support a choice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path

from textkin.base.counts import count
from textkin.base.errors import DataError, inapplicable, invalid, required
from textkin.base.files import sha256_of_file, sha256_of_json
from textkin.data.choice_records import (
    BEST_PAIR,
    LOOKING_UP,
    LUCENE,
    SUPPORT,
    ChoiceQuestion,
    ChoiceSet,
    with_number,
)
from textkin.data.protocols import Chooser, Encoder, Scorer
from textkin.data.readers import TextReading, load_texts
from textkin.data.readers.question_answers import read_question_answers
from textkin.data.readers.read_report import note_read
from textkin.data.readers.table import open_table
from textkin.data.readers.text_files import status
from textkin.data.splits.corpus_leaks import corpus_leaks
from textkin.kinds.exam_corpora import TABLES, Corpora, tables_in
from textkin.kinds.systems import AnyModel, ensemble_in, resolve
from textkin.models.choosers.evidence import AnswerCorpus
from textkin.models.choosers.question_answer import BestPairChooser, QuestionAnswerChooser, Scale, Voting
from textkin.models.choosers.support import DEPTH, SupportChooser, sentences_of
from textkin.models.ensembles.ensemble_folder import load_saved
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines.choosers import CHOICE_WORDS, QUESTION_FREE, build_question_free
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.pair_scoring import Lexical

_WITHOUT_QUESTION = (*QUESTION_FREE, CHOICE_WORDS)
_SCORERS = ("question_scorer", "answer_scorer")
_SENTENCES = ("sentence", "fact", "text", "passage")


class LookedUp:
    """The choosers that need more than a scorer: they look things up for an exam, or learn from questions.

    Each corpus is read once, and each chooser is made once.

    Args:
        exam: whose questions are left out of the corpora.
        corpora: the corpora to search.
        learnt: the questions that the baselines without questions count or learn from.
        vectors: for the baseline mean-vectors.
        seed: seed of the baseline random.

    Attributes:
        notes: size of each corpus and removed entries, once it is read.
    """

    def __init__(
        self,
        exam: ChoiceSet,
        corpora: Corpora,
        *,
        learnt: Sequence[ChoiceQuestion] = (),
        vectors: Path | None = None,
        seed: int = 0,
    ) -> None:
        self.exam, self.corpora, self.learnt = exam, corpora, learnt
        self.vectors, self.seed = vectors, seed
        self.notes: list[str] = []
        self._made: dict[str, Chooser] = {}

    def chooser(self, word: str) -> Chooser | None:
        """The chooser of that name, made once; None where it is none of them.

        Raises:
            UsageError: there is no corpus for it, or no such scorer.
            DataError: a corpus can't be read, or there are no answered questions to learn from.
            ModelError: a model can't be read.
        """
        if word not in self._made and (
            word in _WITHOUT_QUESTION or with_number(word)[0] in LOOKING_UP or word.startswith(SUPPORT)
        ):
            self._made[word] = self._chooser(word)
        return self._made.get(word)

    def of_model(self, model: AnyModel) -> LookedUp:
        """The corpora for a model; an ensemble's default is those it was fitted with.

        Raises:
            ModelError: the ensemble can't be read.
        """
        folder = ensemble_in(model) if isinstance(model, str | Path) and not self.corpora.asked() else None
        corpora = Corpora() if folder is None else Corpora.of_ensemble(load_saved(folder), folder)
        if not corpora.asked():
            return self
        found = LookedUp(self.exam, corpora, learnt=self.learnt, vectors=self.vectors, seed=self.seed)
        found.notes = self.notes
        return found

    def _chooser(self, word: str) -> Chooser:
        if word in _WITHOUT_QUESTION:
            return build_question_free(word, questions=self.learnt)
        if word == BEST_PAIR:
            return BestPairChooser(self._answers)
        name, number = with_number(word)
        if name != LUCENE:
            return self._supported(name.removeprefix(SUPPORT), number)
        found = self._by_votes.of(self.corpora.k if number is None else number)
        by_question, by_answer = (
            f"the score of {model}" if model else "Lucene's score"
            for model in (self.corpora.question_scorer, self.corpora.answer_scorer)
        )
        self.notes.append(
            f"{word}: the {found.k:,} most similar questions vote, by {by_question}; their answers are "
            f"compared by {by_answer}"
        )
        return found

    def hash_of(self, word: str) -> str | None:
        """The hash of all that such a chooser depends on beside the exam; None for any other.

        Raises:
            DataError: a file can't be read.
            ModelError: a model can't be read.
        """
        corpora = self.corpora
        name, number = with_number(word)
        if name in LOOKING_UP:
            scorers = (corpora.question_scorer, corpora.answer_scorer) if name == LUCENE else ()
            return sha256_of_json(
                {
                    "chooser": name,
                    "k": (number or corpora.k) if name == LUCENE else None,
                    "corpus": list(map(_sha256, tables_in(corpora.corpus))),
                    "keep_leaks": corpora.keep_leaks,
                    "scorers": [None if one is None else hash_of_scorer(one) for one in scorers],
                }
            )
        if name.startswith(SUPPORT):
            model, depth = hash_of_scorer(name.removeprefix(SUPPORT)), number or corpora.depth
            files = list(map(_sha256, tables_in(corpora.support)))
            made_of = {"support": files, "keep_leaks": corpora.keep_leaks, "model": model}
            return sha256_of_json(made_of if depth == DEPTH else {**made_of, "depth": depth})
        if word == CHOICE_WORDS:
            rows = [[one.question, list(one.choices), one.answer] for one in self.learnt]
            return sha256_of_json({"chooser": word, "questions": rows})
        return sha256_of_json({"baseline": word}) if word in QUESTION_FREE else None

    def require_used(self) -> None:
        """Check that all given corpora were used; called once all choosers exist.

        Raises:
            UsageError: an option had no effect.
        """
        corpora, made = self.corpora, self._made
        judged = any(
            isinstance(one, SupportChooser) and one.judges and with_number(word)[1] is None
            for word, one in made.items()
        )
        names = {with_number(word)[0] for word in made}
        for given, used, options in (
            (corpora.corpus, names & set(LOOKING_UP), ("corpus",)),
            (corpora.support, any(word.startswith(SUPPORT) for word in made), ("support",)),
            (corpora.k != Corpora().k, LUCENE in made, ("voters",)),
            (corpora.question_scorer or corpora.answer_scorer, LUCENE in names, _SCORERS),
            (corpora.depth != DEPTH, judged, ("depth",)),
        ):
            if given and not used:
                raise inapplicable(
                    *options,
                    to="any of these systems",
                    fix=f"leave it out, or add {LUCENE}, {BEST_PAIR} or {SUPPORT}MODEL",
                )

    def _voting(self) -> Voting:
        asked, answers = self.corpora.question_scorer, self.corpora.answer_scorer
        question = None if asked is None else self._scorer(asked, self._answers.questions)
        answer = None if answers is None else self._scorer(answers, self._answers.answers)
        finds = question is None or _ranks(question)
        return Voting(
            question=question,
            retriever=None if finds else LuceneClassic.fit(self._answers.questions),
            answer=answer,
            question_scale=_scale(question),
            answer_scale=_scale(answer),
        )

    @cached_property
    def _by_votes(self) -> QuestionAnswerChooser:
        """``lucene`` with any number of voters, which share its index."""
        return QuestionAnswerChooser(self._answers, voting=self._voting())

    def _supported(self, model: str, depth: int | None) -> SupportChooser:
        ids, texts = self._sentences
        if not texts and not all(one.support for one in self.exam):
            raise required("support", by=f"{SUPPORT}{model}")
        scorer = self._scorer(model, texts or [one for asked in self.exam for one in asked.support])
        if not texts or _ranks(scorer):
            if depth is not None:
                judge = "a model that can't search itself, such as a cross-encoder, and sentences to search"
                raise invalid("models", f"{SUPPORT}{model}:{depth}", expected=judge)
            return SupportChooser(scorer, texts, ids=ids)
        return SupportChooser(
            LuceneClassic.fit(texts),
            texts,
            ids=ids,
            judge=scorer,
            depth=depth if depth is not None else self.corpora.depth,
        )

    def _scorer(self, model: str, texts: Sequence[str]) -> Scorer:
        return resolve(model, fit_texts=list(texts), vectors=self.vectors, seed=self.seed)

    @cached_property
    def _answers(self) -> AnswerCorpus:
        """Questions with their answers, without those of the exam."""
        if not self.corpora.corpus:
            raise required("corpus", by=LUCENE, fix="give files of questions with their answers")
        loaded = read_question_answers(tables_in(self.corpora.corpus))
        for one in loaded:
            note_read(one.report)
        corpus = AnswerCorpus.of(one.data for one in loaded)
        left = self._leaks(corpus.questions, count(len(corpus), "answered question"))
        return corpus.without(left) if left else corpus

    @cached_property
    def _sentences(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Sentences of support with their ids, without those that are questions of the exam."""
        found: dict[str, str] = {}
        for path in tables_in(self.corpora.support):
            loaded = load_texts(path, reading=TextReading(text=_column(path)))
            note_read(loaded.report)
            for name, text in zip(loaded.data.ids, loaded.data.texts, strict=True):
                for sentence in sentences_of([text]):
                    found.setdefault(sentence, f"{path.name}:{name}")
        if not found:
            return (), ()
        texts = tuple(found)
        left = self._leaks(texts, count(len(texts), "sentence") + " of support")
        kept = [place for place in range(len(texts)) if place not in left]
        return tuple(found[texts[place]] for place in kept), tuple(texts[place] for place in kept)

    def _leaks(self, texts: Sequence[str], said: str) -> Collection[int]:
        """The places of entries that are in the exam, counted in a note; none if they are kept."""
        found = corpus_leaks([one.question for one in self.exam], texts)
        if not found.texts:
            self.notes.append(f"corpus: {said}, none of which is in the exam")
            return ()
        done = "kept" if self.corpora.keep_leaks else "left out"
        self.notes.append(
            f"corpus: {said}; {len(found.texts):,} of them, which repeat "
            f"{count(len(found.questions), 'question')} of the exam exactly or nearly, were {done}"
        )
        return () if self.corpora.keep_leaks else found.texts


def _sha256(path: Path) -> str:
    status(path)
    return sha256_of_file(path)


def _column(path: Path) -> str | None:
    """The column of sentences; None where there is but one, or no header.

    Raises:
        DataError: a table has questions and no sentences.
    """
    table = open_table(path) if path.suffix in TABLES else None
    if table is None or table.header is None:
        return None
    names = [name.strip().lower() for name in table.header]
    for name in _SENTENCES:
        if name in names:
            return table.header[names.index(name)]
    if "question" in names:
        raise DataError(
            f"has questions, and no column called {' or '.join(_SENTENCES)}",
            path=path,
            fix="give `support` files of single sentences",
        )
    return None


def _ranks(scorer: Scorer) -> bool:
    """Check whether a scorer can search a corpus by itself."""
    return isinstance(scorer, Encoder | Lexical | LuceneClassic)


def _scale(scorer: Scorer | None) -> Scale:
    """A network that compares two texts gives logits, all others similarities or probabilities."""
    return Scale.LOGISTIC if getattr(scorer, "gives_logits", False) else Scale.CLIPPED
