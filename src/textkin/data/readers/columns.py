"""Detection of columns: by the user's choice, by known header names, or by the cells."""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from textkin.base.errors import DataError, UsageError, either, invalid, unknown_choice
from textkin.data.readers.labels import binary, is_label, number, whole_number

ROLES = ("a", "b", "label", "id_a", "id_b")
RANKING_ROLES = ("query", "candidate", "label", "query_id", "candidate_id")
ALL_ROLES = tuple(dict.fromkeys((*ROLES, *RANKING_ROLES)))

_MOSTLY = 0.5  # fraction of the rows below a text column's name
_LONGEST_NAME = 5  # words of a column's name
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "؟", "।")
_GRADES = 20  # maximum number of distinct integers of a label scale, such as 0 to 10

# Names of two texts: a word with one of these pairs of endings; pandas' merge gives "_x" and "_y".
_WORDS = ("question", "sentence", "text", "query", "title", "document", "string", "phrase", "q", "s", "x")
_ENDINGS = (("1", "2"), ("_1", "_2"), ("_a", "_b"), ("_x", "_y"), ("_left", "_right"))
_TEXT_PAIRS = (
    *((word + first, word + second) for word in _WORDS for first, second in _ENDINGS),
    ("text", "nearest_text"),
    ("text", "text_pair"),
    ("#1_string", "#2_string"),
    ("left", "right"),
    ("a", "b"),
    ("anchor", "positive"),
    ("premise", "hypothesis"),
    ("query", "positive"),
    ("query", "document"),
    ("query", "passage"),
    ("query", "text"),
    ("question", "answer"),
    ("question", "sentence"),
    ("question", "document"),
    ("sentence", "paraphrase"),
    ("source", "target"),
)
# The first existing one is the label. Human judgements come before possible model scores.
_LABELS = (
    "is_duplicate",
    "gold_label",
    "label",
    "same",
    "duplicate",
    "is_match",
    "quality",
    "gold",
    "relevance",
    "relatedness_score",
    "entailment_judgment",
    "entailment_label",
    "class",
    "similarity",
    "similarity_score",
    "score",
)
_ID_PAIRS = (
    ("qid1", "qid2"),
    ("id1", "id2"),
    ("id_a", "id_b"),
    ("query_id", "doc_id"),
    ("query_id", "corpus_id"),
    ("questionid", "sentenceid"),
)
_TEXTS = (
    "text",
    "question",
    "sentence",
    "query",
    "body",
    "content",
    "document",
    "passage",
    "title",
    "message",
    "description",
    "subject",
    "comment",
)
LABEL_KEY = re.compile(
    rf'"({"|".join(_LABELS).replace("_", "[-_ ]")})"\s*:',
    re.IGNORECASE,
)
"""A known name of labels as a key in a line of JSON."""

_HYPHEN = re.compile(r"(?<=\w)-")  # within a name; before one, some tools mean an order by it
_IDS = ("id", "qid", "doc_id", "docid", "key")
_RENAME = "rename one"
_PAIR_IDS = ("id", "pair_id", "pairid", "key")
_KNOWN = frozenset(
    {name for pair in (*_TEXT_PAIRS, *_ID_PAIRS) for name in pair} | {*_LABELS, *_TEXTS, *_IDS, "pair_id"}
)


@dataclass(frozen=True, slots=True)
class Roles:
    """0-based columns of a file of pairs; None for a missing column.

    ``guessed`` is True if the label's column was found by its cells rather than by name or by the user.
    """

    a: int
    b: int
    label: int | None = None
    id_a: int | None = None
    id_b: int | None = None
    pair_id: int | None = None
    guessed: bool = field(default=False, compare=False)


def of_ranking(columns: Mapping[str, str] | None) -> bool:
    """True if columns are given by the roles of a table of queries with candidates."""
    return bool((columns or {}).keys() & (set(RANKING_ROLES) - set(ROLES)))


def parse_columns(text: str) -> dict[str, str]:
    """Parse ``a=question1,b=question2,label=is_duplicate``: roles to column names or 1-based numbers.

    Raises:
        UsageError: a part is not ``role=column``, or a role is unknown or repeated.
    """
    chosen: dict[str, str] = {}
    for part in text.split(","):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not role or not column:
            raise invalid(
                "columns",
                part.strip(),
                expected="role=column",
                fix="write for example: `columns=a=question1,b=question2,label=is_duplicate`",
            )
        if role not in ALL_ROLES:
            raise unknown_choice("columns", role, ALL_ROLES)
        if role in chosen:
            raise invalid("columns", role, expected="every role once")
        chosen[role] = column
    return chosen


