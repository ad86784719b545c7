"""Rankings, judged."""

from pathlib import Path

import numpy as np
import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.records import Candidates, CandidateSet, Qrels, RetrievalSet
from textkin.kinds.ranking_judge import CandidateJudge, RetrievalJudge
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines import build

SAMPLING = Sampling(20, 99)


def questions(*labels):
    return CandidateSet(
        tuple(
            Candidates(
                f"q{at}",
                f"question {at}",
                tuple(f"d{i}" for i in range(len(row))),
                tuple(f"answer {at} {i}" for i in range(len(row))),
                row,
            )
            for at, row in enumerate(labels)
        ),
        "quiz",
    )


def judge(*labels, measures=()):
    return CandidateJudge(questions(*labels), measures=measures, sampling=SAMPLING)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (((1, 0, 0), (2, 1, 0)), True),
        (((1, 0, 0), (0, 1, 0)), False),
        (((1, 0, 1), (1, 0, 0)), False),
        (((1, 1), (0, 0), (1, 0)), True),  # the first two questions say nothing about the order
        (((1, 1), (0, 0)), False),
    ],
)
def test_a_source_that_lists_its_right_answers_first_is_no_reference(labels, expected):
    made = judge(*labels)
    assert made.lists_answers_first == expected
    assert made.fair(["bm25", "order"]) == (["bm25"] if expected else ["bm25", "order"])
    assert (
        any("quiz lists the right answers of each question first" in one for one in made.notes()) == expected
    )


def test_it_is_measured_all_the_same():
    made = judge((1, 0, 0), (1, 0))
    made.take("order", build("order", fit_texts=["answer"]))
    assert made.value("order") == 1


def test_queries_that_a_run_lacks_are_noted():
    made = judge((1, 0), (0, 1), (0, 1))
    made.take_scores("m", np.random.default_rng(0).random((1, 6)))
    assert made.notes() == ()


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(DataError) as error:
        judge((1, 0)).take_scores("m", np.array([[1.0, np.nan]]))
    assert (error.value.params, error.value.expected) == (("m",), "finite numbers")


def test_only_means_over_queries_can_be_compared():
    with pytest.raises(UsageError) as error:
        judge((1, 0), measures=["NumRelRet"])
    assert error.value.params == ("measures",)
    assert judge((1, 0), measures=["NumRelRet", "P@1"]).main == "P@1"


def test_without_queries_there_is_nothing_to_measure():
    with pytest.raises(DataError, match="quiz has no queries"):
        judge()


def test_judged_documents_that_the_corpus_lacks_count_as_trec_eval_has_it(tmp_path: Path) -> None:
    """Of three queries one finds one of two relevant documents, one none, and one all: nDCG@10 by hand."""
    corpus = {"d0": "Dogs bark", "d1": "Cats purr", "d4": "Ships sail the sea"}
    queries = {"q1": "dogs", "q2": "what purrs", "q3": "ships sail"}
    judged = {"q1": {"d0": 1, "dX": 1}, "q2": {"dY": 1}, "q3": {"d4": 1}}
    data = RetrievalSet(corpus, queries, Qrels.from_dict(judged))
    judge = RetrievalJudge(data, measures=["nDCG@10", "R@100"], sampling=Sampling(resamples=20))
    judge.take("bm25", build("bm25", fit_texts=list(corpus.values())))
    assert judge.value("bm25") == pytest.approx((1 / (1 + 1 / np.log2(3)) + 0 + 1) / 3)
    assert judge.figures("bm25")["R@100"].value == pytest.approx((0.5 + 0 + 1) / 3)
    assert judge.notes()[0].startswith("the corpus lacks 2 of 4 relevant documents")
    judge.write(tmp_path)
    assert len((tmp_path / "qrels.trec").read_text().splitlines()) == 4
