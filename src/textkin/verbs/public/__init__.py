"""What ``tk.*`` calls: data in any form come first, all else by keyword, a result comes back.

Each function checks what it was given, calls the verb that the command calls, and returns its result. Rules
stand in the verbs, so that they hold for both.
"""
