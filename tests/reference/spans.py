"""A slow sliding window."""

import math
import re


def sliding_window(question, passage, length):
    """(start, end, score) of every run that may be an answer."""
    words = [(one.group().lower(), one.start(), one.end()) for one in re.finditer(r"\w+", passage)]
    asked = {one.lower() for one in re.findall(r"\w+", question)}
    texts = [word for word, _, _ in words]

    def worth(word):
        return math.log(1 + 1 / texts.count(word))

    found = []
    for first in range(len(words)):
        for last in range(first, min(first + length, len(words))):
            run = range(first, last + 1)
            between = [passage[words[place][2] : words[place + 1][1]] for place in run[:-1]]
            if any(texts[place] in asked for place in run) or any(gap.strip() for gap in between):
                continue
            size = len(asked) + len(run)
            best = 0.0
            for start in range(last + 1 - size, first + 1):
                window = [place for place in range(start, start + size) if 0 <= place < len(words)]
                best = max(best, sum(worth(texts[place]) for place in window if texts[place] in asked))
            found.append((words[first][1], words[last][2], best + sum(worth(texts[place]) for place in run)))
    return found
