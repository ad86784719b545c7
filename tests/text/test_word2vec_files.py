"""word2vec's binary files."""

import gzip
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.text import word2vec_files as word2vec
from textkin.text.word_vectors import load_vectors

ROWS = [("</s>", [0.5, -1.0, 0.25]), ("él", [1.0, 2.0, 3.0]), ("cat", [0.0, 0.0, 1e-30])]


def packed(rows, *, ends=b"\n", count=None, dim=None):
    """The output of word2vec.c; without ``ends`` that of gensim."""
    wide = len(rows[0][1]) if dim is None else dim
    head = f"{len(rows) if count is None else count} {wide}\n".encode()
    return head + b"".join(
        (word if isinstance(word, bytes) else word.encode())
        + b" "
        + b"".join(struct.pack("<f", value) for value in values)
        + ends
        for word, values in rows
    )


def load(tmp_path, content, **options):
    path = tmp_path / "vectors.bin"
    path.write_bytes(content)
    return load_vectors(path, **{"quiet": True, **options})


@pytest.mark.parametrize("ends", [b"\n", b""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_both_ways_of_writing(tmp_path, ends, pack):
    found = load(tmp_path, pack(packed(ROWS, ends=ends)))
    assert found.words == ("</s>", "él", "cat")
    np.testing.assert_array_equal(found.matrix, np.array([row for _, row in ROWS], dtype=np.float32))
    assert found.matrix.dtype == np.float32 and found.dim == 3


words = st.text(st.characters(exclude_characters=" \n", exclude_categories=["Cs"]), min_size=1, max_size=6)
numbers = st.floats(-1e6, 1e6, width=32)


@given(st.data(), st.integers(2, 5), st.booleans(), st.integers(42, 90))
def test_any_words_and_numbers_come_back(tmp_path_factory, data, dim, ended, chunk):
    rows = data.draw(
        st.lists(
            st.tuples(words, st.lists(numbers, min_size=dim, max_size=dim)),
            min_size=1,
            unique_by=lambda r: r[0],
        )
    )
    rows[0] = (rows[0][0], [0.0, *rows[0][1][1:]])  # NUL bytes: no text
    path = tmp_path_factory.mktemp("vectors") / "any"
    path.write_bytes(packed(rows, ends=b"\n" if ended else b""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word2vec, "_CHUNK", chunk)  # rows span the blocks being read
        patch.setattr(word2vec, "_LONGEST_WORD", 40)
        found = load_vectors(path, quiet=True)
    assert found.words == tuple(word for word, _ in rows)
    np.testing.assert_array_equal(found.matrix, np.array([row for _, row in rows], dtype=np.float32))


def test_wanted_and_repeated_words(tmp_path):
    found = load(tmp_path, packed([*ROWS, ("cat", [7.0, 7.0, 7.0])]), wanted=["cat", "dog"])
    assert (found.words, found.duplicates) == (("cat",), 1)
    assert found.matrix.tolist() == [[0.0, 0.0, np.float32(1e-30)]]


def test_words_that_are_no_utf_8_are_counted_and_told(tmp_path, capsys):
    found = load(tmp_path, packed([*ROWS, (b"caf\xc3", [1.0, 1.0, 1.0])]), quiet=False)
    assert (found.words, found.undecodable) == (("</s>", "él", "cat"), 1)
    assert "vectors.bin: left out 1 word that is not UTF-8" in capsys.readouterr().err


def test_a_text_file_with_the_same_head_stays_text(tmp_path):
    assert load(tmp_path, b"2 3\nthe 1 2 3\ncaf\xc3\xa9 4 5 6\n").words == ("the", "café")
    with pytest.raises(DataError) as error:
        load(tmp_path, b"2 3\nthe 1 2 3\ncat 4 5\n")
    assert error.value.line == 3


WHOLE = packed(ROWS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[:-4], "ends after 2 words of 3"),
        (WHOLE[: len(WHOLE) // 2], "ends after 1 words of 3"),
        (packed(ROWS, count=4), "ends after 3 words of 4"),
        (packed(ROWS, count=10**17), "ends after 3 words of 100,000,000,000,000,000"),
        (packed(ROWS, count=2), "more than the 2 words that are promised, at byte"),
        (packed(ROWS, count=0), "promises 0 vectors of 3 numbers"),
        (packed(ROWS, dim=10**17), "promises 3 vectors of 100,000,000,000,000,000 numbers"),
        (b"3 0\n\0 \0", "no numbers after the word"),
        (packed([("a", [0.0, float("nan")])]), "a number at byte 4 is not finite"),
        (packed([("a", [0.0, float("inf")])]), "a number at byte 4 is not finite"),
        (packed([("a", [0.0, -2e9])]), "a number at byte 4 is not finite, or beyond 1e+09"),
        (packed([("a", [0.0, 1.0]), ("", [0.0, 1.0])]), "no word where one must begin, at byte 15"),
        (packed([("a", [0.0, 1.0]), ("\n\nb", [0.0, 1.0])]), "no word where one must begin, at byte 15"),
        (
            packed([("a", [0.0, 1.0]), ("b" * 20_000, [0.0, 1.0])]),
            "a word of more than 16,384 bytes, at byte 15",
        ),
        (b"\xba\x16\x4f\x2f\x0c\0\0\0", "a model of fastText"),
        (gzip.compress(WHOLE, mtime=0)[:-10], "broken gzip"),
    ],
)
def test_broken_files(tmp_path, content, message):
    with pytest.raises(DataError, match=message.replace("+", r"\+")) as caught:
        load(tmp_path, content)
    assert "vectors.bin" in str(caught.value)


def test_large_numbers_pass_that_only_sum_up_to_more(tmp_path):
    assert load(tmp_path, packed([("a", [9e8, 9e8, 0.0])])).matrix.tolist() == [[9e8, 9e8, 0.0]]


def test_gensim_reads_and_writes_the_same(tmp_path):
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    table = keyed(3)
    table.add_vectors([word for word, _ in ROWS], np.array([row for _, row in ROWS], dtype=np.float32))
    table.save_word2vec_format(str(tmp_path / "gensim.bin"), binary=True)
    assert load_vectors(tmp_path / "gensim.bin", quiet=True).words == tuple(word for word, _ in ROWS)
