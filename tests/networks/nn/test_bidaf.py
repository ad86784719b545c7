"""The layers of BiDAF, joined up."""

import numpy as np
import pytest
import torch

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.bidaf import BiDAF, Sizes
from textkin.networks.nn.word_vectors import Words

pytestmark = pytest.mark.torch

QUESTIONS = [[2, 3], [4, 5, 6, 7], [8]]
CONTEXTS = [[2, 9, 3, 4], [5], [6, 7, 8, 9, 2, 3]]


def layers():
    torch.manual_seed(0)
    return BiDAF(Words(size=10, dim=5, pad_id=0), Sizes(hidden=3)).eval()


def batch(texts):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=0)


def test_widths():
    flow = layers()(batch(QUESTIONS), batch(CONTEXTS))
    assert flow.attended.shape == (3, 6, 24)
    assert flow.modelled.shape == (3, 6, 6)


def test_a_pair_does_not_depend_on_its_neighbours():
    model = layers()
    together = model(batch(QUESTIONS), batch(CONTEXTS))
    for row, (question, context) in enumerate(zip(QUESTIONS, CONTEXTS, strict=True)):
        alone = model(batch([question]), batch([context]))
        for one, many in ((alone.attended, together.attended), (alone.modelled, together.modelled)):
            torch.testing.assert_close(many[row, : len(context)], one[0], atol=1e-6, rtol=0)


def test_the_layers_follow_the_paper():
    model = layers()
    question, context = batch(QUESTIONS[:1]), batch(CONTEXTS[:1])
    read = [model.contextual(model.highway(model.words(side)), side.mask) for side in (context, question)]
    attended = model.attention(*read, context.mask, question.mask)
    flow = model(question, context)
    torch.testing.assert_close(flow.attended, attended)
    torch.testing.assert_close(flow.modelled, model.modelling(attended, context.mask))


def test_the_answer_depends_on_the_question():
    model = layers()
    one, other = (model(batch([question]), batch(CONTEXTS[:1])) for question in ([2, 3], [3, 2]))
    assert not torch.allclose(one.modelled, other.modelled)


def test_dropout_is_for_training_only():
    model = layers().train()
    found = model(batch(QUESTIONS), batch(CONTEXTS)).attended
    assert (found == 0).float().mean() > 0.1
