from dataclasses import replace
from pathlib import Path

import pytest

import textkin as tk
from textkin.choice_records import ChoiceQuestion, ChoiceSet
from textkin.choosers.question_answer import QuestionAnswerChooser, Scale
from textkin.errors import DataError, UsageError
from textkin.evaluation.test_set import Sampling
from textkin.tasks.evaluate.corpora import Corpora, LookedUp

EXAM = ChoiceSet(
    (
        ChoiceQuestion("1", "What makes ice melt in spring?", ("a bird", "the heat", "a song"), answer=1),
        ChoiceQuestion("2", "Who sings in the old trees at night?", ("a bird", "stones", "heat"), answer=0),
    ),
    "exam",
)
CARDS = [
    ("1", "What melts the ice?", "the heat of the sun"),
    ("2", "Who sings at night?", "a bird in the trees"),
    ("3", "who SINGS in the old trees at night", "stones"),  # of the exam, with a wrong answer
]


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    path = tmp_path / "cards.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in CARDS))
    return path


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "a.tsv").write_text(
        "id\tsentence\n1\tThe heat of spring makes ice melt.\n2\tA bird sings at night.\n"
    )
    (folder / "LICENSE.txt").write_text("Who sings? Stones sing.\n")
    return folder


def options(**given):
    return tk.Options(baselines=("first",), sampling=Sampling(50, 50), corpora=Corpora(**given))


def test_questions_of_the_exam_are_left_out_of_the_corpus(cards):
    found = tk.choose(EXAM, method="lucene", explain=2, options=options(corpus=(cards,)))
    assert [one.letter for one in found.choices] == ["B", "A"]
    said = "1 of them, which are 1 questions of the exam word for word or nearly, were left out"
    assert said in found.notes[0]
    assert found.notes[0] in found.measured.notes
    sources = {vote.source for one in found.explanations for choice in one.choices for vote in choice.votes}
    assert sources == {"cards.tsv:1", "cards.tsv:2"}
    kept = tk.choose(EXAM, method="lucene", options=options(corpus=(cards,), keep_leaks=True))
    assert [one.letter for one in kept.choices] == ["B", "B"]
    assert "were kept" in kept.notes[0]
    names = [row.name for row in found.measured.systems.rows]
    assert names == ["first", "lucene"]


def test_lucene_stands_beside_other_systems_where_there_is_a_corpus(cards):
    chosen = tk.Options(sampling=Sampling(50, 50), corpora=Corpora(corpus=(cards,)))
    rows = {row.name for row in tk.evaluate(EXAM, model="tfidf", options=chosen).systems.rows}
    assert {"lucene", "lucene-best-pair", "tfidf", "popular"} <= rows


def test_any_scorer_compares_questions_and_answers(cards):
    chooser = LookedUp(EXAM, Corpora(corpus=(cards,), question_scorer="bm25", answer_scorer="default"))
    found = chooser.chooser("lucene")
    assert isinstance(found, QuestionAnswerChooser)
    assert found.name == "bm25+default"
    assert found.choose(EXAM.questions).shape == (2, 3)
    # What can't search a corpus judges what Lucene's score finds there.
    judged = LookedUp(EXAM, Corpora(corpus=(cards,), question_scorer="random")).chooser("lucene")
    assert judged.voting.retriever is not None
    assert judged.voting.question_scale is Scale.LOGISTIC


def test_the_best_sentence_supports_a_choice(facts):
    chosen = options(support=(facts,))
    found = tk.choose(EXAM, method="support:bm25", explain=1, options=chosen)
    assert [one.letter for one in found.choices] == ["B", "A"]
    assert found.explanations[0].choices[1].votes[0].source == "a.tsv:1"
    judged = tk.choose(EXAM, method="support:random", options=chosen)  # ranks nothing, judges what is found
    assert judged.measured is not None


def test_questions_that_bring_their_support():
    own = ChoiceSet(tuple(replace(one, support=("Ice melts in the heat.",)) for one in EXAM))
    assert tk.choose(own, method="support:tfidf", options=options()).choices[0].letter == "B"


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("lucene", {}, "looks up questions with their answers; give files of them with --corpus"),
        ("lucene-best-pair", {}, "give files of them with --corpus"),
        ("support:bm25", {}, "has nothing to look in"),
    ],
)
def test_what_is_missing_is_said(method, given, message):
    with pytest.raises(UsageError, match=message):
        tk.choose(EXAM, method=method, options=options(**given))


def test_wrong_corpora(tmp_path, cards, facts):
    with pytest.raises(UsageError, match="no model directory 'nothing'"):
        tk.choose(EXAM, method="support:nothing", options=options(support=(facts,)))
    with pytest.raises(UsageError, match="0 questions vote"):
        Corpora(k=0)
    with pytest.raises(DataError, match="holds no file called"):
        tk.choose(EXAM, method="support:bm25", options=options(support=(tmp_path / "..",)))
    with pytest.raises(UsageError, match="tfidf looks nothing up"):
        tk.choose(EXAM, method="tfidf", explain=1, options=options())
    only = ChoiceSet((ChoiceQuestion("1", CARDS[0][1], ("a", "b")),), "exam")
    alone = tmp_path / "alone.tsv"
    alone.write_text("\t".join(CARDS[0]) + "\n")
    with pytest.raises(DataError, match="holds no question with its answer"):
        tk.choose(only, method="lucene", options=options(corpus=(alone,)))
