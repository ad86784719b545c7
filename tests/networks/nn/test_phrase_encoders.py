import pytest
import torch

from tests.reference.phrase_networks import passage_vectors, question_vector
from textkin.base.errors import UsageError
from textkin.networks.nn.phrase_encoders import Encoding, PhraseEncoders

pytestmark = pytest.mark.torch

LENGTHS = [5, 1, 3]


def texts():
    mask = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
    return torch.randn(len(LENGTHS), 7, 4), mask


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("read", ["first", "max"])
@torch.no_grad()
def test_encoders_are_the_plain_loops(heads, layers, read):
    encoding = Encoding(hidden=3, heads=heads, layers=layers, read=read)
    made, (vectors, mask) = PhraseEncoders(dim=4, encoding=encoding).eval(), texts()
    start, end = made.passages(vectors, mask)
    first, last = made.questions(vectors, mask)
    assert start.shape == (3, 7, 6 * heads)
    assert made.width == encoding.width == 6 * heads
    for row, length in enumerate(LENGTHS):
        text = vectors[row, :length]
        for found, encoder in ((start, made.passage_start), (end, made.passage_end)):
            expected = torch.tensor(passage_vectors(encoder, text))
            torch.testing.assert_close(found[row, :length], expected, atol=1e-5, rtol=1e-5)
        for found, encoder in ((first, made.question_start), (last, made.question_end)):
            expected = torch.tensor(question_vector(encoder, text))
            torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=1e-5)


def test_the_four_encoders_share_no_weight():
    made = PhraseEncoders(dim=4, encoding=Encoding(hidden=3))
    vectors, mask = texts()
    found = [*made.passages(vectors, mask), *(one.unsqueeze(1) for one in made.questions(vectors, mask))]
    for one in range(4):
        for other in range(one):
            assert not torch.allclose(found[one][:, :1], found[other][:, :1], atol=1e-3)


def test_dropout_is_for_training_only():
    made = PhraseEncoders(dim=4, encoding=Encoding(hidden=3))
    vectors, mask = texts()
    for mode, same in ((False, True), (True, False)):
        made.train(mode)
        assert torch.equal(made.questions(vectors, mask)[0], made.questions(vectors, mask)[0]) is same


@pytest.mark.parametrize(
    ("change", "words"), [({"heads": 0}, "heads=0"), ({"read": "last"}, "'last', expected 'first' or 'max'")]
)
def test_what_makes_no_encoder(change, words):
    with pytest.raises(UsageError, match=words):
        Encoding(**change)
