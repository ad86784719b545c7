from pathlib import Path

import textkin as tk

WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


def write_wikiqa(folder: Path) -> Path:
    path = folder / "WikiQA-train.tsv"
    rows = [
        ("Q1", "who is it", "D1", "T", "D1-0", "it is me", "1"),
        ("Q1", "who is it", "D1", "T", "D1-1", "no", "0"),
    ]
    rows += [("Q2", "where", "D2", "T", "D2-0", "nowhere at all", "0")]
    path.write_text(WIKIQA + "".join("\t".join(row) + "\n" for row in rows))
    return path


def test_a_path_serves_as_well_as_what_is_in_it(tmp_path: Path) -> None:
    pairs = [(f"green apple {n}", f"apple of green {n}", 1) for n in range(8)]
    path = tmp_path / "pairs.tsv"
    path.write_text("question1\tquestion2\tis_duplicate\n" + "".join(f"{a}\t{b}\t{c}\n" for a, b, c in pairs))
    for name, gold in (("a", path), ("b", str(path)), ("c", tk.load_pairs(path).data)):
        tk.negatives(gold, out=tmp_path / f"{name}.tsv", model=["tfidf"], ranks="1-5", each=1)
    first, second, third = ((tmp_path / f"{name}.tsv").read_bytes() for name in "abc")
    assert first == second == third and first.count(b"\n") > 8
