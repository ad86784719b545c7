"""An index of the phrases of many passages, on the disk: the phrases that answer a question best."""
