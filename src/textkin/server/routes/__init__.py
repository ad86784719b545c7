"""The routes, one file per compatible API."""

from collections.abc import Sequence

from textkin.server.route import Route


def all_routes() -> Sequence[Route]:
    """Every route of the service."""
    from textkin.server.routes import (
        collections,
        health,
        label,
        openai,
        page,
        phrases,
        rerank,
        runs,
        tei,
    )
    from textkin.server.routes import (
        textkin as own,
    )

    return (
        *openai.ROUTES,
        *tei.ROUTES,
        *rerank.ROUTES,
        *own.ROUTES,
        *collections.ROUTES,
        *label.ROUTES,
        *phrases.ROUTES,
        *runs.ROUTES,
        *health.ROUTES,
        *page.ROUTES,
    )
