import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from tests.collection.phrase_files.tiny import Tiny
from tests.collection.phrases.drawn import Drawn, clustered
from textkin.base.errors import DataError, MissingExtraError, OutputError, UsageError
from textkin.collection.phrases import build
from textkin.collection.phrases import exact_search as short_rows
from textkin.collection.phrases import faiss_cells as cells
from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseIndex


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(build, "_WINDOW", 4)


def contents(folder):
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def texts(**more):
    passages = [("a", "one two two"), ("b", ""), ("c", "three")]
    return PhraseData(lambda: iter(passages), 3, "data", "model", **more)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_on_the_disk(tmp_path, sparse):
    encoder = Tiny(sparse=sparse)
    manifest = build_phrases(texts(), tmp_path / "i", encoder, PhraseIndexOptions())
    assert (manifest.passages, manifest.phrases, manifest.dim) == (3, 4, 4)
    written = json.loads((tmp_path / "i" / "textkin.json").read_text())
    held = json.loads(json.dumps(asdict(manifest)))
    assert held.pop("made_of").items() <= written.pop("made_of").items()
    assert held == written
    names = {item.name for item in (tmp_path / "i").iterdir()}
    vectors = {"values.npy", "columns.npy", "ends.npy"} if sparse else {"vectors.npy"}
    assert names == {"passages.sqlite", "offsets.npy", "textkin.json", *vectors}
    assert set(manifest.files) == names - {"textkin.json"}
    assert manifest.bytes == sum(each.bytes for each in manifest.files.values())
    again = Tiny(sparse=sparse)
    assert build_phrases(texts(), tmp_path / "i", again, PhraseIndexOptions()) == manifest
    assert not again.seen


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("stop", [0, 5, 13, 20])
def test_what_was_stopped_goes_on(tmp_path, sparse, stop):
    passages = [(str(number), "word " * (number % 4) + str(number)) for number in range(22)]
    data = PhraseData(lambda: iter(passages), 22, "data", "model")
    build_phrases(data, tmp_path / "whole", Tiny(sparse=sparse), PhraseIndexOptions())
    with pytest.raises(KeyboardInterrupt):
        build_phrases(data, tmp_path / "i", Tiny(sparse=sparse, fail_at=stop), PhraseIndexOptions())
    again = Tiny(sparse=sparse)
    build_phrases(data, tmp_path / "i", again, PhraseIndexOptions())
    assert len(again.seen) == 22 - stop // 4 * 4
    found, expected = contents(tmp_path / "i"), contents(tmp_path / "whole")
    for name in set(expected) - {"passages.sqlite", "textkin.json"}:
        assert found[name] == expected[name], name


