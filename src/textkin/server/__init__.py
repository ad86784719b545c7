"""The service: textkin behind HTTP, in the dialects that other people's clients speak.

One process serves models and collections, or several do (``workers.py``). ``application.py`` puts it
together with Starlette: ``middleware.py`` is what surrounds every route (errors, headers, metrics, the log),
``endpoint.py`` reads what a route takes (keys, limits, bodies), ``routes/`` has one file a dialect, and
``batching.py`` puts the texts of many requests through a model at once. What a route answers is computed by
the rooms below, as it is for the command line.
"""
