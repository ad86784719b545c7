"""Search in encoded items: exact search, corpus rankings, closest pairs."""
