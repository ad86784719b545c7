"""Input of verbs of pairs: files, records and data frames, and lists of names and paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from textkin.base.errors import inapplicable, invalid, unknown_choice
from textkin.base.files import write_text
from textkin.base.frames import column_names, index_of, known_column, require_order, tabular
from textkin.base.hub import DEFAULT
from textkin.base.import_path import path_of_object
from textkin.base.paths import IN_MEMORY, is_file
from textkin.base.progress import note
from textkin.base.python_inputs import (
    is_pair,
    labelled_pairs_of,
    names_in,
    path_of,
    several,
    texts_of,
)
from textkin.data.readers import Reading
from textkin.data.readers.candidates import select_questions
from textkin.data.readers.columns import (
    ALL_ROLES,
    find_id_column,
    find_pair_columns,
    find_pair_id,
    of_ranking,
    parse_columns,
    plain_names,
)
from textkin.data.readers.datasets.beir import write_beir
from textkin.data.readers.ranking import ranking_columns, require_texts
from textkin.data.readers.read_options import Labels, Questions, QuotingOption
from textkin.data.readers.read_report import note_read
from textkin.data.readers.row_pairs import as_pairs, pair_columns, table_pairs
from textkin.data.records import CandidateSet, PairSet, RetrievalSet
from textkin.verbs.inputs import MODEL_METHODS

if TYPE_CHECKING:
    from textkin.kinds.exam_corpora import Corpora

_OF_FILES = "format", "quoting", "encoding", "reference", "labels", "split"


def pair_reading(
    *data: Any,
    columns: Any = None,
    format: Any = "auto",
    quoting: QuotingOption = "auto",
    encoding: str | None = None,
    questions: Questions = "answered",
    reference: Path | None = None,
    labels: Labels | None = None,
    split: str | None = None,
) -> Reading:
    """The reading options of data, of which some are files; records and frames have none.

    Args:
        data: the given data; None for those that weren't given.
        columns: roles to columns, as a mapping or in the form of the command line.
        format: as in :class:`textkin.data.readers.Reading`, and so are the others; or a function.
        quoting: interpretation of double quotes.
        encoding: text encoding.
        questions: the question set of candidates.
        reference: the reference of candidates.
        labels: the label of SICK or SemEval.
        split: the split of a data set.

    Raises:
        UsageError: an option is wrong, or given for data that it doesn't apply to.
    """
    reading = Reading(
        columns=roles_of(columns),
        format=format_name(format),
        quoting=quoting,
        encoding=encoding,
        questions=questions,
        reference=reference,
        labels=labels,
        split=split,
    )
    if any(path_of(one) is not None for one in data):
        return reading
    _refuse_options_of_files(reading, data)
    return Reading(questions=questions)


def _refuse_options_of_files(reading: Reading, data: Iterable[Any]) -> None:
    """Check that no option is given that only files have, or that only data with columns have.

    Raises:
        UsageError: one is.
    """
    if reading.columns is not None and all(_columns_of(one) is None for one in data):
        raise inapplicable("columns", to="data without columns")
    if wrong := [name for name in _OF_FILES if getattr(reading, name) != getattr(Reading(), name)]:
        raise inapplicable(*wrong, to="data in memory")


def format_name(given: Any) -> str:
    """The name of a format, or the import path of a function that reads one.

    Raises:
        UsageError: other programs couldn't find the function.
    """
    return given if isinstance(given, str) else path_of_object(given, kind="format")[0]


def roles_of(columns: Any) -> Mapping[str, str] | None:
    """Roles to columns, of a mapping, of ``a=question1,b=question2``, or of two texts and a label in order.

    Raises:
        UsageError: it is neither, or a role is unknown.
    """
    if columns is None or isinstance(columns, str):
        return None if columns is None else parse_columns(columns)
    if isinstance(columns, list | tuple) and len(columns) in (2, 3):
        return dict(zip(("a", "b", "label"), map(str, columns), strict=False))
    if not isinstance(columns, Mapping):
        raise invalid("columns", columns, expected="roles and their columns", fix="write {'a': 'question1'}")
    for role in columns:
        if role not in ALL_ROLES:
            raise unknown_choice("columns", role, ALL_ROLES)
    return columns


def check_order(data: Any, models: Any) -> None:
    """Check that predictions that ids or texts don't join have the rows of the data in their order.

    Raises:
        UsageError: one has them in another order.
    """
    columns = list(map(str, _columns_of(tabular(data)) or ()))
    are_pairs, of_id = find_pair_columns(columns) != (None, None), find_pair_id(columns)
    own = "" if of_id is None else plain_names(columns)[of_id]
    for name, given in models.items() if isinstance(models, Mapping) else ():
        for one in given if isinstance(given, list | tuple) else [given]:
            header = list(map(str, column_names(tabular(one)) or ()))
            has_ids = own in plain_names(header) if are_pairs else find_id_column(header) is not None
            if find_pair_columns(header) == (None, None) and not has_ids:
                require_order(data, one, str(name))


def given_pairs(data: Any, columns: Any, name: str = "pairs", *, questions: Questions | None = None) -> Any:
    """The pairs, or the exam, of a data frame or a list, by the argument's name; other data as they are.

    A frame's columns have the roles that are given, or names that are known in files, or are the only two or
    three, in order. Columns of another kind of data, such as exams, make its records. Of rows with a
    candidate each, the questions that a file's reader would keep are kept.

    Raises:
        UsageError: there are no such columns, a row is not a pair, or a question set is given for other data.
        DataError: the labels are inconsistent.
    """
    from textkin.kinds.registry import kind_of  # heavy

    if isinstance(data, Mapping) and any(isinstance(column, Mapping) for column in data.values()):
        fix = "give a run, and judgements as `qrels`, or rows with two texts and a label"
        raise invalid(name, data, expected="columns of texts and labels", fix=fix)
    names, roles = _columns_of(data), roles_of(columns)
    made = _records_in(data, names, roles)
    if questions is not None and data is not None and path_of(data) is None:
        if made is not data and isinstance(made, CandidateSet) and made.questions:
            made = select_questions(made, questions, source=made.name)
        elif questions != Reading().questions:
            raise inapplicable("questions", to="these data, which aren't rows with a candidate each")
    if made is not data and kind_of(made) is not None:
        return made if name == "pairs" else replace(made, name=name)
    if names is not None:
        return table_pairs(data, names, roles, name=name)
    return as_pairs(data, name=name) if _holds_pairs(data) else data


def _records_in(data: Any, names: Sequence[Any] | None, roles: Mapping[str, str] | None) -> Any:
    """The records of another kind than pairs in a table with these columns, or in rows; else the data.

    Raises:
        UsageError: there is no such column.
        DataError: the roles are those of queries with candidates, and a column is missing.
    """
    from textkin.kinds.registry import records_of  # heavy

    if names is None:
        return records_of(data)
    if roles is None:
        return records_of(data, {name: name for name in names})
    if not of_ranking(roles):
        return data
    known = {role: names[place] for role, place in ranking_columns(list(map(str, names))).items()}
    known |= {role: known_column(names, column, "columns") for role, column in roles.items()}
    require_texts(known, "the table")
    return records_of(data, known)


def _columns_of(data: Any) -> list[Any] | None:
    """The columns of a frame, or of a mapping from their names to lists."""
    return list(data) if isinstance(data, Mapping) else column_names(data)


@contextmanager
def pairs_file(
    data: Any, columns: Any, name: str = "pairs", reading: Reading | None = None
) -> Iterator[Path]:
    """Yield the file of pairs, or a temporary one with records or rows in memory, by the argument's name.

    A corpus in memory becomes a folder.

    The columns of a temporary file have the names by which ``reading`` reads the files beside it.

    Raises:
        UsageError: the data are neither.
    """
    if (path := path_of(data)) is not None:
        yield path
        return
    from textkin.kinds.registry import load_data

    records = load_data(given_pairs(data, columns, name))[1].data
    with TemporaryDirectory(prefix=IN_MEMORY) as folder:
        called = re.sub(r"[^\w.-]+", "-", records.name).strip(".-") or name
        if isinstance(records, RetrievalSet):
            write_beir(records, Path(folder) / called, split=name)
            yield Path(folder) / called
            return
        path = Path(folder) / f"{called.removesuffix('.jsonl')}.jsonl"
        called_in = (reading and reading.columns) or {}
        rows = (
            {called_in.get(key, key): value for key, value in row.items() if value is not None}
            for row in records.rows()
        )
        write_text(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        yield path


@dataclass(frozen=True, slots=True)
class PairInput:
    """Pairs of texts that a verb was given.

    Attributes:
        pairs: the texts.
        rows: the number of each pair's row in its file, or its place, from 1.
        index: the index of a pandas frame or column; None of anything else.
        source: the file; None for pairs in memory.
        single: True for two texts, each given as a string.
    """

    pairs: Sequence[tuple[str, str]]
    rows: Sequence[int]
    index: Any = None
    source: Path | None = None
    single: bool = False


def pairs_from(a: Any, b: Any, reading: Reading) -> PairInput:
    """The pairs of two texts, of two lists of texts, of a list of pairs, of a frame or of a file.

    Of queries with candidates these are all, also those that are not measured. Rows that a file's
    reader skips are reported.

    Args:
        a: a text or texts; without ``b`` pairs, or a path.
        b: a text or texts; one text is paired with each of several.
        reading: the reading options of a file or a frame.

    Raises:
        UsageError: it is none of these, or there are not as many texts on both sides.
        DataError: the file can't be read.
    """
    if b is not None:
        _refuse_options_of_files(reading, ())
        return _two_sides(a, b)
    from textkin.kinds.registry import kind_of, load_data

    path = path_of(a)
    if path is None:
        _refuse_options_of_files(reading, [a])
    else:
        kind, loaded = load_data(path, reading=reading, every=True)
        note_read(loaded.report)
        return _of_records(kind.text_pairs(loaded.data), path)
    single = is_pair(a)
    columns = _columns_of(a)
    records = _records_in(a, columns, reading.columns)
    if (known := kind_of(records)) is not None:
        return _of_records(known.text_pairs(records), index=index_of(a))
    if columns:
        found = pair_columns(a, columns, reading.columns, "pairs")
        sides = {"a": columns[found.a], "b": columns[found.b]}
        pairs = list(zip(*(texts_of(a[column], name=role) for role, column in sides.items()), strict=True))
    else:
        pairs = labelled_pairs_of(a)[0]
    return PairInput(pairs, range(1, len(pairs) + 1), index_of(a), single=single)


def pairs_and_model(a: Any, b: Any, model: Any) -> tuple[Any, Any, Any]:
    """The arguments ``a``, ``b`` and ``model`` of a score, of which pairs take two: they and a model.

    Raises:
        UsageError: pairs stand beside something else, or beside a second model.
    """
    path = path_of(a, or_text=True)
    if b is None or (isinstance(a, str) and path is None):
        return a, b, model
    from textkin.verbs.argument_order import is_model  # heavy, and not for two texts

    are_pairs = isinstance(a, PairSet) or column_names(a) is not None or _holds_pairs(a)
    if (are_pairs or is_pair(a) or path is not None) and model == DEFAULT and is_model(b):
        return a, None, b
    if are_pairs or (path is not None and is_file(path)):
        named = isinstance(b, str) and not any(map(str.isspace, b))
        if named and model == DEFAULT and path_of(b, or_text=True) is None:
            return a, None, b  # which is refused as a model is, with the nearest name
        raise invalid("b", b, expected="a model, or nothing, after pairs", fix="name one model")
    if isinstance(b, str) and is_model(b):
        note(f"{b!r} is taken as a text, not as the model of that name; a model is named: `model={b}`")
    return a, b, model


def _of_records(pairs: PairSet, source: Path | None = None, *, index: Any = None) -> PairInput:
    """The pairs in the order of their rows, and the labels of these in a frame's index."""
    if not len(pairs) or any(pair.row < 0 for pair in pairs):
        rows = [place if pair.row < 0 else pair.row + 1 for place, pair in enumerate(pairs, 1)]
        return PairInput(pairs.texts, rows, source=source)
    ordered = sorted(pairs, key=lambda pair: pair.row)
    places = [pair.row for pair in ordered]
    texts, rows = [(pair.a, pair.b) for pair in ordered], [place + 1 for place in places]
    return PairInput(texts, rows, None if index is None else index[places], source=source)


