"""Routes for health and metrics."""

from textkin.base.errors import OutputError
from textkin.server.call import Call, Reply
from textkin.server.middleware import authorization_of
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import NoBody, Route
from textkin.server.service import Service


async def live(service: Service, body: NoBody, call: Call) -> Reply:
    """Report that the process is alive."""
    return Reply({"status": "ok"})


async def ready(service: Service, body: NoBody, call: Call) -> Reply:
    """Report readiness: not ready while the server stops, or if a collection is gone."""
    if not service.is_ready:
        raise RequestError("the server is stopping", trouble=Trouble.UNHEALTHY)
    try:
        for one in service.collections.values():
            one.require_place()
    except OutputError as error:
        raise RequestError(error.message, trouble=Trouble.UNHEALTHY, fix="restart the server") from error
    return Reply({"status": "ready", "waiting_texts": service.batcher.held})


async def metrics(service: Service, body: NoBody, call: Call) -> Reply:
    """Return metrics for Prometheus; they need a key only where the server was started so."""
    if service.keys.for_metrics:
        call.key = service.keys.require(authorization_of(call.headers), writes=False)
    service.metrics.queued(service.batcher.held)
    return Reply(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


ROUTES = (
    Route(method="GET", path="/health", answer=ready, is_open=True),
    Route(method="GET", path="/ping", answer=live, is_open=True),
    Route(method="GET", path="/live", answer=live, is_open=True),
    Route(method="GET", path="/metrics", answer=metrics, is_open=True),
)