def find_column(header: Sequence[str] | None, width: int, column: str, *, param: str = "text") -> int:
    """The 0-based position of a column given by name or by 1-based number.

    Args:
        header: the names of the columns; None without a header.
        width: number of columns.
        column: the name or number.
        param: the option that gives it, for errors.

    Raises:
        UsageError: the column is missing, or its name is repeated in the header.
    """
    names = plain_names(header)
    places = [i for i, name in enumerate(header or ()) if name == column] or [
        i for i, name in enumerate(names) if name == _plain(column)
    ]
    if len(places) == 1:
        return places[0]
    if len(places) > 1:
        raise UsageError(
            f"{len(places)} columns are called {column!r}",
            fix="give the column's number instead",
            params=(param,),
            value=column,
        )
    if column.isascii() and column.isdigit() and len(column) < 10:
        if 1 <= int(column) <= width:
            return int(column) - 1
        raise UsageError(
            f"no column {column}", fix=f"give a number from 1 to {width}", params=(param,), value=column
        )
    if header is None:
        raise UsageError(
            f"no column {column!r}: the first line lacks this name",
            fix=f"check the names, or give a number from 1 to {width}",
            params=(param,),
            value=column,
        )
    raise UsageError(f"no column {column!r}", fix=_suggest(column, header), params=(param,), value=column)


def find_roles(
    header: Sequence[str] | None,
    sample: Sequence[Sequence[str]],
    chosen: Mapping[str, str] | None,
    path: Path | str,
) -> Roles:
    """Assign a column to each role of a pair: by ``chosen``, then by header names, then by cells.

    Args:
        header: names of the columns, if the file has them.
        sample: some rows.
        chosen: result of :func:`parse_columns`.
        path: path for error messages.

    Raises:
        UsageError: ``chosen`` contains an unknown role or column.
        DataError: the two text columns are ambiguous, or two columns have the name of a role.
    """
    width = len(header) if header is not None else len(sample[0]) if sample else 0
    for role in chosen or ():
        if role not in ROLES:
            raise unknown_choice("columns", role, ROLES)
    found = {
        role: find_column(header, width, column, param="columns") for role, column in (chosen or {}).items()
    }
    by_name = _by_name(header)
    _refuse_twice(header, {role: place for role, place in by_name.items() if role not in found}, path)
    texts = {} if "a" in by_name else _texts_by_cells(header, sample, width)
    # A named label counts beside texts without known names, unless it is one of these.
    for role, place in (*texts.items(), *by_name.items()):
        if place not in found.values():
            found.setdefault(role, place)
    a, b = found.pop("a", None), found.pop("b", None)
    if a is None or b is None:
        raise DataError(
            f"can't tell which columns are the two texts among: {_listed(header, sample)}",
            path=path,
            fix=either(f"name them: `columns=a=NAME,b=NAME,label=NAME` {_told_how(header)}")
            or "call them a, b and label in the first row",
        )
    _require_a_column_each({"a": a, "b": b, "label": found.get("label")})
    taken = {a, b, *texts.values(), *found.values()}
    pair_id = find_pair_id(header)
    ids = found.get("id_a"), found.get("id_b"), None if pair_id in taken else pair_id
    if "label" in found:
        return Roles(a, b, found["label"], *ids)
    if "a" in by_name:
        label = _only_yes_or_no(sample, width, taken)
    else:
        label = _label_by_cells(sample, width, taken, path) if texts else None
        if label is None and "id_a" not in (chosen or {}):
            _refuse_grades_taken_for_ids(sample, width, taken, path)
    return Roles(a, b, label, *ids, guessed=label is not None)


def _require_a_column_each(places: Mapping[str, int | None]) -> None:
    """Check that no column has two roles; None is no column.

    Raises:
        UsageError: one has.
    """
    roles = defaultdict(list)
    for role, place in places.items():
        roles[place].append(role)
    for place, several in roles.items():
        if place is not None and len(several) > 1:
            told = f"the same column for {' and '.join(several)}"
            raise invalid("columns", told, expected="a column for each")


