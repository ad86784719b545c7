"""The wealth of a bettor, by its definition: an integral over what the precision may be above the goal."""


def wealth_of(same, goal, parts=20_000):
    """The mean over precisions p above the goal of the ratio of likelihoods of p and the goal."""
    total = 0.0
    for place in range(parts):
        p = goal + (1 - goal) * (place + 0.5) / parts
        ratio = 1.0
        for one in same:
            ratio *= p / goal if one else (1 - p) / (1 - goal)
        total += ratio
    return total / parts
