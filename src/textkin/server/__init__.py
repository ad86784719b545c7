"""The service: textkin behind HTTP, in the dialects that other people's clients speak.

One process serves models and collections, or several do (``workers.py``). ``application.py`` puts it
together, ``exchange.py`` is what surrounds every route (keys, limits, errors, figures), ``routes/`` has one
file a dialect, and ``batching.py`` puts the texts of many requests through a model at once. What a route
answers is computed by the rooms below, as it is for the command line.
"""
