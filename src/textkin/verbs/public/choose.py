"""``tk.choose``: which choice answers a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.errors import inapplicable
from textkin.base.python_inputs import path_of, several
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.readers.choices import read_choices
from textkin.data.readers.from_python import as_loaded
from textkin.data.readers.read_report import Loaded
from textkin.kinds.measuring import Options
from textkin.kinds.systems import AnyModel
from textkin.verbs.choose.choose import Chosen
from textkin.verbs.choose.choose import choose as choose_answers


@checked
def choose(
    questions: Path | str | ChoiceSet | Sequence[ChoiceQuestion],
    *,
    method: AnyModel,
    out: Path | str | None = None,
    kaggle: bool = False,
    explain: int | None = None,
    split: str | None = None,
    options: Options | None = None,
) -> Chosen:
    """Choose an answer to each question.

    Args:
        questions: the path of a table, of JSON lines or of MovieQA, or records.
        method: a folder, a cached model's name, a baseline such as ``longest`` or ``bm25``, ``lucene`` or
            ``support:MODEL`` with :class:`Corpora` in the options, or an object with ``name`` and
            ``choose(questions)``, or with ``score(pairs)``.
        out: a file for id, letter and scores.
        kaggle: write ids and letters only, with a header.
        explain: number of hits to show for each choice, those that counted most, for ``lucene`` and
            ``support:MODEL``.
        split: of MovieQA.
        options: options of measuring, where all right choices are known.

    Raises:
        UsageError: there is no such method, it can't choose, or an option doesn't fit.
        DataError: the questions can't be read; the error names the line.
        LeakError: the model was trained on these questions.
        ModelError: a model can't be read.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> asked = [tk.ChoiceQuestion("1", "What do bees make?", ("milk", "honey of bees"), answer=1)]
        >>> from textkin.kinds.measuring import Options
        >>> found = tk.choose(asked, method="tfidf", options=Options(baselines=("first",)))
        >>> found.choices[0].choice, found.measured.measure
        ('honey of bees', 'accuracy')
    """
    place = None if out is None else Path(out)
    loaded = _loaded(questions, split)
    return choose_answers(loaded, method, out=place, kaggle=kaggle, explain=explain, options=options)


def _loaded(questions: Any, split: str | None) -> Loaded[ChoiceSet]:
    if (path := path_of(questions)) is not None:
        return read_choices(path, split=split)
    if split is not None:
        raise inapplicable("split", to="records: it names a part of a folder")
    given = questions if isinstance(questions, ChoiceSet) else ChoiceSet(several(questions, "questions"))
    return as_loaded(given)
