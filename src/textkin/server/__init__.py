"""The service: textkin over HTTP, with APIs compatible with other services.

One process serves models and collections, or several do (``workers.py``). ``application.py`` assembles it
with Starlette: ``middleware.py`` wraps every endpoint (errors, headers, metrics, the log), ``endpoint.py``
reads the input of an endpoint (keys, limits, bodies), ``routes/`` has one file per compatible API, and
``batching.py`` runs the texts of many requests through a model at once. Answers are computed by the packages
below, as for the command line.
"""
