"""What choosers that look things up are called."""

LUCENE = "lucene"
"""The answers of the questions that are most like the one asked."""

BEST_PAIR = "lucene-best-pair"
"""The one question with its answer that is most like a question and a choice."""

LOOKING_UP = (LUCENE, BEST_PAIR)
"""Those that need a corpus of questions with their answers."""

SUPPORT = "support:"
"""Before the name of what compares a question and a choice with sentences."""