def _two_sides(a: Any, b: Any) -> PairInput:
    lone = [isinstance(side, str) for side in (a, b)]
    b = _by_index(a, b)
    one, other = (
        [side] if isinstance(side, str) else texts_of(side, name=name) for side, name in ((a, "a"), (b, "b"))
    )
    count = max(len(one), len(other)) if any(lone) else len(one)
    one, other = (texts * count if alone else texts for texts, alone in zip((one, other), lone, strict=True))
    if len(one) != len(other):
        raise invalid(
            "b",
            f"{len(other):,} texts",
            expected=f"as many as `a` has, {len(one):,}",
            fix="give a text alone, in no list, to compare it with each of the others",
        )
    index = next((side.index for side in (a, b) if hasattr(side, "iloc")), None)
    return PairInput(list(zip(one, other, strict=True)), range(1, count + 1), index, single=all(lone))


def _by_index(a: Any, b: Any) -> Any:
    """A column in the order of another's index, as pandas would join them.

    Raises:
        UsageError: the indexes hold different labels, or one twice.
    """
    labelled = all(hasattr(side, "iloc") for side in (a, b)) and len(a) == len(b)
    if not labelled or a.index.equals(b.index):
        return b
    if not (a.index.is_unique and b.index.is_unique and set(a.index) == set(b.index)):
        fix = "give both the same, or pass their values"
        raise invalid("b", "a column with another index", expected="the index of `a`", fix=fix)
    return b.reindex(a.index)


