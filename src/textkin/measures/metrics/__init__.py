"""Figures of rankings, of scored pairs and of probabilities; ``intervals`` says how sure they are."""
