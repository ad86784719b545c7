"""The account of unknown tokens, and its use by mine, dedupe, score, encode and lint."""

import json

import numpy as np
import pytest

import textkin as tk
from tests.text.static_folders import wordpiece
from textkin.base.errors import UsageError
from textkin.cli import main
from textkin.data.protocols import Side
from textkin.data.splits.findings import Topic
from textkin.models.inference.engine import encode_ids
from textkin.models.inference.scorers import NeuralEncoder
from textkin.networks.architectures.static import StaticTower
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_tokens import Unknown
from textkin.vectors.unique_texts import embedded
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts, coverage_of, covered, unknown_of
from textkin.verbs.data.lint_files import lint_files
from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts
from textkin.verbs.use.encoded_file import encode_file
from textkin.verbs.use.scored import score_pairs

pytestmark = pytest.mark.torch

TEXTS = [
    "\U0001f494 \U0001f494 red",
    "\U0001f494 \U0001f494 blue",
    "\U0001f494 \U0001f494 blue",
    "Where do I park my car?",
    "Where can I park my car?",
]


class Blind:
    """An encoder with equal vectors for all texts, which reports unknown tokens."""

    name, dim = "blind", 2

    def encode(self, texts, *, side=Side.DOCUMENT):
        return np.ones((len(texts), 2), dtype=np.float32)

    def score(self, pairs):
        return np.ones(len(pairs), dtype=np.float32)

    def unknown(self, texts):
        hearts = {place: text.count("\U0001f494") for place, text in enumerate(texts)}
        return {
            place: Unknown(("\U0001f494",) * count, (1,) * count, len(texts[place].split()))
            for place, count in hearts.items()
            if count
        }


def test_the_account_counts_texts_and_tokens(capsys):
    once = "one \U0001f494 of many words that are all known"
    found = coverage_of(Blind(), iter([*TEXTS, once]))
    assert found == Coverage("blind", texts=6, with_unknown=4, noticeable=3, unknown_tokens=7)
    assert covered(Blind(), [*TEXTS, once])[1].tolist() == [True] * 3 + [False] * 3
    found.tell()
    assert (
        "20 % or more of the tokens of 3 of 6 texts (7 unknown tokens in 4 texts)" in capsys.readouterr().err
    )
    Coverage("blind", texts=3, with_unknown=1, unknown_tokens=1).tell()
    assert not capsys.readouterr().err
    assert coverage_of(object(), ["a"]) == Coverage("the model", texts=1)


def test_a_word_is_one_of_two():
    assert unknown_of("accept") is UnknownTexts.ACCEPT
    with pytest.raises(UsageError) as error:
        unknown_of("acept")
    assert error.value.params == ("unknown",)


def test_withheld_texts_have_no_direction():
    found = embedded(TEXTS, Blind(), unknown=UnknownTexts.WITHHOLD)
    assert found.vectors.any(axis=1).tolist() == [not text.startswith("\U0001f494") for text in found.texts]
    assert embedded(TEXTS, Blind()).vectors.all()


def test_dedupe_withholds_them_unless_asked():
    found = dedupe_texts(TEXTS, Blind(), options=DedupeOptions(threshold=0.9))
    assert found.kept.tolist() == [0, 1, 4] and found.withheld_texts == 2  # equal ones go all the same
    assert found.coverage == Coverage("blind", texts=4, with_unknown=2, noticeable=2, unknown_tokens=4)
    accepted = DedupeOptions(threshold=0.9, unknown=UnknownTexts.ACCEPT)
    assert len(dedupe_texts(TEXTS, Blind(), options=accepted).kept) == 1


@pytest.mark.parametrize(
    "wanted",
    [dict(threshold=0.5), dict(threshold=-1), dict(top=100), dict(per_text=3)],
)
def test_mine_withholds_them_unless_asked(wanted):
    found = tk.mine(TEXTS, Blind(), **wanted)
    pairs = sorted(zip(found.pairs.a.tolist(), found.pairs.b.tolist(), strict=True))
    assert pairs == [(1, 2), (4, 3)] and found.about.withheld_texts == 2
    assert found.about.coverage is not None and found.about.coverage.noticeable == 2
    assert len(tk.mine(TEXTS, Blind(), **wanted, unknown="accept")) == 7


def test_pairs_with_others_withhold_too():
    found = tk.mine(TEXTS, Blind(), against=["\U0001f494 \U0001f494 red", "a car"], threshold=0)
    assert {(TEXTS[a], b) for a, b in zip(found.pairs.a, found.pairs.b, strict=True)} == {
        (TEXTS[0], 0),
        (TEXTS[3], 1),
        (TEXTS[4], 1),
    }
    assert found.about.withheld_texts == 3


