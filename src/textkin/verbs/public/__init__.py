"""What ``tk.*`` calls: data in any form come first, all else by keyword, a result comes back.

Each function checks what it was given, calls the task that the command calls, and returns its result. Rules
stand in ``tasks``, so that they hold for both.
"""