def _holds_pairs(data: Any) -> bool:
    if not isinstance(data, list) or not data:
        return False
    row = data[0]
    return is_pair(row) or (isinstance(row, list | tuple) and bool(row) and isinstance(row[0], str))


def corpora_of(options: Mapping[str, Any]) -> Corpora:
    """The corpora of exams by the options of a verb, as its ``locals()`` have them.

    Raises:
        UsageError: a number is below 1, or a path is none.
    """
    from textkin.kinds.exam_corpora import Corpora  # heavy, and for few verbs

    return Corpora(
        corpus=paths_of(options["corpus"], "corpus"),
        support=paths_of(options["support"], "support"),
        k=options["voters"],
        question_scorer=options["question_scorer"],
        answer_scorer=options["answer_scorer"],
        keep_leaks=options["keep_leaks"],
        depth=options["depth"],
    )


def names_of(given: Any, name: str) -> tuple[str, ...] | None:
    """Names from a list, or from one text with commas between them; None from None.

    Raises:
        UsageError: it is neither.
    """
    if given is None or isinstance(given, str):
        return None if given is None else names_in(given)
    return tuple(str(one) for one in several([given] if isinstance(given, Path) else given, name))


def paths_of(given: Any, name: str) -> tuple[Path, ...]:
    """Paths from a list, or from one path; none from None.

    Raises:
        UsageError: it is neither.
    """
    if given is None:
        return ()
    return tuple(Path(one) for one in several([given] if isinstance(given, str | Path) else given, name))


def in_memory(given: Any, name: str) -> tuple[Any, ...]:
    """Paths or records from a list of them, or from one; none from None.

    Raises:
        UsageError: it is neither.
    """
    if given is None:
        return ()
    from textkin.kinds.registry import kind_of

    is_one = (
        isinstance(given, str | Path)
        or kind_of(given) is not None
        or _columns_of(given) is not None
        or _holds_pairs(given)
    )
    return several([given] if is_one else given, name)


def models_of(given: Any) -> Any:
    """One model or several as a list, or systems by name as they are; none from None.

    Raises:
        TypeError: data stand in the place of the models.
    """
    if column_names(given) is not None:
        raise TypeError("the call takes the data first, then the models")
    if given is None or isinstance(given, Mapping):
        return given or []
    alone = isinstance(given, str | Path) or any(hasattr(given, name) for name in MODEL_METHODS)
    return [given] if alone or not isinstance(given, Iterable) else list(given)
