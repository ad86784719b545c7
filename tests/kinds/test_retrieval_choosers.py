from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from textkin.base.errors import DataError, LeakError, ModelError, UsageError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.readers.from_python import as_loaded
from textkin.data.splits.training_texts import Seen, seen_of
from textkin.kinds.exam_corpora import Corpora
from textkin.kinds.measuring import Options
from textkin.kinds.retrieval_choosers import LookedUp
from textkin.kinds.systems import fetch
from textkin.measures.intervals.sampling import Sampling
from textkin.models.choosers.question_answer import QuestionAnswerChooser, Scale
from textkin.models.choosers.support import SupportChooser
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.verbs.answer.chosen import choose
from textkin.verbs.evaluate.agree import agree
from textkin.verbs.evaluate.comparison import compared

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
    return Options(baselines=("first",), sampling=Sampling(50, 50), corpora=Corpora(**given))


def test_questions_of_the_exam_are_left_out_of_the_corpus(cards):
    found = choose(as_loaded(EXAM), "lucene", show_hits=2, options=options(corpus=(cards,)))
    assert [one.letter for one in found.choices] == ["B", "A"]
    said = "1 of them, which repeat 1 question of the exam exactly or nearly, were left out"
    assert said in found.notes[0]
    assert found.notes[0] in found.measured.notes
    sources = {vote.source for one in found.explanations for choice in one.choices for vote in choice.votes}
    assert sources == {"cards.tsv:1", "cards.tsv:2"}
    kept = choose(as_loaded(EXAM), "lucene", options=options(corpus=(cards,), keep_leaks=True))
    assert [one.letter for one in kept.choices] == ["B", "B"]
    assert "were kept" in kept.notes[0]
    names = [row.name for row in found.measured.systems.rows]
    assert names == ["first", "lucene"]


def test_lucene_stands_beside_other_systems_where_there_is_a_corpus(cards):
    chosen = Options(sampling=Sampling(50, 50), corpora=Corpora(corpus=(cards,)))
    rows = {row.name for row in compared(EXAM, models=["tfidf"], options=chosen).systems.rows}
    assert {"lucene", "lucene-best-pair", "tfidf", "popular"} <= rows


def test_any_scorer_compares_questions_and_answers(cards):
    chooser = LookedUp(EXAM, Corpora(corpus=(cards,), question_scorer="bm25", answer_scorer="default"))
    found = chooser.chooser("lucene")
    assert isinstance(found, QuestionAnswerChooser)
    assert found.name == "bm25+default"
    assert found.choose(EXAM.questions).shape == (2, 3)
    # A model that can't search a corpus rescores Lucene's hits.
    judged = LookedUp(EXAM, Corpora(corpus=(cards,), question_scorer="random")).chooser("lucene")
    assert judged.voting.retriever is not None
    assert judged.voting.question_scale is Scale.CLIPPED


def test_the_best_sentence_supports_a_choice(facts):
    chosen = options(support=(facts,))
    found = choose(as_loaded(EXAM), "support:bm25", show_hits=1, options=chosen)
    assert [one.letter for one in found.choices] == ["B", "A"]
    assert found.explanations[0].choices[1].votes[0].source == "a.tsv:1"
    judged = choose(as_loaded(EXAM), "support:random", options=chosen)  # can't rank, rescores hits
    assert judged.measured is not None


def test_questions_that_bring_their_support():
    own = ChoiceSet(tuple(replace(one, support=("Ice melts in the heat.",)) for one in EXAM))
    assert choose(as_loaded(own), "support:tfidf", options=options()).choices[0].letter == "B"


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("lucene", {}, ("corpus",)),
        ("lucene-best-pair", {}, ("corpus",)),
        ("support:bm25", {}, ("support",)),
    ],
)
def test_what_is_missing_is_said(method, given, message):
    with pytest.raises(UsageError) as error:
        choose(as_loaded(EXAM), method, options=options(**given))
    assert error.value.params == message


def test_wrong_corpora(tmp_path, cards, facts):
    with pytest.raises(ModelError) as error:
        choose(as_loaded(EXAM), "support:nothing", options=options(support=(facts,)))
    assert error.value.value == "nothing"
    with pytest.raises(UsageError) as error:
        Corpora(k=0)
    assert (error.value.params, error.value.value) == (("voters",), 0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError) as error:
        choose(as_loaded(EXAM), "support:bm25", options=options(support=(tmp_path / "empty",)))
    assert str(error.value.path).endswith("empty")
    with pytest.raises(UsageError) as error:
        choose(as_loaded(EXAM), "tfidf", show_hits=1, options=options())
    assert error.value.params == ("show_hits",)
    only = ChoiceSet((ChoiceQuestion("1", CARDS[0][1], ("a", "b")),), "exam")
    alone = tmp_path / "alone.tsv"
    alone.write_text("\t".join(CARDS[0]) + "\n")
    with pytest.raises(DataError, match=r"holds questions of the exam and no others; .*keep_leaks"):
        choose(as_loaded(only), "lucene", options=options(corpus=(alone,)))


