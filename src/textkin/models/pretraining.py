"""Public data sets that a pretrained model has learnt from, as its makers state them.

No hashes of such texts are at hand, so nothing tells which rows a model knows. What can be said is that the
figures on these data sets aren't those of a model that never saw them.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from textkin.base.hub import DEFAULT, MINILM, name_of
from textkin.base.json_fields import read_object, strings, table
from textkin.base.paths import is_file
from textkin.models.interop.folder_kinds import MANIFEST

PRETRAINED_ON = "pretrained_on"
"""The key of a model folder's provenance with the data sets' names."""

# The names of data sets, and how they are recognised in those of files.
_DATASETS: Mapping[str, str] = MappingProxyType(
    {
        "Quora's question pairs": "quora|qqp",
        "SNLI": "snli",
        "MultiNLI": "mnli|multinli",
        "SQuAD": "squad",
        "Natural Questions": "nq|natural.?questions",
        "TriviaQA": "trivia.?qa",
        "MS MARCO": "ms.?marco",
        "Stack Exchange": "stack.?(exchange|overflow)|cqadupstack|askubuntu",
        "Yahoo Answers": "yahoo.?answers",
        "ELI5": "eli5",
    }
)
# sentence-transformers' all-* models learnt from all of these.
_ALL = (DEFAULT, MINILM, "all-minilm-l6-v2", "all-minilm-l12-v2", "all-mpnet-base-v2")
_KNOWN: Mapping[str, tuple[str, ...]] = MappingProxyType(dict.fromkeys(_ALL, tuple(_DATASETS)))


def pretraining_of(folder: Path) -> tuple[str, ...]:
    """The public data sets that a model, or the one it started from, was pretrained on; empty if unknown.

    For ``default`` these are its teacher's.

    Raises:
        ModelError: the model's manifest is damaged.
    """
    if is_file(path := folder / MANIFEST):
        provenance = table(read_object(path), "provenance", path)
        return tuple(strings({PRETRAINED_ON: [], **provenance}, PRETRAINED_ON, path))
    return _KNOWN.get(name_of(folder).rpartition("/")[2].casefold(), ())


def named_in(datasets: Sequence[str], path: Path) -> tuple[str, ...]:
    """The data sets named in a file's name or its folder's."""
    place = "/".join(path.parts[-2:]).casefold()
    return tuple(
        name for name in datasets if re.search(rf"(?<![a-z])({_DATASETS[name]})(?![a-z])", place) is not None
    )


def pretraining_in_words(datasets: Sequence[str]) -> str:
    """A sentence for a model's card; "" if nothing is known."""
    if not datasets:
        return ""
    return (
        f"What it started from was pretrained on public data, among them {', '.join(datasets[:-1])} and "
        f"{datasets[-1]}: its figures on these are not those of a model that never saw them."
    )
