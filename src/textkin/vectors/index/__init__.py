"""What finds among things that are encoded already: exact search, rankings of a corpus, closest pairs."""