def find_text_column(header: Sequence[str] | None, sample: Sequence[Sequence[str]], path: Path | str) -> int:
    """The text column: by a known name, or as the only one without labels or numbers.

    Raises:
        DataError: there is no such column, or more than one.
    """
    names = plain_names(header)
    for name in _TEXTS:
        if name in names:
            return names.index(name)
    width = len(header) if header is not None else len(sample[0]) if sample else 0
    texts = [0] if width == 1 else text_columns(sample, width)
    if len(texts) == 1:
        return texts[0]
    raise DataError(
        f"can't tell which column is the text among: {_listed(header, sample)}",
        path=path,
        fix=either(f"name it: `text=NAME` {_told_how(header, one=True)}") or "call it text in the first row",
    )


def find_id_column(header: Sequence[str] | None, width: int = 0, given: str | None = None) -> int | None:
    """The column of ids: the user's choice, or one with a known name.

    Raises:
        UsageError: the given column is missing.
    """
    if given is not None:
        return find_column(header, width, given, param="id")
    names = plain_names(header)
    return next((names.index(name) for name in _IDS if name in names), None)


def find_pair_id(header: Sequence[str] | None) -> int | None:
    """The column of ids of pairs, by a known name."""
    names = plain_names(header)
    return next((names.index(name) for name in _PAIR_IDS if name in names), None)


def is_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """True if the first row is a header.

    It is one if it contains a known column word, all its cells look like names, and that column has several
    words elsewhere. Else it is one if no cell is a number, and it contains known column words (one in a file
    of one column, else two), or a column contains labels or numbers in all other rows, some of which may be
    blank. Two sentences are texts, so that their odd label is none of a column's name.
    """
    rows = [row for row in rest if len(row) == len(first)]
    if _names_texts(first, rows):
        return True
    if any(number(cell) is not None for cell in first):
        return False
    known = sum(_plain(cell) in _KNOWN for cell in first)
    if known >= min(2, len(first)):
        return True
    named = any(_names_labels(cell, [row[place] for row in rows], place) for place, cell in enumerate(first))
    return named and not _are_sentences([first[place] for place in text_columns(rows, len(first))])


def _are_sentences(cells: Sequence[str]) -> bool:
    """True for two cells or more that all end as sentences do, or have as many words."""
    return len(cells) > 1 and all(
        cell.rstrip().endswith(_SENTENCE_ENDS) or len(cell.split()) > _LONGEST_NAME for cell in cells
    )


def _names_labels(first: str, cells: Sequence[str], place: int) -> bool:
    """True if a column has labels or numbers, but for blank cells, below something else.

    A blank cell names nothing, except the column of pandas' index, which is the first. Above numbers a word
    for yes or no is a name, such as ``n`` or ``match``.
    """
    filled = [cell for cell in cells if cell.strip()]
    if 2 * len(filled) < len(cells) or not filled or not (first.strip() or place == 0):
        return False
    if is_label(first):
        return number(first) is None and all(number(cell) is not None for cell in filled)
    return all(map(is_label, filled))


