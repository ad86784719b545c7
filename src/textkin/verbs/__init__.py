"""The verbs: what the command line and the public functions do."""
