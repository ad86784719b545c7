"""Multiple-choice answering by lookup: similar questions, their answers, supporting sentences."""
