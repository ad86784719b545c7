"""The package transformers, which is imported here alone.

Threads that import it at once get it half made. Python lets one thread at a time into a module, so those that
come through this one wait.
"""

import transformers

__all__ = ["transformers"]
