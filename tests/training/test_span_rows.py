"""Questions and their answers' tokens as rows of training."""

import numpy as np
import pytest
import torch

from tests.making_spans import spans
from textkin.base.errors import ConfigError
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet
from textkin.networks.architectures.table import build
from textkin.networks.recipes.recipe import ObjectiveConfig
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import build_vocabulary
from textkin.training.objectives import build_objective
from textkin.training.span_rows import span_data, spans_of, truncation_of_questions

pytestmark = pytest.mark.torch

SPANS = ObjectiveConfig(loss="span-likelihood", rows="spans", batch_size=4)


def pipeline(**options):
    words = [text.lower().replace(".", " .").split() for pair in spans().texts for text in pair]
    return WordPipeline(build_vocabulary(words), **options)


def network(**options):
    torch.manual_seed(0)
    return build("bidaf", size=pipeline().size, pad_id=0, dim=8, hidden=4, **options)


def test_rows_are_questions_with_their_passages_and_all_places_of_the_answer():
    data = spans(4)
    found = span_data(data, pipeline=pipeline(), answers_none=False)
    rows, words = found.rows, pipeline()
    assert (found.unused, found.cut, len(rows.a)) == (0, 0, len(data))
    for row, (question, passage) in enumerate(data.texts):
        assert rows.ids[rows.a[row]].tolist() == words.ids([question])[0].tolist()
        assert rows.ids[rows.b[row]].tolist() == words.ids([passage])[0].tolist()
        (located,) = words.located([passage])
        told = [
            passage[located.offsets[first, 0] : located.offsets[last, 1]]
            for first, last in rows.spans[row].tolist()
        ]
        assert set(told) == {data.questions[row].answers[0].text}
        assert len(told) == (2 if question.startswith("Who") else 1)  # a name occurs twice


def test_a_long_passage_becomes_windows_and_those_without_the_answer_are_left_out():
    data = spans(1)
    found = span_data(data, pipeline=pipeline(max_length=10), answers_none=False)
    rows = found.rows
    assert found.unused == 0 and len(rows.a) > len(data)
    assert all(len(rows.ids[window]) == 10 for window in rows.b)
    assert all(len(one) for one in rows.spans)
    (located,) = pipeline().located([data.texts[0][1]])
    for window, found_spans in zip(rows.b, rows.spans, strict=True):
        start = next(
            at
            for at in range(len(located))
            if located.ids[at : at + 10].tolist() == rows.ids[window].tolist()
        )
        for first, last in (found_spans + start).tolist():
            text = data.texts[0][1][located.offsets[first, 0] : located.offsets[last, 1]]
            assert text in {one.answers[0].text for one in data}


def test_windows_without_an_answer_are_rows_where_the_network_can_say_so():
    data = spans(3, impossible=True)
    without = span_data(data, pipeline=pipeline(), answers_none=False)
    assert without.unused == 3 and next(without.notes(len(data))).startswith("3 of 9 questions")
    with_none = span_data(data, pipeline=pipeline(), answers_none=True)
    assert with_none.unused == 0 and not list(with_none.notes(len(data)))
    assert sum(len(one) == 0 for one in with_none.rows.spans) == 3


def test_a_window_with_half_an_answer_says_nothing():
    text = "one two three four five six seven eight"
    data = SpanSet(
        {"p": Passage("p", "", text)}, (SpanQuestion("q", "what", "p", (Span(8, "three four five six"),)),)
    )
    words = WordPipeline(build_vocabulary([text.split()]), max_length=4)
    found = span_data(data, pipeline=words, answers_none=True)
    held = [[int(number) for number in found.rows.ids[window]] for window in found.rows.b]
    whole = words.located([text])[0].ids.tolist()
    assert held == [whole[2:6]]
    assert [one.tolist() for one in found.rows.spans] == [[[0, 3]]]


def test_annotated_places_count_even_inside_words():
    passage = "a pre-war, prewar mill"
    (located,) = pipeline().located([passage])
    question = SpanQuestion("q", "when", "p", (Span(passage.index("prewar"), "prew"),))
    assert spans_of(question, passage, located).tolist() == [[5, 5]]


def test_batches_hold_every_row_once_with_padded_spans():
    data = span_data(spans(5, impossible=True), pipeline=pipeline(), answers_none=True).rows
    objective = build_objective(SPANS, data, model=network(answers_none=True), seed=3)
    drawn = list(objective.batches(0, network()))
    assert sorted(np.concatenate([one.rows for one in drawn]).tolist()) == list(range(len(data.a)))
    for one in drawn:
        for row, spans_of_row in zip(one.rows, one.batch.spans, strict=True):
            known = spans_of_row[spans_of_row[:, 0] >= 0]
            assert known.tolist() == data.spans[row].tolist()
    again = list(objective.batches(0, network()))
    assert [one.rows.tolist() for one in again] == [one.rows.tolist() for one in drawn]


