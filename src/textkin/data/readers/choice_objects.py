"""Multiple-choice questions as JSON objects: JSON lines or a list, in the layouts of several datasets.

* Plain ones, ARC and OpenBookQA: the question or its ``stem``, choices or options, the key.
* Lettered keys: ``A``, ``B``, ... or ``option1``, ``option2``, ... beside the question.
* SciQ: ``correct_answer`` besides ``distractor1``, ``distractor2``, ...
* RACE: ``article`` and ``options``; its own files contain several questions about one article.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from textkin.data.readers.choice_columns import ANSWERS, CORRECT, choice_columns, distractor_columns
from textkin.data.readers.choice_rows import ExamRow, mixed, without_blank_end

_STEMS = ("question", "question_stem")
_LISTS = ("choices", "options")
_IDS = ("id", "question_id", "qid", "example_id")
_SUPPORT = ("support", "article")


def holds_question(found: Mapping[str, Any]) -> bool:
    """True if an object is a multiple-choice question, or an article with several."""
    if _is_article(found):
        return True
    inner = _inner(found)
    has_question = inner is not None or any(key in found for key in _STEMS)
    listed = any(key in found or key in (inner or {}) for key in _LISTS)
    return has_question and (listed or inner is not None or _has_columns(found))


def questions_of(found: Mapping[str, Any], line: int, number: int) -> Iterator[ExamRow]:
    """The questions of an object.

    Args:
        found: the object.
        line: its line in the file.
        number: number of its first question in the file, from 1; the id if it has none.
    """
    if not _is_article(found):
        yield _question(found, line, number)
        return
    article, given = found.get("article"), _text(_first(found, _IDS))
    listed = zip(found["questions"], found["options"], _padded(found), strict=False)
    for place, (question, options, answer) in enumerate(listed):
        name = f"{given}-{place}" if given else str(number + place)
        one = {"id": name, "question": question, "options": options, "answer": answer, "article": article}
        yield _question(one, line, number + place)


def _is_article(found: Mapping[str, Any]) -> bool:
    return all(isinstance(found.get(key), list) for key in ("questions", "options"))


def _padded(found: Mapping[str, Any]) -> list[Any]:
    """An article's answers, padded with None to the number of questions."""
    answers = found.get("answers")
    known = list(answers) if isinstance(answers, list) else []
    return known + [None] * (len(found["questions"]) - len(known))


def _question(found: Mapping[str, Any], line: int, number: int) -> ExamRow:
    inner = _inner(found)
    named = _text(_first(found, _IDS)) or str(number)
    question = inner["stem"] if inner is not None else _first(found, _STEMS)

    def broken(why: str) -> ExamRow:
        return ExamRow(line, named, broken=why)

    if not isinstance(question, str):
        return broken("the object has no question")
    told = _first(found, ANSWERS)
    if isinstance(told, bool | list | dict):
        return broken("the answer is not a text or number")
    support = tuple(text for key in _SUPPORT if (text := found.get(key)) and isinstance(text, str))
    names = list(found)
    if distractors := distractor_columns(names):
        right = _text(_first(found, CORRECT))
        wrong = [_text(found[names[place]]) for place in distractors]
        return ExamRow(line, named, question, mixed(right, wrong, question), right, (), support)
    listed = _first(found if inner is None else {**inner, **found}, _LISTS)
    if listed is None and _has_columns(found):
        listed = [found[names[place]] for place in choice_columns(names)]
    if isinstance(listed, dict) and (listed := _rows_of(listed)) is None:
        return broken("the choices are no lists of texts and labels")
    if not isinstance(listed, list):
        return broken("the object has no list of choices")
    pairs = list(map(_choice, listed))
    if any(text is None for text, _ in pairs):
        return broken("a choice is not a text")
    texts = without_blank_end([text for text, _ in pairs])
    labels = tuple(label for _, label in pairs)[: len(texts)]
    return ExamRow(line, named, question, texts, _text(told), labels if all(labels) else (), support)


def _rows_of(listed: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Convert choices given as columns, or by label, to rows; None if the columns don't match."""
    if not {"text", "label"} & set(listed):
        return [{"text": text, "label": label} for label, text in listed.items()]
    texts, labels = listed.get("text"), listed.get("label")
    if isinstance(texts, list) and isinstance(labels, list) and len(texts) == len(labels):
        return [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    return None


def _choice(item: Any) -> tuple[Any, str]:
    """A choice and its label, "" if it has none; None for a choice that isn't a text."""
    text, label = (item.get("text"), item.get("label", "")) if isinstance(item, dict) else (item, "")
    return (None if isinstance(text, list | dict) else _text(text)), _text(label)


def _inner(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """The object that ARC uses instead of the question's text."""
    inner = found.get("question")
    return inner if isinstance(inner, dict) and isinstance(inner.get("stem"), str) else None


def _has_columns(found: Mapping[str, Any]) -> bool:
    names = list(found)
    return bool(choice_columns(names) or distractor_columns(names))


def _first(found: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first non-null value under some names, ignoring case."""
    plain = {key.lower().replace("_", ""): value for key, value in found.items() if value is not None}
    return next((plain[key] for name in names if (key := name.replace("_", "")) in plain), None)


def _text(value: Any) -> str:
    """A text, number or boolean as a text; "" for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