def _names_texts(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True if the first row has distinct short names, and a known one is above texts.

    A whole number is a name, such as a year, unless it comes again below.
    """
    names = [_plain(cell) for cell in first]
    if not rows or len(set(names)) < len(names):
        return False
    for place, (name, cell) in enumerate(zip(names, first, strict=True)):
        is_number = cell.isdecimal() and all(row[place] != cell for row in rows)
        if not (is_number or (name.isidentifier() and len(cell.split()) <= 3)):
            return False
    known = (place for place, name in enumerate(names) if name in _TEXTS)
    return any(sum(len(row[place].split()) > 1 for row in rows) >= len(rows) * _MOSTLY for place in known)


def is_named(first: Sequence[str], named: Iterable[str]) -> bool:
    """True if the first row has a name that a user gave for a column; numbers don't count."""
    names = {_plain(name) for name in named if not name.isdigit()}
    return not names.isdisjoint(map(_plain, first))


def plain_names(header: Sequence[str] | None) -> list[str]:
    """The names of the columns in lower case, with ``_`` between words."""
    return [_plain(name) for name in header or ()]


def has_names(header: Sequence[str] | None, *names: str) -> bool:
    """True if the header has all ``names``, ignoring case."""
    return set(names) <= {_plain(name) for name in header or ()}


def _listed(header: Sequence[str] | None, sample: Sequence[Sequence[str]]) -> str:
    """The columns by number and name, or by the content of the first line."""
    first = header or (sample[0] if sample else ())
    if _has_numbers(header):
        return ", ".join(map(repr, first))
    return ", ".join(f"{place} {cell[:30]!r}" for place, cell in enumerate(first, 1))


def _has_numbers(header: Sequence[str] | None) -> bool:
    """True if columns are called by numbers, as those of a frame are by default; a number is then a name."""
    return any(name.isdigit() for name in header or ())


def _told_how(header: Sequence[str] | None, *, one: bool = False) -> str:
    """How a column can be named."""
    if _has_numbers(header):
        return "(a name)" if one else "(names)"
    return "(a name or a number from 1)" if one else "(names or numbers from 1)"


def _by_name(header: Sequence[str] | None) -> dict[str, int]:
    """The columns with known names; the two texts as a pair or not at all."""
    names = plain_names(header)
    pair = next((pair for pair in _TEXT_PAIRS if set(pair) <= set(names)), ())
    label = next((name for name in _LABELS if name in names and name not in pair), None)
    ids = next((ids for ids in _ID_PAIRS if set(ids) <= set(names)), ())
    found = dict(zip(("a", "b"), map(names.index, pair), strict=False))
    if label is not None:
        found["label"] = names.index(label)
    return found | dict(zip(("id_a", "id_b"), map(names.index, ids), strict=False))


def _refuse_twice(header: Sequence[str] | None, found: Mapping[str, int], path: Path | str) -> None:
    """Refuse a name that several columns have, of which the first would be taken silently.

    Raises:
        DataError: a role has such a name.
    """
    names = plain_names(header)
    for role, place in found.items():
        fix = either(_RENAME, f"give a number: `columns={role}={place + 1}`")
        refuse_repeated(names, [place], path, fix=fix)


def refuse_repeated(
    names: Sequence[str], places: Iterable[int], path: Path | str, *, fix: str | None = _RENAME
) -> None:
    """Refuse columns that are found by name if another one has the same name.

    Raises:
        DataError: one has.
    """
    for place in places:
        if names.count(names[place]) > 1:
            raise DataError(f"has several columns {names[place]!r}", path=path, fix=fix)


def _texts_by_cells(
    header: Sequence[str] | None, sample: Sequence[Sequence[str]], width: int
) -> dict[str, int]:
    """The two columns of texts, by their cells; of two columns both, but for named ids and named labels."""
    texts = text_columns(sample, width)
    if width == 2:
        label, ids = find_label_column(header), find_id_column(header)
        texts = [place for place in (0, 1) if place != ids and (place != label or place in texts)]
    return dict(zip(("a", "b"), texts, strict=True)) if len(texts) == 2 else {}


def _label_by_cells(
    sample: Sequence[Sequence[str]], width: int, taken: Collection[int], path: Path | str
) -> int | None:
    """The only column of labels: of words or 0 and 1 if there is one, else of numbers.

    Raises:
        DataError: there are several, or the only one may hold ids.
    """
    columns = {
        place: cells
        for place in range(width)
        if place not in taken and any(cells := [row[place] for row in sample if len(row) == width])
    }
    words = [
        place
        for place, cells in columns.items()
        if all(binary(cell) is not None or number(cell) is None for cell in cells)
    ]
    behind = max(taken, default=-1)
    numbers = [
        place
        for place, cells in columns.items()
        if not _is_serial(cells) or (place > behind and _is_one_grade(cells))
    ]
    found = words or numbers
    labels = [place for place in found if not _may_be_ids(columns[place])]
    if len(labels) > 1:
        several = " or ".join(f"{place + 1} ({columns[place][0][:30]!r}, ...)" for place in labels)
        raise DataError(
            f"can't tell whether the label is in column {several}",
            path=path,
            fix=f"name it: `columns=label={labels[0] + 1}`",
        )
    label = next(iter(labels or found), None)
    if label is not None:
        require_label([row[label] for row in sample if len(row) == width], label + 1, path)
    return label


def _only_yes_or_no(sample: Sequence[Sequence[str]], width: int, taken: Collection[int]) -> int | None:
    """The column of yes and no, or of 1 and 0, if it is the only one; others may hold anything."""
    rows = [row for row in sample if len(row) == width]
    found = [
        place
        for place in range(width)
        if place not in taken
        and (filled := [row[place] for row in rows if row[place].strip()])
        and all(binary(cell) is not None for cell in filled)
    ]
    return found[0] if len(found) == 1 else None


def find_label_column(header: Sequence[str] | None) -> int | None:
    """The column of labels with a known name; None if there is none."""
    return _by_name(header).get("label")


def find_pair_columns(header: Sequence[str] | None) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The two columns of ids, and those of texts, that have known names; None if there are none."""
    names = plain_names(header)

    def first(known: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
        found = next((pair for pair in known if set(pair) <= set(names)), None)
        return None if found is None else (names.index(found[0]), names.index(found[1]))

    return first(_ID_PAIRS), first(_TEXT_PAIRS)


def is_text_name(name: str) -> bool:
    """True if a column with this name is assumed to contain texts."""
    return _plain(name) in _TEXTS


def text_columns(sample: Sequence[Sequence[str]], width: int) -> list[int]:
    """The columns whose cells are not all labels or numbers."""
    rows = [row for row in sample if len(row) == width]
    return [
        place for place in range(width) if not all(is_label(row[place]) for row in rows if row[place].strip())
    ]


def _is_serial(cells: Sequence[str]) -> bool:
    """True if cells look like ids: integers, none repeated."""
    counts = Counter(cells)
    return all(cell.strip().isdigit() for cell in cells) and max(counts.values(), default=0) <= 1


def _is_one_grade(cells: Sequence[str]) -> bool:
    """True for the integer of one row, as in a side of a split, if it is one of a scale of labels."""
    value = whole_number(cells[0].strip()) if len(cells) == 1 else None
    return value is not None and value <= _GRADES


def require_label(cells: Sequence[str], column: int, path: Path | str) -> None:
    """Check that a column without a known name contains labels, not ids.

    Args:
        cells: known cells of the column.
        column: its number, from 1.
        path: path for error messages.

    Raises:
        DataError: it may be either: integers with many distinct values.
    """
    if _may_be_ids(cells):
        raise _labels_or_ids({cell.strip() for cell in cells}, len(cells), column, path)


def _may_be_ids(cells: Sequence[str]) -> bool:
    """True for integers with more distinct values than a scale of labels has."""
    values = {cell.strip() for cell in cells}
    return len(values) > _GRADES and all(value.isdecimal() for value in values)


def _refuse_grades_taken_for_ids(
    sample: Sequence[Sequence[str]], width: int, taken: Collection[int], path: Path | str
) -> None:
    """Check that distinct integers are ids: they increase, behind the texts one by one, or some are large.

    Raises:
        DataError: they may be labels of a few pairs, which would be lost.
    """
    rows = [row for row in sample if len(row) == width]
    for place in range(width):
        found = [whole_number(row[place].strip()) for row in rows]
        numbers = [value for value in found if value is not None]
        if place in taken or len(numbers) < max(2, len(rows)):
            continue
        steps = {after - before for before, after in pairwise(numbers)}
        counted = steps == {1} if place > max(taken) else numbers == sorted(numbers)
        if max(numbers) <= _GRADES and not counted:
            raise _labels_or_ids({str(value) for value in numbers}, len(numbers), place + 1, path)


def _labels_or_ids(values: Collection[str], rows: int, column: int, path: Path | str) -> DataError:
    few = ", ".join(sorted(values, key=lambda value: (len(value), value))[:3])
    return DataError(
        f"column {column} holds {len(values)} numbers in {rows} rows ({few}, ...), which may be "
        "labels or ids",
        path=path,
        fix=f"say which: `columns=label={column}`, or `columns=id_a={column}`",
    )


def _plain(name: str) -> str:
    return "_".join(_HYPHEN.sub(" ", name.casefold()).replace("_", " ").split())


def _suggest(word: str, choices: Sequence[str]) -> str:
    close = difflib.get_close_matches(word.casefold(), [choice.casefold() for choice in choices], n=1)
    listed = ", ".join(choices)
    if not close:
        return f"choose from: {listed}"
    meant = next(choice for choice in choices if choice.casefold() == close[0])
    return f"did you mean {meant!r}? Choose from: {listed}"


def named_columns(column: str | None) -> tuple[str, ...]:
    """The column names in a user's option: one, or several separated by commas."""
    return () if column is None else tuple(part.strip() for part in column.split(","))


def find_text_columns(header: Sequence[str] | None, width: int, column: str) -> tuple[int, ...]:
    """The 0-based positions of columns by name or 1-based number, such as ``subject,body``.

    A name that contains a comma itself is one name.

    Raises:
        UsageError: a column is missing, or is named twice.
    """
    try:
        return (find_column(header, width, column),)
    except UsageError:
        if "," not in column:
            raise
    places = tuple(find_column(header, width, name) for name in named_columns(column))
    if len(set(places)) < len(places):
        raise invalid("text", column, expected="each column once")
    return places
