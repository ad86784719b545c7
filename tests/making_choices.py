"""Questions with choices for tests."""

import numpy as np

from textkin.data.choice_records import ChoiceQuestion, ChoiceSet


def exam(count=12, *, choices=4, seed=0, answered=True):
    """Questions with random right choices."""
    rng = np.random.default_rng(seed)
    return ChoiceSet(
        tuple(
            ChoiceQuestion(
                str(number),
                f"Which is {number}?",
                tuple(f"choice {number} {place}" for place in range(choices)),
                int(rng.integers(choices)) if answered else None,
            )
            for number in range(count)
        ),
        "exam",
    )


def as_table(data):
    """The challenge's table of questions with four choices."""
    rows = ["id\tquestion\tcorrectAnswer\tanswerA\tanswerB\tanswerC\tanswerD"]
    rows += ["\t".join((one.question_id, one.question, one.letter, *one.choices)) for one in data]
    return "\n".join(rows) + "\n"


class Told:
    """Returns given scores, by question id."""

    def __init__(self, scores, name="told"):
        self.scores, self.name = scores, name

    def choose(self, questions):
        return np.array([self.scores[one.question_id] for one in questions], dtype=np.float32)


def knowing(data, right, name="knowing"):
    """A chooser that is right on the first ``right`` questions and wrong on all others."""
    scores = {}
    for number, one in enumerate(data):
        row = np.zeros(len(one.choices))
        row[one.answer if number < right else (one.answer + 1) % len(one.choices)] = 1
        scores[one.question_id] = row
    return Told(scores, name)
