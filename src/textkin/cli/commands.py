"""The table of commands: what each is for, in the order in which a newcomer meets them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "Take the whole tour in about a minute, on bundled data.",
        "study": "Train models on your pairs and say if they are worth using.",
        "lint": "Say what is odd in files of pairs, and what they share.",
        "split": "Split pairs into train, dev and test files that share no text.",
        "convert": "Turn questions with answer spans into candidates to rank.",
        "negatives": "Mine hard negatives for the anchors of positive pairs.",
        "train": "Train one recipe; go on where it was interrupted.",
        "distil": "Turn a transformer into a static encoder, which is far faster.",
        "evaluate": "Measure a model beside honest baselines.",
        "compare": "Measure several models that exist and test their differences.",
        "agree": "Tell who decides as whom, and errs as whom.",
        "ensemble": "Combine models and baselines into one.",
        "contest": "Train recipes with several seeds, and test differences.",
        "calibrate": "Fit a model's threshold and probabilities to labelled pairs.",
        "label": "Judge pairs until a precision is proven.",
        "score": "Score two texts, or the pairs of a file.",
        "explain": "Show which words make the score of two texts.",
        "classify": "Give texts the labels of their nearest examples.",
        "answer": "Find the words in passages that answer a question.",
        "choose": "Choose an answer to each question of an exam.",
        "encode": "Encode texts: one vector a text, in the order of the file.",
        "mine": "Mine pairs of texts that say nearly the same.",
        "dedupe": "Decide which texts can go, since others say the same.",
        "cluster": "Put texts into groups that say nearly the same, and name them.",
        "hash": "Make short codes of texts: similar texts differ in few bits.",
        "add": "Add texts to a collection that remembers them.",
        "search": "Search a collection by words, by vectors, or by both.",
        "match": "Tell of a text whether somebody said this before.",
        "watch": "Tell whether matches are still as they were at calibration.",
        "remove": "Remove entries from a collection, by id or by a filter.",
        "inspect": "Tell what a collection holds; check, repair or export it.",
        "serve": "Serve models and collections by HTTP.",
        "api-key": "Make a key for those who may ask a server.",
        "mcp": "Give an assistant tools to search collections.",
        "export": "Write a model for another runtime, with proof of parity.",
        "passport": "Tell a model from all others, and keep its threshold with it.",
        "measure": "Measure TREC runs, or SQuAD predictions, with intervals.",
        "recipes": "List the bundled recipes, or show one: what to train and how.",
        "verify": "Check a study or contest: its hashes and figures.",
        "completion": "Print a script that completes commands, options and names.",
        "doctor": "Print system information for a bug report: versions, processor, folders.",
        "phrases": "Answer by phrases whose vectors know no question.",
    }
)
"""Each with its help's first sentence, in the order in which a newcomer meets them.

So the list is shown without a look at the modules, which takes longer than all else.
"""
