"""PI-SQuAD's files: vectors of phrases and questions in files of their own, and what is decided by them."""
