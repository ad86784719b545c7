import pytest
import torch

from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.networks.architectures.spelt import SIZE, SPELT, UNITS, assert_computed
from tests.reference.nn import convolved
from tests.reference.windows import counts, region_maxima, times
from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

SMALL = {"a_length": 3, "b_length": 5, "filters": 4, "hidden": 3, "regions": 2}


def duet_score(model, a, b, a_vectors, b_vectors):
    """The outputs of the two models, from the tokens and from their vectors."""
    rows = torch.zeros(3, 5)
    for i, token in enumerate(a[:3]):
        for j, other in enumerate(b[:5]):
            rows[i, j] = float(token == other and token not in model.unknown)
    local = model.local((rows @ model.places.weight.T).tanh().flatten())
    of_a = convolved(a_vectors, *values(model.over_a.convolutions[0]))
    of_b = convolved(b_vectors, *values(model.over_b.convolutions[0]))
    highest = torch.tensor(region_maxima(of_a, 1)[0])
    by_region = [torch.tensor(region) for region in region_maxima(of_b, 2)]
    products = [model.of_a(highest).tanh() * model.of_b(region).tanh() for region in by_region]
    return local + model.distributed(torch.cat(products))


@pytest.mark.parametrize("outputs", [1, 3])
def test_on_words_it_is_the_plain_loop(outputs):
    torch.manual_seed(0)
    model = matcher("duet", outputs=outputs, **SMALL)

    def score(a, b):
        return duet_score(model, a, b, vectors(model, a), vectors(model, b)).tolist()

    with torch.no_grad():
        check(model, score)


def test_on_ngrams_it_is_the_plain_loop():
    torch.manual_seed(0)
    model = build("duet", size=SIZE, pad_id=0, zero_ids=[5], dim=4, unit_size=UNITS, **SMALL)
    matrix = model.words.table.T.mul(2).tolist()  # the check doubles all parameters

    def spelt(text):
        return [times(matrix, counts(SPELT[token], UNITS)) for token in text]

    assert_computed(model, lambda model, a, b: duet_score(model, a, b, spelt(a), spelt(b)))


@pytest.mark.parametrize(
    "options", [{"a_length": 0}, {"b_length": 0}, {"regions": 0}, {"filters": 0}, {"width": 0}, {"hidden": 0}]
)
def test_impossible_options_are_named(options):
    with pytest.raises(ConfigError) as error:
        matcher("duet", **options)
    [(option, value)] = options.items()
    assert (error.value.params, error.value.value) == ((option,), value)
