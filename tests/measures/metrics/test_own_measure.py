"""Users' own measures by import path."""

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.data.records import Qrels, Run
from textkin.measures.metrics.measure_names import expand, parse
from textkin.measures.metrics.ranked import evaluate

MEASURES = """
def success(ranked, judged, *, least=1):
    return float((ranked >= least).any())

def recall(ranked, judged):
    return (ranked > 0).sum() / max(1, (judged > 0).sum())

def words(ranked, judged): return "much"
def nan(ranked, judged): return float("nan")
def failing(ranked, judged): return ranked.nothing
"""


@pytest.fixture
def both():
    draw = np.random.default_rng(0)
    documents = [f"d{number}" for number in range(12)]
    run = {f"q{query}": {one: float(draw.random()) for one in documents[:9]} for query in range(5)}
    qrels = {f"q{query}": {one: int(draw.integers(-1, 3)) for one in documents} for query in range(5)}
    return Run.from_dict(run), Qrels.from_dict(qrels)


def test_it_is_the_bundled_one_of_the_same_formula(both, own_module):
    name = own_module(MEASURES)
    for own, bundled in ((f"{name}:success@3", "Success@3"), (f"{name}:recall@4", "R@4")):
        pair = [parse(own), parse(bundled)]
        values = evaluate(*both, pair).values
        np.testing.assert_allclose(values[pair[0]], values[pair[1]])
    graded = [parse(f"{name}:success(least=2)@2"), parse("Success(rel=2)@2")]
    np.testing.assert_allclose(*(evaluate(*both, graded).values[one] for one in graded))


def test_names_keep_their_case_and_depth():
    (found,) = expand(["my_measures:Best@5"])
    assert (found.name, found.cutoff, str(found)) == ("my_measures:Best", 5, "my_measures:Best@5")
    assert found.figure(np.array([1.0, 0.0])) == 0.5


@pytest.mark.parametrize("part", ["words", "nan", "failing", "nothing"])
def test_what_gives_no_number_is_refused(both, own_module, part):
    with pytest.raises(UsageError) as error:
        evaluate(*both, [parse(f"{own_module(MEASURES)}:{part}")])
    assert error.value.params == ("measures",)
