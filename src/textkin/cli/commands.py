"""The table of commands: the place and purpose of each, in the order in which a newcomer meets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from textkin.base.errors import did_you_mean


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """A command in the table.

    Attributes:
        where: the module and the verb, "module:verb"; a module alone has a function ``command``.
        summary: the first sentence of its help, here so that the list of commands imports no verb.
        dialogue: the module and the function that goes through the verb's result with a person, before it is
            printed; "" for none. Its options are the command's, too.
    """

    where: str
    summary: str
    dialogue: str = ""


COMMANDS: Mapping[str, Entry] = MappingProxyType(
    {
        "demo": Entry(
            "textkin.verbs.experiments.demo:demo", "Take the whole tour in about a minute, on bundled data."
        ),
        "study": Entry(
            "textkin.verbs.experiments.study:study",
            "Train models on your data and report whether they beat baselines.",
        ),
        "data lint": Entry(
            "textkin.verbs.data.lint:lint", "Check pair files for errors and for train/test leaks."
        ),
        "data split": Entry(
            "textkin.verbs.data.split:split", "Split pairs into train, dev and test files that share no text."
        ),
        "data convert": Entry(
            "textkin.verbs.data.convert:convert", "Turn questions with answer spans into candidates to rank."
        ),
        "data negatives": Entry(
            "textkin.verbs.negatives.negatives:negatives",
            "Mine hard negatives for the anchors of positive pairs.",
        ),
        "train": Entry("textkin.verbs.train.train:train", "Train one recipe; resumes an interrupted run."),
        "distil": Entry(
            "textkin.verbs.deploy.distil:distil",
            "Turn a transformer into a static encoder, which is far faster.",
        ),
        "compare": Entry(
            "textkin.verbs.evaluate.compare:compare",
            "Measure models beside baselines, and test their differences.",
        ),
        "ensemble": Entry(
            "textkin.verbs.ensemble.ensemble:ensemble", "Combine models and baselines into one."
        ),
        "calibrate": Entry(
            "textkin.verbs.evaluate.calibrate:calibrate",
            "Fit a model's threshold and probabilities to labelled pairs.",
        ),
        "label": Entry(
            "textkin.verbs.label.label:label",
            "Label pairs until a precision is proven.",
            dialogue="textkin.cli.labelling:label_by_hand",
        ),
        "score": Entry("textkin.verbs.use.score:score", "Score two texts, or the pairs of a file."),
        "classify": Entry(
            "textkin.verbs.classify.classify:classify", "Give texts the labels of their nearest examples."
        ),
        "answer": Entry(
            "textkin.verbs.answer.answer:answer",
            "Find the answer to a question in passages, or choose the answers of an exam.",
        ),
        "encode": Entry(
            "textkin.verbs.use.encode:encode", "Encode texts: one vector per text, in their order."
        ),
        "mine": Entry("textkin.verbs.mine.mine:mine", "Find pairs of texts that mean nearly the same."),
        "dedupe": Entry("textkin.verbs.dedupe.dedupe:dedupe", "Find duplicate texts that can be removed."),
        "cluster": Entry(
            "textkin.verbs.cluster.cluster:cluster",
            "Group texts that say nearly the same, and name the groups.",
        ),
        "collection add": Entry(
            "textkin.verbs.collections.add:add",
            "Add texts to a collection, which is created if it doesn't exist.",
        ),
        "collection remove": Entry(
            "textkin.verbs.collections.remove:remove",
            "Remove entries from a collection, by id or by a filter.",
        ),
        "collection info": Entry(
            "textkin.verbs.collections.maintenance:collection_info",
            "Show what a collection holds: entries, model, sizes, calibration.",
        ),
        "collection check": Entry(
            "textkin.verbs.collections.maintenance:check_collection",
            "Check every row and file of a collection for damage.",
        ),
        "collection repair": Entry(
            "textkin.verbs.collections.maintenance:repair_collection",
            "Rebuild a collection's cache, and save what a damaged database still holds.",
        ),
        "collection compact": Entry(
            "textkin.verbs.collections.maintenance:compact_collection",
            "Free the space of removed entries, and merge the files of the cache.",
        ),
        "collection index": Entry(
            "textkin.verbs.collections.maintenance:index_collection",
            "Make an index for approximate search, and measure its recall.",
        ),
        "collection export": Entry(
            "textkin.verbs.collections.maintenance:export_collection",
            "Write the entries of a collection to a file: ids, texts and metadata.",
        ),
        "collection watch": Entry(
            "textkin.verbs.collections.watch:watch", "Detect drift in match scores since calibration."
        ),
        "search": Entry(
            "textkin.verbs.collections.search:search",
            "Search a collection, or texts, by words, by vectors, or by both.",
        ),
        "match": Entry(
            "textkin.verbs.collections.match:match", "Check whether texts duplicate entries of a collection."
        ),
        "serve": Entry("textkin.server.serve:serve", "Serve models and collections by HTTP."),
        "export": Entry(
            "textkin.verbs.deploy.export:export", "Write a model for another runtime, with proof of parity."
        ),
        "verify": Entry("textkin.verbs.use.verify:verify", "Check a study's figures, or a model's identity."),
        "doctor": Entry(
            "textkin.cli.doctor", "Print system information for a bug report: versions, processor, folders."
        ),
        "phrases split": Entry("textkin.cli.phrases:split", "Split SQuAD into contexts and questions."),
        "phrases embed-contexts": Entry(
            "textkin.cli.phrases:embed_contexts", "Write the vectors of each context's phrases."
        ),
        "phrases embed-questions": Entry(
            "textkin.cli.phrases:embed_questions", "Write the vector of each question."
        ),
        "phrases merge": Entry("textkin.cli.phrases:merge", "Answer each question by its nearest phrase."),
        "phrases evaluate": Entry("textkin.cli.phrases:evaluate", "Measure answers by SQuAD's rules."),
        "phrases index": Entry(
            "textkin.cli.phrases:index", "Build an index of the phrases of many passages."
        ),
        "phrases search": Entry(
            "textkin.cli.phrases:search", "Find the phrases that answer a question best."
        ),
        "phrases audit": Entry(
            "textkin.cli.phrases:audit", "Measure the recall of an approximate search again."
        ),
    }
)
"""By their names; of a command in a group two words."""

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "data": "Check, split and convert labelled data, and mine negatives for it.",
        "collection": "Keep texts with their vectors, to search and match them.",
        "phrases": "Answer questions from a prebuilt phrase index.",
    }
)
"""The purpose of each group of commands."""

FRONT = ("demo", "study", "compare", "dedupe", "mine", "label", "calibrate", "search", "match", "serve")
"""The commands that ``textkin --help`` describes. It names the others, which ``--help-all`` describes."""


def listed(group: str = "") -> dict[str, str]:
    """The commands of a group, or the commands and groups of the program, each with its purpose."""
    if not group:
        return {name.split()[0]: GROUPS.get(name.split()[0], one.summary) for name, one in COMMANDS.items()}
    inside = f"{group} "
    return {
        name.removeprefix(inside): one.summary for name, one in COMMANDS.items() if name.startswith(inside)
    }


def near_command(word: str, group: str = "") -> str:
    """The fix for a command that a group, or the program, doesn't have."""
    elsewhere = [name for name in COMMANDS if name.endswith(f" {word}") and not group]
    return f"did you mean {elsewhere[0]!r}?" if elsewhere else did_you_mean(word, listed(group))