def test_questions_about_a_passage_may_share_their_batches():
    data = span_data(spans(12), pipeline=pipeline(), answers_none=False).rows
    together = SPANS.model_copy(update={"sampler": "passage", "batch_size": 3})
    drawn = list(build_objective(together, data, model=network(), seed=3).batches(0, network()))
    assert sorted(np.concatenate([one.rows for one in drawn]).tolist()) == list(range(len(data.a)))
    order = [int(window) for one in drawn for window in data.b[one.rows]]
    apart = [data.b[one.rows].tolist() for one in drawn if len(set(data.b[one.rows].tolist())) > 2]
    assert len(set(order)) < len(order) and not apart


def test_the_loss_falls():
    data = span_data(spans(5), pipeline=pipeline(), answers_none=False).rows
    module = network(train_embedding=True)
    objective = build_objective(SPANS, data, model=module, seed=0)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.02)
    values = []
    for epoch in range(12):
        for drawn in objective.batches(epoch, module):
            optimiser.zero_grad()
            loss = objective.loss(module, drawn.batch)
            loss.backward()
            optimiser.step()
            values.append(float(loss.detach()))
    assert np.mean(values[-3:]) < 0.5 * np.mean(values[:3])


@torch.no_grad()
def test_tokens_of_other_passages_are_negatives_in_a_batch():
    data = span_data(spans(6), pipeline=pipeline(), answers_none=False).rows
    torch.manual_seed(1)
    module = build("piqa", size=pipeline().size, pad_id=0, dim=8, hidden=4).eval()
    config = SPANS.model_copy(update={"in_batch": True})
    objective = build_objective(config, data, model=module, seed=0)
    for drawn in objective.batches(0, module):
        batch = drawn.batch
        windows = {tuple(row.tolist()): place for place, row in enumerate(batch.context.ids)}
        losses = []
        for row in range(len(batch.question)):
            asked = batch.question.select(torch.tensor([row]))
            logits = [module(asked, batch.context.select(torch.tensor([one]))) for one in windows.values()]
            own = list(windows).index(tuple(batch.context.ids[row].tolist()))
            joint = 0.0
            for first, last in batch.spans[row].tolist():
                if first >= 0:
                    start = torch.cat([one.start[0] for one in logits]).logsumexp(0)
                    end = torch.cat([one.end[0] for one in logits]).logsumexp(0)
                    joint += float(
                        torch.exp(logits[own].start[0, first] - start + logits[own].end[0, last] - end)
                    )
            losses.append(-np.log(joint))
        assert float(objective.loss(module, batch)) == pytest.approx(np.mean(losses), rel=1e-4)


def test_negatives_in_a_batch_need_passages_read_alone():
    data = span_data(spans(2), pipeline=pipeline(), answers_none=False).rows
    with pytest.raises(ConfigError) as raised:
        build_objective(SPANS.model_copy(update={"in_batch": True}), data, model=network(), seed=0)
    assert raised.value.params == ("in_batch",)


@pytest.mark.parametrize(
    ("architecture", "loss", "rows"),
    [
        ("bidaf", "logistic", "pairs"),
        ("siamese", "span-likelihood", "spans"),
        ("bidaf", "cross-entropy", "spans"),
    ],
)
def test_rows_and_models_that_dont_fit_are_refused(architecture, loss, rows):
    config = ObjectiveConfig(loss=loss, rows=rows)
    data = span_data(spans(2), pipeline=pipeline(), answers_none=False).rows
    module = network() if architecture == "bidaf" else build("siamese", size=9, pad_id=0, dim=4)
    with pytest.raises(ConfigError) as raised:
        build_objective(config, data, model=module, seed=0)
    assert raised.value.params == ("loss", "rows")
    assert ("pairs" if architecture == "siamese" else "spans") in raised.value.fix


def test_long_questions_are_counted():
    from tests.text.making_tokenizers import wordpiece
    from textkin.text.pair_pipeline import PairPipeline
    from textkin.text.tokenizer_pipeline import TokenizerPipeline

    pairs = PairPipeline(TokenizerPipeline(wordpiece("mill"), max_length=11, special_tokens={}))
    found = truncation_of_questions(["mill mill mill", "mill", "mill"], pairs, name="reader")
    assert (found.texts, found.cut, found.limit, found.unread) == (2, 1, 2, 1)
    assert truncation_of_questions(["mill " * 500], pipeline(), name="words").cut == 0