def test_what_was_stopped_after_encoding_goes_on(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    encoder = Drawn(clustered(40, 8), each=5)
    monkeypatch.setattr(build, "_complete", stop)
    with pytest.raises(KeyboardInterrupt):
        build_phrases(encoder.data(), tmp_path / "i", encoder, PhraseIndexOptions())
    monkeypatch.undo()
    other = Drawn(clustered(40, 8), each=5)
    manifest = build_phrases(encoder.data(), tmp_path / "i", other, PhraseIndexOptions(sample=3))
    assert manifest.phrases == 40 and other.passages_seen == 0
    np.testing.assert_array_equal(np.load(tmp_path / "i" / "vectors.npy"), encoder.rows)


def test_another_index_is_refused(tmp_path):
    build_phrases(texts(), tmp_path / "i", Tiny(), PhraseIndexOptions())
    with pytest.raises(OutputError):
        build_phrases(texts(), tmp_path / "i", Tiny(), PhraseIndexOptions(metric="l2"))
    with pytest.raises(OutputError):
        build_phrases(replace(texts(), model_hash="x"), tmp_path / "i", Tiny(), PhraseIndexOptions())


def test_fewer_phrases(tmp_path):
    manifest = build_phrases(texts(), tmp_path / "i", Tiny(), PhraseIndexOptions(per_passage=1))
    assert manifest.phrases == 2


def test_what_can_not_be_asked_for(tmp_path):
    for wrong in ({"metric": "l1"}, {"bytes_per_vector": 8}, {"cells": -1}, {"sample": 0}):
        with pytest.raises(UsageError):
            PhraseIndexOptions(**wrong)
    for given in ({"metric": "l2"}, {"cells": 4, "probe": 2}, {"cells": 4, "probe": 2, "metric": "l2"}):
        with pytest.raises(UsageError) as error:
            build_phrases(texts(), tmp_path / "i", Tiny(sparse=True), PhraseIndexOptions(**given))
        assert error.value.params == tuple(one for one in ("cells", "metric") if one in given)
    empty = PhraseData(lambda: iter([("a", "")]), 1, "data", "model")
    with pytest.raises(DataError, match="no phrase in the passages") as caught:
        build_phrases(empty, tmp_path / "i", Tiny(), PhraseIndexOptions())
    # Nothing is stored, and no hint to resume is given: it would end in the same way.
    assert not list(tmp_path.iterdir()) and not getattr(caught.value, "__notes__", [])


def test_faiss_is_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    encoder = Tiny()
    with pytest.raises(MissingExtraError):
        build_phrases(texts(), tmp_path / "i", encoder, PhraseIndexOptions(cells=4, probe=2))
    assert not encoder.seen and not (tmp_path / "i").exists()


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_recall_of_cells_is_in_the_manifest(tmp_path, monkeypatch, metric):
    pytest.importorskip("faiss")
    monkeypatch.setattr(short_rows, "LEAST", 1000)
    encoder = Drawn(clustered(2000, 16), each=100)
    options = PhraseIndexOptions(metric=metric, cells=20, probe=2, sample=100)
    manifest = build_phrases(encoder.data(), tmp_path / "i", encoder, options)
    first, tenth = manifest.recall
    assert (first.depth, tenth.depth, first.share.n, first.of) == (1, 10, 100, "stored phrases")
    assert 0.4 < tenth.share.low < tenth.share.value < tenth.share.high <= 1
    asked = replace(encoder.data(), questions=clustered(30, 16, seed=3), questions_hash="q")
    manifest = build_phrases(asked, tmp_path / "j", encoder, replace(options, probe=20))
    assert [(each.share.value, each.share.n, each.of) for each in manifest.recall] == [
        (1, 30, "questions")
    ] * 2


@pytest.mark.slow
def test_short_rows_come_with_many_phrases(tmp_path):
    assert short_rows.LEAST > 1000 and cells._LEAST == 39
    encoder = Drawn(clustered(short_rows.LEAST, 8), each=2048)
    manifest = build_phrases(encoder.data(), tmp_path / "i", encoder, PhraseIndexOptions())
    assert manifest.short.width <= 8 and "short.npy" in manifest.files


@pytest.mark.parametrize("kind", ["sparse", "dense", "l2"])
def test_passages_added_make_the_index_of_all(tmp_path, kind):
    passages = [(str(number), "word " * (number % 4) + str(number)) for number in range(22)]
    sparse, options = kind == "sparse", PhraseIndexOptions(metric="l2" if kind == "l2" else "ip")
    first, all_of_them = (
        PhraseData(lambda count=count: iter(passages[:count]), count, str(count), "model")
        for count in (13, 22)
    )
    build_phrases(all_of_them, tmp_path / "whole", Tiny(sparse=sparse), options)
    build_phrases(first, tmp_path / "i", Tiny(sparse=sparse), options)
    for stop in (3, None):  # also where it was stopped
        encoder = Tiny(sparse=sparse, fail_at=stop)
        try:
            build_phrases(replace(all_of_them, before=tmp_path / "i"), tmp_path / "j", encoder, options)
        except KeyboardInterrupt:
            assert stop == 3
    assert {text for text in encoder.seen} <= {text for _, text in passages[13:]}
    found, expected = contents(tmp_path / "j"), contents(tmp_path / "whole")
    assert found.keys() == expected.keys()
    for name in set(expected) - {"textkin.json"}:
        assert found[name] == expected[name], name


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_codes_alone(tmp_path, monkeypatch, killed):
    pytest.importorskip("faiss")
    encoder = Drawn(clustered(12_000, 16), each=100)
    options = PhraseIndexOptions(cells=16, probe=16, bytes_per_vector=2, refine=0, sample=100)
    if killed:

        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(build.PartFolder, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            build_phrases(encoder.data(), tmp_path / "i", encoder, options)
        monkeypatch.undo()
    found = build_phrases(encoder.data(), tmp_path / "i", encoder, options)
    assert set(found.files) == {"cells.faiss", "offsets.npy", "passages.sqlite"}
    assert found.recall[1].depth == 10 and 0.05 < found.recall[1].share.value < 1
    whole = build_phrases(encoder.data(), tmp_path / "whole", encoder, replace(options, refine=200))
    assert found.bytes < whole.bytes - 12_000 * 16 * 4
    with PhraseIndex(tmp_path / "i") as index:
        (hits,) = index.search(encoder.rows[:1], 5)
        assert len(hits.hits) == 5 and index.audited(encoder.rows[:3]) == ()


def test_codes_alone_need_codes():
    with pytest.raises(UsageError) as error:
        PhraseIndexOptions(refine=0)
    assert error.value.params == ("bytes_per_vector",)
