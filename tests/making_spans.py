"""Small passages with questions whose answers can be learnt."""

import json
from pathlib import Path

from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet

_NAMES = ("Ada", "Bert", "Cleo", "Dora", "Emil", "Finn", "Gina", "Hugo", "Ines", "Jule")
_PLACES = ("mill", "barn", "well", "tower", "bridge", "school", "church", "inn", "forge", "dairy")
_YEARS = tuple(str(1901 + 7 * number) for number in range(10))


def spans(count: int = 10, *, first: int = 0, impossible: bool = False) -> SpanSet:
    """Two questions for each of ``count`` passages: who built it, and when; maybe one without an answer."""
    passages, questions = {}, []
    for number in range(first, first + count):
        name, place, year = (
            words[(3 * number + 7 * len(words[0])) % 10] for words in (_NAMES, _PLACES, _YEARS)
        )
        text = f"The {place} stands by the river. {name} built the {place} in {year}, says {name}."
        key = f"0-{number}"
        passages[key] = Passage(key, "Town", text)
        for word, answer in (("Who", name), ("When", year)):
            question = f"{word} built the {place}?"
            span = Span(text.index(answer), answer)
            questions.append(SpanQuestion(f"{number}-{word}", question, key, (span,)))
        if impossible:
            questions.append(SpanQuestion(f"{number}-none", f"Why is the {place} blue?", key, ()))
    return SpanSet(passages, tuple(questions), name="town")


def write_squad(path: Path, data: SpanSet) -> Path:
    """The same as a file in SQuAD's form."""
    paragraphs = [
        {
            "context": passage.text,
            "qas": [
                {
                    "id": one.question_id,
                    "question": one.question,
                    "answers": [{"answer_start": at.start, "text": at.text} for at in one.answers],
                    **({} if one.answers else {"is_impossible": True}),
                }
                for one in data
                if one.passage_id == passage.passage_id
            ],
        }
        for passage in data.passages.values()
    ]
    path.write_text(json.dumps({"version": "1.1", "data": [{"title": "Town", "paragraphs": paragraphs}]}))
    return path
