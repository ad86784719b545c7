"""An index of the phrases of many passages on disk, searched for the best answers."""
