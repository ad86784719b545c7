"""Hard negatives the slow way: every anchor is compared with every text, and rules apply one by one.

Texts count as one when they are equal in lower case without blanks and question marks.
"""

from tests.reference.graph import components


def key(text):
    return text.lower().replace(" ", "").replace("?", "")


def mine(pairs, corpus, sources, judge, options):
    """Negatives (text, source, rank) of each anchor, the reason of each dropped candidate, and the spare
    ones.

    ``pairs`` are (a, b, same); ``sources`` map names to functions of two texts, None if not found.
    """
    texts = {text for a, b, _ in pairs for text in (a, b)}
    edges = [(a, b) for a, b, same in pairs if same]
    edges += [(one, other) for one in texts for other in texts if key(one) == key(other)]
    group = {text: one for one in components(texts, edges) for text in one}
    distinct = {}
    for text in sorted(corpus):
        distinct.setdefault(key(text), text)
    others = {}
    for text in sorted(b for _, b, same in pairs if not same):
        others.setdefault(key(text), text)
    found, dropped, spare = {}, [], 0
    for anchor in sorted({a for a, b, same in pairs if same and key(a) != key(b)}):
        positives = {b for a, b, same in pairs if same and a == anchor and key(b) != key(anchor)}
        kin = {key(text) for text in group[anchor]}
        unlike = {key(b) for a, b, same in pairs if a == anchor and not same}
        unlike = {one: distinct.get(one, others[one]) for one in unlike}
        places = places_of(anchor, distinct.values(), sources, kin, options)
        if options.known == "first":
            places |= {text: (0, 0, "known") for text in unlike.values()}
        passing = []
        for text, (rank, number, name) in places.items():
            taken_first = options.known == "first" and key(text) in unlike and key(text) not in kin
            reason = objection(anchor, text, positives, kin, unlike, sources, options, rank)
            if taken_first or reason is None:
                order = order_of(anchor, text, rank, sources, options)
                outside = key(text) not in distinct
                passing.append(((not taken_first, order, number, outside, text), (text, name, rank)))
            else:
                dropped.append(reason)
        found[anchor] = []
        for (late, *_), one in sorted(passing):
            if len(found[anchor]) == options.each:
                spare += 1
            elif not late or judge_agrees(judge, anchor, one[0], positives, options):
                found[anchor].append(one)
            else:
                dropped.append("filter model")
    return found, dropped, spare


def order_of(anchor, text, rank, sources, options):
    """The sort key of candidates; rank 0 is for known negatives, the most similar of which come first."""
    if options.pick == "random":
        return options.draw(anchor, text)
    return rank or -(next(iter(sources.values()))(anchor, text) or 0.0)


def places_of(anchor, corpus, sources, kin, options):
    """The best (rank, number of the source, name of the source) of each text that a source ranks."""
    places = {}
    for number, (name, score) in enumerate(sources.items()):
        for text, rank in ranked(anchor, corpus, score, kin, options.ranks[1]):
            places[text] = min(places.get(text, (rank, number, name)), (rank, number, name))
    return places


def ranked(anchor, corpus, score, kin, last):
    """Texts with their ranks; duplicates have rank 0 and end with the last rank."""
    scored = [(-score(anchor, text), text) for text in corpus if score(anchor, text) is not None]
    rank = 0
    for _, text in sorted(scored):
        if rank == last:
            return
        if key(text) in kin:
            yield text, 0
        else:
            rank += 1
            yield text, rank


def objection(anchor, text, positives, kin, unlike, sources, options, rank):
    if key(text) == key(anchor) or key(text) in {key(one) for one in positives}:
        return "same text as the anchor or a positive"
    if key(text) in kin:
        return "linked to the anchor by gold pairs"
    if options.known == "out" and key(text) in unlike:
        return "known negative"
    if rank < options.ranks[0]:
        return "before the window of ranks"
    scores = [
        (score(anchor, text) or 0.0, min(score(anchor, one) or 0.0 for one in positives))
        for score in sources.values()
    ]
    if options.margin is not None and any(one > best - options.margin for one, best in scores):
        return "margin to the positive"
    share = options.relative_margin
    if share is not None and any(one > best - abs(best) * share for one, best in scores):
        return "relative margin to the positive"
    if options.max_score is not None and any(one > options.max_score for one, _ in scores):
        return "largest score"
    return None


def judge_agrees(judge, anchor, text, positives, options):
    if judge is None:
        return True
    score, best = judge(anchor, text), min(judge(anchor, one) for one in positives)
    if options.filter_max is not None and score > options.filter_max:
        return False
    return options.filter_margin is None or score <= best - options.filter_margin
