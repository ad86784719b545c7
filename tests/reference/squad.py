"""SQuAD's official rules reimplemented, slowly: loops, no arrays."""

from __future__ import annotations

import math

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def is_word_character(character):
    return character.isalnum() or character == "_"


def plain(text):
    """Small letters, no ASCII punctuation, no articles as whole words, single blanks."""
    letters = [letter for letter in text.lower() if letter not in PUNCTUATION]
    runs = []  # of word characters, and of others
    for letter in letters:
        if runs and is_word_character(runs[-1][-1]) == is_word_character(letter):
            runs[-1] += letter
        else:
            runs.append(letter)
    return " ".join("".join(" " if run in ("a", "an", "the") else run for run in runs).split())


def overlap(found, wanted):
    left, same = list(wanted), 0
    for word in found:
        if word in left:
            left.remove(word)
            same += 1
    return same


def f1(prediction, answer, version):
    found, wanted = plain(prediction).split(), plain(answer).split()
    if version == "2.0" and (found == [] or wanted == []):
        return 1 if found == wanted else 0
    same = overlap(found, wanted)
    if same == 0:
        return 0
    precision, recall = same / len(found), same / len(wanted)
    return (2 * precision * recall) / (precision + recall)


def evaluate_1(gold, predictions):
    exact = total = 0
    f1_sum = 0.0
    for question, answers in gold.items():
        total += 1
        if question not in predictions:
            continue
        exact += max(int(plain(predictions[question]) == plain(one)) for one in answers)
        f1_sum += max(f1(predictions[question], one, "1.1") for one in answers)
    return {"exact_match": 100.0 * exact / total, "f1": 100.0 * f1_sum / total}


def evaluate_2(gold, predictions, no_answer=None, threshold=1.0):
    raw = {"exact": {}, "f1": {}}
    for question, answers in gold.items():
        if question in predictions:
            wanted = [one for one in answers if plain(one) != ""] or [""]
            said = predictions[question]
            raw["exact"][question] = max(int(plain(said) == plain(one)) for one in wanted)
            raw["f1"][question] = max(f1(said, one, "2.0") for one in wanted)
    decided = {name: dict(values) for name, values in raw.items()}
    for question in [] if no_answer is None else raw["exact"]:
        if no_answer[question] > threshold:
            decided["exact"][question] = decided["f1"][question] = float(len(gold[question]) == 0)
    found = {}
    for prefix, kinds in (("", (True, False)), ("HasAns_", (True,)), ("NoAns_", (False,))):
        chosen = [question for question in decided["exact"] if (len(gold[question]) > 0) in kinds]
        if chosen:
            found[prefix + "exact"] = percent(decided["exact"], chosen)
            found[prefix + "f1"] = percent(decided["f1"], chosen)
            found[prefix + "total"] = len(chosen)
    for name, values in [] if no_answer is None else raw.items():
        found["best_" + name], found["best_" + name + "_thresh"] = sweep(gold, predictions, values, no_answer)
    return found


def percent(values, chosen):
    added = 0
    for question in chosen:
        added += values[question]
    return 100.0 * added / len(chosen)


def sweep(gold, predictions, values, no_answer):
    """From "no answer" to everything, answering one question after the other."""
    waiting = list(no_answer)
    order = []
    while waiting:  # a stable sort: always the first of the smallest
        smallest = min(waiting, key=no_answer.get)
        waiting.remove(smallest)
        order.append(smallest)
    current = sum(1 for answers in gold.values() if len(answers) == 0)
    best, threshold = current, 0.0
    for question in order:
        if question not in values:
            continue
        if len(gold[question]) > 0:
            current += values[question]
        elif predictions[question] != "":
            current -= 1
        if current > best:
            best, threshold = current, no_answer[question]
    return 100.0 * best / len(values), threshold


def risk_coverage(losses, confidence):
    """Points and area: at each number of answers, ties of the last one are included."""
    points, area = [], 0.0
    for cut in sorted(set(confidence), reverse=True):
        inside = [loss for loss, sure in zip(losses, confidence, strict=True) if sure >= cut]
        risk = math.fsum(inside) / len(inside)
        points.append((len(inside) / len(losses), risk))
        area += risk * confidence.count(cut) / len(losses)
    return points, area
