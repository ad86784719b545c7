"""Files, tables in and out, errors, progress, locks, threads, the processor: what every room stands on."""
