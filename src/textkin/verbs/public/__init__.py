"""Functions of ``tk.*``: data first, in any form; all else by keyword; they return a result.

Each function checks its arguments, calls the verb that the command calls, and returns its result. Rules
stand in the verbs, so that they hold for both.
"""
