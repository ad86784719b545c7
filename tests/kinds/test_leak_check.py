"""Models trained on the data they are measured on."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from textkin.base.errors import LeakError
from textkin.base.hub import MINILM, located
from textkin.data.pair_set_operations import content_hash
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet, Qrels, RetrievalSet
from textkin.data.splits.training_texts import Seen, SeenShare, seen_of
from textkin.kinds.leak_check import pretraining_on_file, require_unseen, require_unseen_dev, seen_in_words
from textkin.models.light_transformer import LightTransformer
from textkin.models.packed_encoder import PackedEncoder

LEARNT = [(f"question {i}", f"answer {i}") for i in range(10)]


def pair_set(pairs):
    return PairSet(tuple(Pair(a, b, 1.0) for a, b in pairs), LabelKind.BINARY, name="test.tsv")


def fresh(count):
    return [(f"new question {i}", f"new answer {i}") for i in range(count)]


def test_one_pair_of_a_hundred_may_have_been_learnt_and_two_not():
    seen = Seen.of(LEARNT)
    require_unseen("m", seen, pair_set([*LEARNT[:1], *fresh(99)]))
    with pytest.raises(LeakError):
        require_unseen("m", seen, pair_set([*LEARNT[:2], *fresh(98)]))
    require_unseen("m", seen, pair_set(LEARNT), accept_leaks=True)
    require_unseen("m", None, pair_set(LEARNT))


def test_what_a_leak_harms_is_told():
    seen, data = Seen.of(LEARNT), pair_set(LEARNT)
    with pytest.raises(LeakError, match="its figures would be too good"):
        require_unseen("m", seen, data)
    with pytest.raises(LeakError, match="a threshold fitted on them would suit others less"):
        require_unseen_dev("m", seen, data)


def test_candidates_and_collections_are_pairs_of_question_and_document():
    seen = Seen.of(LEARNT)
    candidates = CandidateSet((Candidates("q", "question 1", ("d", "e"), ("answer 1", "other"), (1, 0)),))
    with pytest.raises(LeakError):
        require_unseen("m", seen, candidates)
    collection = RetrievalSet(
        {"d": "answer 1", "e": "other"}, {"q": "question 1"}, Qrels.from_dict({"q": {"d": 1, "gone": 1}})
    )
    with pytest.raises(LeakError):
        require_unseen("m", seen, collection)
    require_unseen("m", Seen.of([("question 1", "other")]), collection)


def test_what_is_said():
    data = pair_set([*LEARNT[:1], ("question 5", "answer 6"), *fresh(2)])
    model = SimpleNamespace(seen=Seen.of(LEARNT), provenance={"dev_sha256": content_hash(data)})
    assert list(seen_in_words("m", model, data)) == [
        "m was trained on 1 of these 4 pairs: its figures are too good",
        "2 of 4 pairs share a text with what m was trained on: its figures on other texts may be lower",
        "m was chosen by these very pairs: its figures are too good",
    ]
    assert list(seen_in_words("m", SimpleNamespace(seen=None, provenance={}), data)) == []
    assert list(seen_in_words("m", SimpleNamespace(seen=model.seen, provenance={}), pair_set(fresh(3)))) == []


def test_what_chance_finds_as_well_is_no_leak_for_sure():
    seen = SimpleNamespace(share=lambda texts: SeenShare(4927, 1, 1, 0.1))
    (told,) = seen_in_words("m", SimpleNamespace(seen=seen, provenance={}), pair_set(fresh(3)))
    assert told.startswith("m may have been trained on 1 of these 4,927 pairs")


def test_systems_without_a_model_say_nothing():
    assert seen_of(SimpleNamespace(name="bm25")) is None
    assert seen_of(SimpleNamespace(model=None)) is None


@pytest.mark.slow
def test_what_the_box_read_is_told_without_torch_too():
    folder = located(MINILM)
    light = LightTransformer(folder, name="minilm")
    for system in (light, PackedEncoder(light)):
        (told,) = pretraining_on_file("minilm", system, Path("quora_duplicate_questions.tsv"))
        assert told.startswith("minilm was pretrained on Quora")
        assert not list(pretraining_on_file("minilm", system, Path("tickets.tsv")))
