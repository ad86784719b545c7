"""PIQA against loops over its definition."""

import pytest
import torch

from tests.networks.architectures.phrases import CONTEXTS, PAD, QUESTIONS, SIZE, batch, build_small, spelling
from tests.reference.phrase_networks import passage_vectors, question_vector, token_vectors
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "options", [{}, {"heads": 1}, {"heads": 3, "read": "max"}, {"layers": 2}, {"faithful": True}]
)
@torch.no_grad()
def test_it_is_the_plain_loop(options):
    model = build_small("piqa", **options).eval()
    ends, asked = model.passages(batch(CONTEXTS, extra=2)), model.questions(batch(QUESTIONS))
    encoders = model.encoders
    for row, text in enumerate(CONTEXTS):
        vectors = token_vectors(model, text, map(spelling, text))
        for found, encoder in ((ends.start, encoders.passage_start), (ends.end, encoders.passage_end)):
            expected = torch.tensor(passage_vectors(encoder, vectors))
            torch.testing.assert_close(found[row, : len(text)], expected, atol=1e-5, rtol=1e-5)
    for row, text in enumerate(QUESTIONS):
        vectors = token_vectors(model, text, map(spelling, text))
        for found, encoder in zip(asked, (encoders.question_start, encoders.question_end), strict=True):
            expected = torch.tensor(question_vector(encoder, vectors))
            torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("heads", "width"), [(1, 256), (2, 512)])
def test_phrases_are_as_wide_as_published(heads, width):
    model = build("piqa", size=SIZE, pad_id=PAD, unit_size=9, heads=heads)
    assert model.width == width  # of an end, so 512 and 1024 numbers a phrase
    assert model.words.embedding.table.shape == (SIZE, 200)
    assert not model.words.embedding.table.requires_grad
    assert model.highway.layers[0].in_features == 400
    assert model.most == 7


def test_words_alone_work():
    model = build("piqa", size=SIZE, pad_id=PAD, dim=8, hidden=3).eval()
    assert model.characters is None
    logits = model(batch(QUESTIONS, spelt=False), batch(CONTEXTS, spelt=False))
    assert logits.start[0, :3].isfinite().all()
