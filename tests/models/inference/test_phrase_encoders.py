"""Independent phrases and questions: the highest inner product is the reader's answer."""

import pickle

import numpy as np
import pytest
import torch

from tests.models.interop.tiny import backbone, tokenizer
from textkin.base.errors import ModelError, UsageError
from textkin.data.protocols import PhraseEncoder
from textkin.models.inference.phrase_encoders import NeuralPhraseEncoder, load_phrase_encoder
from textkin.models.inference.span_readers import NeuralReader
from textkin.models.interop.hugging_face import plain_config
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, save_model
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.token_offsets import places_of
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, build_vocabulary
from textkin.vectors.index.encoded_phrases import encoded_phrases, encoded_tokens, gives_tokens

pytestmark = pytest.mark.torch

WORDS = "the quick brown fox jumps over a lazy dog while seven old wizards count 1,024 red stars .".split()  # noqa: SIM905
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}


def texts(count, longest, seed):
    draw = np.random.default_rng(seed)
    lengths = draw.integers(1, longest, size=count)
    return [" ".join(draw.choice(WORDS, size=length)) for length in lengths]


def words(max_length=None):
    vocabulary = build_vocabulary([WORDS[:-3]], oov=Oov.HASH, buckets=3)
    spelling = TokenSpelling(Units.CHARACTERS, rows=30, most=6, lengths=(3, 3))
    return WordPipeline(
        vocabulary, steps=("lower",), tokenise="words", max_length=max_length, spelling=spelling
    )


def pieces(max_length=40):
    return TokenizerPipeline(
        tokenizer("bert").to_str(), max_length=max_length, drop_unknown=False, special_tokens=SPECIAL
    )


def encoder(name, max_length=None, **options):
    """A network for synthetic texts, its arguments, and its pipeline."""
    pipeline = words(max_length) if name == "piqa" else pieces(max_length or 40)
    torch.manual_seed(2)
    if name == "piqa":
        arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id, "dim": 8, "unit_size": 30}
        arguments |= {"zero_ids": list(pipeline.vocabulary.zero_ids), "hidden": 5, "heads": 2, **options}
        network = build(name, **arguments)
    else:
        inner = backbone("bert", tokens=pipeline.size)
        before, after = (side.tolist() for side in pipeline.frame)
        frame = {"before": before, "after": after, "pad_id": pipeline.pad_id}
        arguments = {"backbone": plain_config(inner), "frame": frame, **options}
        arguments |= {"hidden": 5, "heads": 2} if name == "piqa-contextual" else {}
        network = build(name, **arguments)
        (network.states if name == "piqa-contextual" else network).backbone.load_state_dict(
            inner.state_dict()
        )
    if network.nothing is not None:
        with torch.no_grad():
            network.nothing.vectors.normal_(std=0.3)
            network.nothing.prior.fill_(0.2)
    return network.eval(), arguments, pipeline


def decide(phrases, question, nothing):
    """The best phrase's characters and its score; (0, 0) for no answer."""
    scores = phrases.vectors.astype(np.float64) @ question.astype(np.float64)
    best = int(scores.argmax()) if len(scores) else None
    if nothing is not None and (best is None or nothing @ question >= scores[best]):
        return (0, 0), float(nothing @ question)
    return tuple(phrases.offsets[best].tolist()), float(scores[best])


