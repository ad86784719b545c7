"""Labels until a precision is proven: which pair is next, what was answered, and what that proves."""
