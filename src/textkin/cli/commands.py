"""The table of commands: the place of each, in the order in which a newcomer meets them."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from textkin.base.errors import did_you_mean
from textkin.base.neighbour_words import MEANT

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "textkin.verbs.experiments.demo:demo",
        "study": "textkin.verbs.experiments.study:study",
        "table": "textkin.verbs.experiments.table:table",
        "data lint": "textkin.verbs.data.lint:lint",
        "data split": "textkin.verbs.data.split:split",
        "data convert": "textkin.verbs.data.convert:convert",
        "data negatives": "textkin.verbs.negatives.negatives:negatives",
        "train": "textkin.verbs.train.train:train",
        "distil": "textkin.verbs.deploy.distil:distil",
        "compare": "textkin.verbs.evaluate.compare:compare",
        "ensemble": "textkin.verbs.ensemble.ensemble:ensemble",
        "calibrate": "textkin.verbs.evaluate.calibrate:calibrate",
        "label": "textkin.verbs.label.label:label",
        "score": "textkin.verbs.use.score:score",
        "classify": "textkin.verbs.classify.classify:classify",
        "answer": "textkin.verbs.answer.answer:answer",
        "encode": "textkin.verbs.use.encode:encode",
        "mine": "textkin.verbs.mine.mine:mine",
        "dedupe": "textkin.verbs.dedupe.dedupe:dedupe",
        "cluster": "textkin.verbs.cluster.cluster:cluster",
        "collection add": "textkin.verbs.collections.add:add",
        "collection remove": "textkin.verbs.collections.remove:remove",
        "collection info": "textkin.verbs.collections.maintenance:collection_info",
        "collection check": "textkin.verbs.collections.maintenance:check_collection",
        "collection repair": "textkin.verbs.collections.maintenance:repair_collection",
        "collection compact": "textkin.verbs.collections.maintenance:compact_collection",
        "collection index": "textkin.verbs.collections.maintenance:index_collection",
        "collection export": "textkin.verbs.collections.maintenance:export_collection",
        "collection watch": "textkin.verbs.collections.watch:watch",
        "search": "textkin.verbs.collections.search:search",
        "match": "textkin.verbs.collections.match:match",
        "runs": "textkin.verbs.runs.runs:runs",
        "serve": "textkin.server.serve:serve",
        "export": "textkin.verbs.deploy.export:export",
        "verify": "textkin.verbs.use.verify:verify",
        "doctor": "textkin.cli.doctor:command",
        "models": "textkin.verbs.use.models:list_models",
        "phrases index": "textkin.verbs.phrases.indexes:index",
        "phrases add": "textkin.verbs.phrases.indexes:add",
        "phrases search": "textkin.verbs.phrases.indexes:search",
        "phrases evaluate": "textkin.verbs.phrases.indexes:evaluate",
        "phrases split": "textkin.verbs.phrases.files:split",
        "phrases embed": "textkin.verbs.phrases.files:embed",
        "phrases merge": "textkin.verbs.phrases.files:merge",
    }
)
"""The module and the function of each, by their names; of a command in a group two words."""

DIALOGUES: Mapping[str, str] = MappingProxyType({"label": "textkin.cli.labelling:label_by_hand"})
"""The module and the function that goes through a verb's result with a person, before it is printed. Its
options are the command's, too.
"""

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "data": "Check, split and convert labelled data, and mine negatives for it.",
        "collection": "Keep texts with their vectors, to search and match them.",
        "phrases": "Answer questions by phrases that were encoded before.",
    }
)
"""The purpose of each group of commands."""

FRONT = ("demo", "study", "compare", "dedupe", "mine", "label", "calibrate", "search", "match", "serve")
"""The commands that ``textkin --help`` describes. It names the others, which ``--help-all`` describes."""


def listed(group: str = "") -> list[str]:
    """The commands of a group, or the commands and groups of the program."""
    paths = [name.split() for name in COMMANDS]
    if not group:
        return list(dict.fromkeys(path[0] for path in paths))
    return [path[1] for path in paths if path[0] == group and len(path) > 1]


def near_command(word: str, group: str = "") -> str:
    """The fix for a command that a group, or the program, doesn't have."""
    if word in ("help", "version"):
        return f"did you mean '--{word}'?"
    others = {} if group else {other: name for other, name in MEANT.items() if name in COMMANDS}
    within = (name for name in COMMANDS if name.endswith(f" {word}") and not group)
    found = others.get(word) or next(within, None)
    if found is None:
        near = get_close_matches(word, [*others, *listed(group)], n=1)
        found = next((others[one] for one in near if one in others), None)
    return f"did you mean {found!r}?" if found else did_you_mean(word, listed(group))
