"""From a string to token ids, and from files of word vectors to matrices. No torch."""
