"""Several systems as one: scorers, classifiers, readers and choosers that combine others."""