CASES = [
    ("piqa", {}),
    ("piqa", {"logits": "l2"}),
    ("piqa", {"answers_none": True, "read": "max"}),
    ("piqa", {"max_length": 9}),
    ("piqa", {"max_length": 5, "logits": "l2", "answers_none": True, "most": 3}),
    ("piqa-contextual", {}),
    ("piqa-contextual", {"max_length": 12, "answers_none": True}),
    ("piqa-transformer", {"prior": True}),
    ("piqa-transformer", {"max_length": 12, "prior": True, "logits": "l2", "answers_none": True}),
    ("piqa-transformer", {"max_length": 16, "shared": False, "width": 5}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_highest_product_is_what_the_reader_reads(name, options):
    network, _, pipeline = encoder(name, **options)
    apart, reader = (kind(network, pipeline, name="x") for kind in (NeuralPhraseEncoder, NeuralReader))
    assert isinstance(apart, PhraseEncoder)
    passages, questions = texts(40, 45, seed=1), texts(40, 20, seed=2)
    found = encoded_phrases(apart, passages)  # which checks its input
    asked = apart.questions(questions)
    assert asked.shape == (40, apart.dim)
    if network.answers_none:  # as likely as an answer
        spans = [decide(*each, None)[1] for each in zip(found, asked, strict=True)]
        with torch.no_grad():
            network.nothing.prior[0] += float(np.median(spans - asked @ apart.nothing))
    answers = reader.read(questions, passages, k=2)
    ties = nones = 0
    for phrases, question, best in zip(found, asked, answers, strict=True):
        place, score = decide(phrases, question, apart.nothing)
        assert score == pytest.approx(best[0].score, abs=1e-4)
        if (best[0].start, best[0].end) != place:
            # Rounding may turn two equal spans around: then the other one is the reader's second.
            ties += 1
            assert (best[1].start, best[1].end) == place
            assert best[0].score - best[1].score < 1e-4
        nones += place == (0, 0)
    assert ties <= 1
    assert 0 < nones < 40 if network.answers_none else nones == 0


@pytest.mark.parametrize(("name", "options"), CASES)
def test_each_phrase_has_the_score_of_the_reader(name, options):
    network, _, pipeline = encoder(name, **options)
    apart, reader = (kind(network, pipeline, name="x") for kind in (NeuralPhraseEncoder, NeuralReader))
    [passage], [question] = texts(1, 60, seed=11), texts(1, 12, seed=12)
    [phrases], asked = apart.phrases([passage]), apart.questions([question])[0]
    expected = {(one.start, one.end): one.score for one in reader.read([question], [passage], k=10_000)[0]}
    found = dict(zip(map(tuple, phrases.offsets.tolist()), (phrases.vectors @ asked).tolist(), strict=True))
    if apart.nothing is not None:
        found[0, 0] = float(apart.nothing @ asked)
    assert found.keys() == expected.keys()
    assert len(phrases) == len({tuple(place) for place in phrases.offsets.tolist()})
    for place, score in expected.items():
        assert found[place] == pytest.approx(score, abs=1e-4)
    assert phrases.offsets.tolist() == sorted(phrases.offsets.tolist())
    assert (phrases.priors is not None) == network.learns_priors


@pytest.mark.parametrize(("name", "options"), CASES)
def test_tokens_make_up_the_phrases(name, options):
    network, _, pipeline = encoder(name, **options)
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    passages = [*texts(9, 60, seed=13), "", " "]
    phrases, tokens = apart.phrases(passages), encoded_tokens(apart, passages)  # which checks its input
    assert [len(one) > 0 for one in tokens] == [len(one) > 0 for one in phrases]
    for one, other in zip(phrases, tokens, strict=True):
        half, width = (apart.dim + 1) // 2, apart.dim // 2
        found = {}
        for first in range(len(other)):
            for length in range(64):
                if int(other.lengths[first]) >> length & 1:
                    begin, end = other.vectors[first, :half], other.vectors[first + length, half:]
                    place = (other.offsets[first, 0], other.offsets[first + length, 1])
                    assert place not in found
                    found[place] = np.concatenate((begin[:width], end[:width], (begin + end)[width:]))
        assert sorted(found) == [tuple(place) for place in one.offsets.tolist()]
        for place, vector in zip(one.offsets.tolist(), one.vectors, strict=True):
            np.testing.assert_array_equal(found[tuple(place)], vector)
    assert apart.longest_phrase == network.most and apart.phrase_tokens([]) == []


def test_phrases_of_more_tokens_than_have_bits():
    network, _, pipeline = encoder("piqa", most=65)
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    assert not gives_tokens(apart)
    with pytest.raises(UsageError):
        apart.phrase_tokens(["a fox"])


def test_phrases_have_up_to_seven_tokens():
    network, _, pipeline = encoder("piqa")
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    passage = "seven old wizards count red stars while a fox jumps"
    [phrases] = apart.phrases([passage])
    ten = passage.split()
    starts, ends = places_of(ten, passage).T.tolist()
    expected = [(starts[i], ends[j]) for i in range(10) for j in range(i, min(10, i + 7))]
    assert [tuple(place) for place in phrases.offsets.tolist()] == expected


def test_a_prior_is_told_where_it_was_learnt():
    network, _, pipeline = encoder("piqa-transformer", prior=True, logits="l2")
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    passage = "a lazy dog jumps"
    [phrases] = apart.phrases([passage])
    ids = torch.tensor([[*pipeline.frame[0], *pipeline.located([passage])[0].ids, *pipeline.frame[1]]])
    with torch.no_grad():
        states = network.backbone(input_ids=ids).last_hidden_state[0, 1:-1]
        priors = network.of_priors(states)
    expected = [
        float(priors[i, 0] + priors[j, 1])
        for i in range(len(priors))
        for j in range(i, min(len(priors), i + network.most))
    ]
    np.testing.assert_allclose(phrases.priors, expected, atol=1e-5)
    lengths = (phrases.vectors[:, :-1] ** 2).sum(axis=1) / 2
    np.testing.assert_allclose(phrases.vectors[:, -1], phrases.priors - lengths, atol=1e-4)


@pytest.mark.parametrize("name", ["piqa", "piqa-contextual", "piqa-transformer"])
def test_passages_and_questions_without_a_token(name):
    network, _, pipeline = encoder(name, answers_none=True)
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    found = apart.phrases(["", "a fox", "  "])
    assert [len(one) for one in found] == [0, 3, 0]
    assert all(one.vectors.shape == (len(one), apart.dim) for one in found)
    assert np.isfinite(apart.questions(["", "fox"])).all()
    assert apart.phrases([]) == []
    assert apart.questions([]).shape == (0, apart.dim)


def test_company_and_order_move_a_vector_by_rounding_only():
    network, _, pipeline = encoder("piqa", max_length=9)
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    passages, questions = texts(9, 30, seed=5), texts(9, 8, seed=6)
    together, turned = apart.phrases(passages), apart.phrases(passages[::-1])[::-1]
    for passage, one, other in zip(passages, together, turned, strict=True):
        for alone in (other, apart.phrases([passage])[0]):
            assert np.array_equal(one.offsets, alone.offsets)
            np.testing.assert_allclose(one.vectors, alone.vectors, atol=1e-5)
    asked = apart.questions(questions)
    np.testing.assert_allclose(asked, [apart.questions([one])[0] for one in questions], atol=1e-5)


def test_of_a_long_question_the_beginning_is_read():
    network, _, pipeline = encoder("piqa-transformer", max_length=6)
    apart = NeuralPhraseEncoder(network, pipeline, name="x")
    question = "a lazy dog jumps over the quick brown fox"
    [tokens] = pipeline.located([question])
    long, cut = apart.questions([question, question[: tokens.offsets[3, 1]]])
    np.testing.assert_allclose(long, cut, atol=1e-6)


def test_numbers_that_are_not_finite_are_refused():
    network, _, pipeline = encoder("piqa")
    with torch.no_grad():
        network.highway.layers[0].bias[0] = float("nan")
    apart = NeuralPhraseEncoder(network, pipeline, name="broken")
    for read in (apart.phrases, apart.questions):
        with pytest.raises(ModelError) as error:
            read(["a fox"])
        assert error.value.params == ("broken",)


@pytest.mark.parametrize("name", ["piqa", "piqa-contextual", "piqa-transformer"])
def test_saved_loaded_and_pickled_it_says_the_same(name, tmp_path):
    network, arguments, pipeline = encoder(name)
    before = NeuralPhraseEncoder(network, pipeline, name="x")
    save_model(Model(ModelFacts("x"), name, arguments, network, pipeline), tmp_path / "model")
    loaded = load_phrase_encoder(tmp_path / "model")
    for one in (loaded, pickle.loads(pickle.dumps(loaded))):
        assert (one.name, one.dim) == ("x", before.dim)
        assert np.array_equal(one.questions(["a lazy dog"]), before.questions(["a lazy dog"]))
        assert np.array_equal(one.phrases(["a fox"])[0].vectors, before.phrases(["a fox"])[0].vectors)
    with pytest.raises(UsageError, match="x is in memory only"):
        pickle.dumps(before)


def test_another_kind_of_model_is_refused(tmp_path):
    pipeline = words()
    arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id, "dim": 8, "hidden": 4, "unit_size": 30}
    save_model(
        Model(ModelFacts("x"), "bidaf", arguments, build("bidaf", **arguments), pipeline), tmp_path / "model"
    )
    with pytest.raises(ModelError, match="'bidaf', which reads a passage together with its question"):
        load_phrase_encoder(tmp_path / "model")