def test_scores_and_vectors_come_with_the_account(tmp_path, capsys):
    assert score_pairs("default", [("\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7")]).coverage.noticeable == 2
    assert "default doesn't know 20 %" in capsys.readouterr().err
    (tmp_path / "a.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    made = encode_file("default", tmp_path / "a.txt", tmp_path / "a.npy")
    assert made.coverage.texts == made.count == 5 and made.coverage.noticeable == 3


def test_the_issue_s_texts_are_no_duplicates(tmp_path, capsys):
    texts = ["超市什么时候开门？", "为什么咖啡馆这么贵？", "I \U0001f494 Berlin", "I \u2764\ufe0f Berlin"]
    texts += ["\U0001f1eb\U0001f1f7", "\U0001f1e9\U0001f1ea"]
    assert len(dedupe_texts(texts).kept) == 6
    accepted = dedupe_texts(texts, options=DedupeOptions(unknown=UnknownTexts.ACCEPT))
    assert len(accepted.kept) == 6 and not accepted.withheld_texts
    (tmp_path / "a.txt").write_text("\n".join(texts), encoding="utf-8")
    assert main(["dedupe", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "6 texts were compared for equality only" in said.out and "--unknown accept" in said.out
    account = json.loads((tmp_path / "out/dedupe.json").read_text(encoding="utf-8"))
    assert account["withheld_texts"] == 6 == account["coverage"]["noticeable"]
    assert "compared for equality only" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert main(["mine", str(tmp_path / "a.txt"), "--out", str(tmp_path / "m.tsv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["withheld_texts"] == 6
    again = ["--unknown", "accept", "--top", "3", "--out", str(tmp_path / "m.tsv"), "--json"]
    assert main(["mine", str(tmp_path / "a.txt"), *again]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 3


def test_lint_names_the_lines_of_single_texts(tmp_path):
    said = "У кого есть ключ?"
    (tmp_path / "texts.txt").write_text(f"a car\n\n \n{said}\n", encoding="utf-8")
    (tmp_path / "texts.csv").write_text(f'text\n"two\nlines"\n{said}\n', encoding="utf-8")
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "part-0.txt").write_text("a car\n", encoding="utf-8")
    (parts / "part-1.txt").write_text(f"\n{said}\n", encoding="utf-8")
    for place, found in (
        (tmp_path / "texts.txt", f"{tmp_path / 'texts.txt'}:4"),
        (tmp_path / "texts.csv", f"{tmp_path / 'texts.csv'}:4"),
        (parts, f"{parts / 'part-1.txt'}:2"),
    ):
        (finding,) = lint_files([place], model="default").of(Topic.UNKNOWN_TOKENS)
        assert [str(one) for example in finding.examples for one in example.places] == [found]


def test_lint_names_the_texts_that_a_model_does_not_know(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text(
        "text1\ttext2\tlabel\nWhere do I park?\tУ кого есть ключ?\t0\na car\ta dog\t1\n", encoding="utf-8"
    )
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    report = lint_files([tmp_path / "pairs.tsv", tmp_path / "texts.txt"], model="default")
    pairs, single = (one for one in report.findings if one.kind == "unknown-tokens")
    assert (pairs.count, pairs.examples[0].places[0].line) == (1, 2) and "У кого" in pairs.examples[0].text
    assert single.count == 2 and single.files == (str(tmp_path / "texts.txt"),)
    assert not [one for one in lint_files([tmp_path / "pairs.tsv"]).findings if one.kind == "unknown-tokens"]
    assert main(["data", "lint", str(tmp_path / "texts.txt"), "--model", "default"]) == 0
    assert "unknown-tokens" in capsys.readouterr().out
    assert main(["data", "lint", str(tmp_path / "texts.txt")]) != 0


def test_a_network_s_bag_tells_unknown_words_apart():
    pipeline = TokenizerPipeline(wordpiece().to_str())
    module = StaticTower(size=pipeline.size, dim=16).eval()
    encoder = NeuralEncoder(module, pipeline, name="bag")
    pairs = [("the cat zebra", "the cat yak"), ("zebra", "yak"), ("zebra", "zebra"), ("the cat", "the cat")]
    one, other, same, known = encoder.score(pairs)
    assert one < 0.99 and other < 0.9 and same == pytest.approx(1) == known
    assert set(encoder.unknown(["the cat", "the zebra"])) == {1}
    (vector,) = encode_ids(module, pipeline.ids(["the cat"]), pad_id=pipeline.pad_id)
    np.testing.assert_array_equal(encoder.encode(["the cat"])[0], vector)


def test_the_package_says_so_too():
    assert tk.load().unknown(["plain text"]) == {}


class Several:
    name = "several"

    def __init__(self, *members):
        self.members = members


def test_of_members_the_account_of_the_one_that_knows_least():
    known = tk.load()
    assert coverage_of(Several(object(), known), TEXTS) == coverage_of(known, TEXTS)
    assert coverage_of(known, TEXTS).noticeable
