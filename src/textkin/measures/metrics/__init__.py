"""Figures of rankings, of scored pairs and of probabilities; how sure they are is the matter of ``stats``."""
