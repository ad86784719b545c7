"""Small sets of questions about passages."""

from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet

TEXT = "The red fish saw a bird. The red fish left."


def asked(key, paragraph, answers, *, question="What?", is_impossible=False):
    """A question about a paragraph; two paragraphs make an article."""
    found = tuple(Span(max(TEXT.find(answer), 0), answer) for answer in answers)
    return SpanQuestion(key, question, f"{paragraph // 2}-{paragraph % 2}", found, is_impossible)


def spans(*questions, text=TEXT, name="made.json"):
    passages = {one.passage_id: Passage(one.passage_id, "Page", text) for one in questions}
    return SpanSet(passages, questions, name)