def test_what_is_given_for_nothing_is_refused(cards, facts):
    votes = ("question_scorer", "answer_scorer")
    for method, given, params in (
        ("tfidf", {"corpus": (cards,)}, ("corpus",)),
        ("tfidf", {"support": (facts,)}, ("support",)),
        ("tfidf", {"k": 7}, ("voters",)),
        ("lucene-best-pair", {"corpus": (cards,), "question_scorer": "tfidf"}, votes),
        ("support:tfidf", {"support": (facts,), "depth": 5}, ("depth",)),
    ):
        with pytest.raises(UsageError) as error:
            choose(as_loaded(EXAM), method, options=options(**given))
        assert error.value.params == params
        with pytest.raises(UsageError) as error:
            agree(EXAM, models=[method, "first"], options=options(**given))
        assert error.value.params == params
    with pytest.raises(UsageError) as error:
        compared([("a", "b", 1), ("a", "c", 0)], models=["tfidf"], options=options(corpus=(cards,)))
    assert error.value.params == ("corpus", "support")
    with pytest.raises(UsageError) as error:
        agree(EXAM, models=["first", "tfidf"], options=Options(dev=cards))
    assert error.value.params == ("dev",)


def test_a_folder_is_a_corpus_and_an_exam_too(cards, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    cards.rename(folder / "cards.tsv")
    (folder / "exam.jsonl").write_text(
        '{"question": "Who flies by day?", "choices": ["a fish", "a swallow"], "answer": "B"}\n'
    )
    found = choose(as_loaded(EXAM), "lucene", options=options(corpus=(folder,)))
    assert "4 answered questions" in found.notes[0]
    assert "lucene: the 100 most similar questions vote" in found.notes[1]


def test_sentences_are_taken_from_the_column_that_has_them(tmp_path):
    path = tmp_path / "both.tsv"
    path.write_text("id\tquestion\tfact\n1\tWhat makes ice melt?\tThe heat makes ice melt.\n")
    found = choose(as_loaded(EXAM), "support:bm25", show_hits=1, options=options(support=(path,)))
    votes = {vote.text for one in found.explanations for choice in one.choices for vote in choice.votes}
    assert votes == {"The heat makes ice melt."}
    path.write_text("id\tquestion\n1\tWhat makes ice melt?\n")
    with pytest.raises(DataError) as error:
        choose(as_loaded(EXAM), "support:bm25", options=options(support=(path,)))
    assert str(error.value.path).endswith("both.tsv")


def test_what_a_chooser_asks_has_learnt_too(cards, facts):
    class Learnt:
        name = "learnt"

        class model:
            seen = Seen.of([(one.question, one.choices[one.answer]) for one in EXAM])

        def score(self, pairs):
            return np.zeros(len(pairs), dtype=np.float32)

    looked_up = LookedUp(EXAM, Corpora(corpus=(cards,), support=(facts,)))
    chooser = looked_up.chooser("lucene")
    assert seen_of(chooser) is None
    judged = SupportChooser(LuceneClassic.fit(["a fact"]), ["a fact"], judge=Learnt())
    assert seen_of(judged).share([(EXAM.questions[0].question, "the heat")]).learnt == 1
    with pytest.raises(LeakError):
        choose(as_loaded(EXAM), judged, options=options())


def test_a_models_vote_is_no_baseline(cards):
    chosen = Options(baselines=("first",), sampling=Sampling(50, 50), corpora=Corpora(corpus=(cards,)))
    plain = choose(as_loaded(EXAM), "lucene", options=chosen).measured
    assert [row.trained for row in plain.systems.rows if row.name == "lucene"] == [False]


def test_the_analyser_is_heard():
    chosen = Options(baselines=("tfidf",), analyser="english", sampling=Sampling(50, 50))
    found = choose(as_loaded(EXAM), "bm25", options=chosen)
    assert {row.name for row in found.measured.systems.rows} == {"tfidf:english", "bm25:english"}


def test_names_of_choosers_are_never_fetched():
    fetch("lucene", "lucene-best-pair", "longest", "choice-words", "support:tfidf", "support:default")


def test_numbers_of_voters_stand_side_by_side(cards):
    words = ["lucene:1", "lucene:2", "lucene:9", "lucene"]
    looked_up = LookedUp(EXAM, Corpora(corpus=(cards,), k=2))
    one, two, nine, usual = (looked_up.chooser(word) for word in words)
    assert one._retriever is nine._retriever is usual._retriever
    for found, k in ((one, 1), (two, 2), (nine, 9), (usual, 2)):
        alone = QuestionAnswerChooser(looked_up._answers, k=k)
        assert found.choose(EXAM.questions).tolist() == alone.choose(EXAM.questions).tolist()
    assert looked_up.hash_of("lucene:2") == looked_up.hash_of("lucene") != looked_up.hash_of("lucene:9")
    chosen = Options(sampling=Sampling(50, 50), corpora=Corpora(corpus=(cards,)))
    rows = compared(EXAM, models=words[:2], options=replace(chosen, baselines=("lucene:9",))).rows()
    assert {row["system"]: row["kind"].startswith("baseline") for row in rows} == {
        name: True for name in ("lucene:1", "lucene:2", "lucene:9")
    }


def test_a_number_of_sentences_is_for_a_judge(facts):
    looked_up = LookedUp(EXAM, Corpora(support=(facts,)))
    with pytest.raises(UsageError) as error:
        looked_up.chooser("support:tfidf:3")
    assert error.value.value == "support:tfidf:3"
    assert looked_up.hash_of("support:tfidf:3") != looked_up.hash_of("support:tfidf")


def test_no_voter_is_refused(cards):
    with pytest.raises(UsageError) as error:
        LookedUp(EXAM, Corpora(corpus=(cards,))).chooser("lucene:0")
    assert error.value.value == 0


def test_voters_without_plain_lucene_are_refused(cards):
    with pytest.raises(UsageError) as error:
        compared(EXAM, models=["lucene:1"], options=options(corpus=(cards,), k=5))
    assert error.value.params == ("voters",)
