"""PI-SQuAD's files: phrase and question vectors in separate files, and their answers."""
