"""Translation files."""

import json

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.translations import read_translations, translations_of

ROWS = [("Good morning", "Guten Morgen", "Bonjour"), ("Thank you", "", "Merci"), ("Yes", "Ja", "Oui")]


def read(path, text):
    path.write_text(text)
    return read_translations(path)


def test_columns_are_translations_and_codes_are_names(tmp_path):
    lines = "".join("\t".join(row) + "\n" for row in ROWS)
    plain = read(tmp_path / "a.tsv", lines).data
    assert [(one.source, one.translation) for one in plain] == [
        ("Good morning", "Guten Morgen"),
        ("Good morning", "Bonjour"),
        ("Thank you", "Merci"),
        ("Yes", "Ja"),
        ("Yes", "Oui"),
    ]
    assert {one.language for one in plain} == {""}
    named = read(tmp_path / "b.tsv", "en\tde\tfr\n" + lines)
    assert [one[:2] for one in named.data] == [one[:2] for one in plain]
    assert [one.language for one in named.data] == ["de", "fr", "fr", "de", "fr"]
    assert (named.report.rows, named.report.kept) == (3, 3)


def test_languages_that_begin_after_many_lines_of_json_are_read(tmp_path):
    made = [
        {"en": f"text {n}", "de": f"Text {n}"} | ({"fr": f"texte {n}"} if n > 249 else {}) for n in range(300)
    ]
    found = read(tmp_path / "a.jsonl", "".join(json.dumps(one) + "\n" for one in made)).data
    assert [sum(one.language == code for one in found) for code in ("de", "fr")] == [300, 50]


def test_short_words_are_no_codes(tmp_path):
    found = read(tmp_path / "a.tsv", "day\tdag\nnight\tnatt\n").data
    assert found == (("day", "dag", ""), ("night", "natt", ""))
    assert len(read(tmp_path / "b.tsv", "no\tno\nyes\tja\n").data) == 2, "two languages have two codes"
    (found,) = read(tmp_path / "c.tsv", "eng\tpt-BR\nday\tdia\n").data
    assert found == ("day", "dia", "pt-BR")


def test_formats_hold_the_same(tmp_path):
    commas = "source,target\n" + "".join(f'"{a}","{b}"\n' for a, b, _ in ROWS)
    objects = "".join(json.dumps({"en": a, "de": [b, b.upper()] if b else None}) + "\n" for a, b, _ in ROWS)
    found = read(tmp_path / "a.csv", commas)
    assert [one[:2] for one in found.data] == [("Good morning", "Guten Morgen"), ("Yes", "Ja")]
    assert found.report.skipped == {"no translation": 1}
    several = read(tmp_path / "a.jsonl", objects).data
    assert [one[1] for one in several] == ["Guten Morgen", "GUTEN MORGEN", "Ja", "JA"]
    given = translations_of({"Yes": ["Ja", "Jawohl"], "No": "Nein"}).data
    assert given == translations_of([("Yes", "Ja", "Jawohl"), ("No", ["Nein"])]).data


@pytest.mark.parametrize(
    "text", ["one\ntwo\n", "a b\tc d\t1\nc d\te f\t0\n", "a b\t0.5\nc d\t3.2\n", "\tGuten Tag\n"]
)
def test_what_holds_no_translations_is_refused(tmp_path, text):
    with pytest.raises(DataError):
        read(tmp_path / "a.tsv", text)


@pytest.mark.parametrize("row", [("Yes",), ("Yes", ""), ("Yes", 1), "Yes"])
def test_rows_without_a_translation_are_refused(row):
    with pytest.raises(UsageError) as error:
        translations_of([("No", "Nein"), row])
    assert error.value.params == ("parallel",)
