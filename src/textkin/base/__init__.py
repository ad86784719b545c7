"""Base utilities of all rooms: files, tables, errors, progress, locks, threads, the processor."""
