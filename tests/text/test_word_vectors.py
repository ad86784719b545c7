import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.text.vocabulary import Oov, build_vocabulary
from textkin.text.word_vectors import Missing, VectorFile, align, load_vectors, word_seeded

GLOVE = "the 0.5 -1 2e-1\n. . . 1 2 3\ncat 4 5 6\nthe 7 8 9\n"


def load(tmp_path, content, **options):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_vectors(path, quiet=True, **options)


def test_glove_with_blanks_in_words_and_a_repeated_word(tmp_path):
    vectors = load(tmp_path, GLOVE)
    assert vectors.words == ("the", ". . .", "cat")
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_allclose(vectors.matrix, [[0.5, -1, 0.2], [1, 2, 3], [4, 5, 6]], rtol=1e-6)
    assert (vectors.dim, vectors.duplicates) == (3, 1)


def test_a_header_line_trailing_blanks_tabs_and_windows_line_ends(tmp_path):
    vectors = load(tmp_path, "2 3\r\nél\t1 2 3 \r\nb 4 5 6 \r\n\r\n")
    assert vectors.words == ("él", "b")
    assert vectors.matrix.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_gzip_is_known_by_its_content(tmp_path):
    assert load(tmp_path, gzip.compress(GLOVE.encode())).words == ("the", ". . .", "cat")


def test_only_wanted_words_are_kept(tmp_path):
    vectors = load(tmp_path, GLOVE, wanted=["cat", "zebra"])
    assert vectors.words == ("cat",)
    assert vectors.matrix.tolist() == [[4, 5, 6]]
    assert load(tmp_path, GLOVE, wanted=[]).matrix.shape == (0, 3)


def test_numbers_can_be_words(tmp_path):
    vectors = load(tmp_path, "1984 0.1 0.2\nnan 1 2\n7 3 4\n")
    assert vectors.words == ("1984", "nan", "7")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2 3\nb 1 2\n", ":2: expected a word and 3 numbers, found 2 numbers"),
        ("a 1 2 3\nb 1 2 3 4\n", ":2: expected a word and 3 numbers, found 4 numbers"),
        ("a 1 2 3\nb 1 x 3\n", ":2: not a word and 3 numbers"),
        ("a 1 2 3\n 1 2 3\n", ":2: expected a word and 3 numbers, found no word"),
        ("a 1 2 3\nb 1 nan 3\n", ":2: a number is not finite"),
        ("a 1 2 3\n\nb 1 2 3\n", ":2: the line is empty"),
        (b"a 1 2 3\n\xff\xfe 1 2 3\n", ":2: not a word and 3 numbers"),
        ("3 2\na 1 2\nb 1 2\n", "ends after 2 words of 3"),
        ("", "ends after 0 words"),
        ("only words here\n", ":1: no numbers after the word"),
        (gzip.compress(GLOVE.encode(), mtime=0)[:-9], "broken gzip"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, content, message):
    with pytest.raises(DataError) as caught:
        load(tmp_path, content)
    assert str(tmp_path / "vectors.txt") in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError) as error:
        load_vectors(tmp_path / "nowhere.txt")
    assert str(error.value.path).endswith("nowhere.txt")


WORDS = st.text(alphabet=st.characters(codec="utf-8", categories=("L", "P", "S")), min_size=1, max_size=8)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.dictionaries(WORDS, st.tuples(*[st.floats(-9, 9, width=32)] * 3), min_size=1), st.booleans())
def test_what_is_written_is_read(tmp_path_factory, table, header):
    lines = [f"{len(table)} 3\n"] if header else []
    lines += [f"{word} {' '.join(map(repr, row))}\n" for word, row in table.items()]
    path = tmp_path_factory.mktemp("vectors") / "v.txt"
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    vectors = load_vectors(path, quiet=True)
    assert vectors.words == tuple(table)
    assert vectors.matrix.tolist() == [list(row) for row in table.values()]


VECTORS = VectorFile(("cat", "the"), np.array([[1, 2], [3, 4]], dtype=np.float32))


def test_align_puts_each_vector_in_its_word_s_row():
    vocabulary = build_vocabulary([["the", "zebra"]]).extended(VECTORS.words)
    matrix = align(vocabulary, VECTORS)
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[0, 0], [0, 0], [3, 4], [0, 0], [1, 2]]


@pytest.mark.parametrize("missing", Missing)
@pytest.mark.parametrize("oov", Oov)
@pytest.mark.parametrize("oov_first", [False, True])
def test_padding_is_zero_always(missing, oov, oov_first):
    vocabulary = build_vocabulary([["the", "zebra"]], oov=oov, oov_first=oov_first)
    matrix = align(vocabulary, VECTORS, seed=3, missing=missing)
    assert matrix.shape == (len(vocabulary), 2)
    assert not matrix[list(vocabulary.zero_ids)].any()
    others = set(range(len(vocabulary))) - set(vocabulary.zero_ids) - {vocabulary.id("the")}
    assert matrix[list(others)].all() == (missing is not Missing.ZERO)
    assert matrix[vocabulary.id("the")].tolist() == [3, 4]


def test_seeded_vectors_depend_on_the_word_alone():
    one = build_vocabulary([["zebra", "the", "yak"]])
    two = build_vocabulary([["x", "yak", "w", "zebra"]], oov=Oov.DROP)
    first, second = (align(v, VECTORS, seed=5, missing=Missing.HASH) for v in (one, two))
    for word in ("zebra", "yak"):
        assert (first[one.id(word)] == second[two.id(word)]).all()
        assert (first[one.id(word)] == word_seeded(word, 2, seed=5)).all()
    assert (align(one, VECTORS, seed=6, missing=Missing.HASH)[one.id("yak")] != first[one.id("yak")]).all()
    drawn = np.concatenate([word_seeded(f"w{i}", 10) for i in range(300)])
    assert np.abs(drawn).max() <= 0.05
    assert drawn.std() == pytest.approx(0.1 / 12**0.5, rel=0.03)


def test_random_rows_resemble_the_pretrained_ones():
    vocabulary = build_vocabulary([[f"w{i}" for i in range(4000)]])
    matrix = align(vocabulary, VECTORS, seed=1, missing=Missing.RANDOM)
    assert matrix[1:].mean() == pytest.approx(2.5, abs=0.05)
    assert matrix[1:].std() == pytest.approx(VECTORS.matrix.std(), abs=0.05)
    assert (matrix == align(vocabulary, VECTORS, seed=1, missing=Missing.RANDOM)).all()


@pytest.mark.parametrize("header", ["", "2 2\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_belongs_to_no_word(tmp_path, header, packed):
    path, content = tmp_path / "vectors.txt", f"\ufeff{header}dog 1 0\ncat 0 1\n".encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    found = load_vectors(path, quiet=True)
    assert (found.words, found.matrix.tolist()) == (("dog", "cat"), [[1, 0], [0, 1]])
