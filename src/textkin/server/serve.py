"""``serve``: models and collections over HTTP or for an assistant, and keys for those who may ask."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import DecisionFile, Download, Dtype

if TYPE_CHECKING:
    from textkin.server.keys import NewKey

ServedThings = Annotated[
    Any,
    Option(
        "Models (default if none is named), collections and phrase indexes: names, folders, postgresql:// "
        "addresses, or NAME=PLACE.",
        metavar="[SERVED...]",
        command=list[str],
    ),
]
Runs = Annotated[
    Path | None, Option("Folder of runs: show their reports and groups of duplicates.", metavar="FOLDER")
]
Link = Annotated[
    str | None,
    Option(
        "Address of a text's own page, such as https://tickets/{id}: the ids on the web page become links.",
        metavar="ADDRESS",
    ),
]
Host = Annotated[str, Option("Address to listen on.", metavar="HOST")]
Port = Annotated[int, Option("Port; 0 for a free one.", metavar="PORT", low=0, high=65_535)]
Workers = Annotated[
    int, Option("Worker processes, which share the models' memory.", metavar="N", low=1, high=256)
]
KeyFile = Annotated[Path | None, Option("File of API keys.", metavar="FILE")]
KeyName = Annotated[
    str | None, Option("Print a new key for NAME, add its hash to the key file, and exit.", metavar="NAME")
]
TextsPerMinute = Annotated[
    int | None, Option("Maximum texts per minute with the new key.", metavar="N", low=1, rare=True)
]
NoKeyNeeded = Annotated[bool, Option("Serve other machines without authentication.", rare=True)]
ReadOnly = Annotated[bool, Option("Refuse changes of collections, or those with the new key.")]
Assistant = Annotated[
    bool, Option("Offer the collections to an AI assistant as MCP tools, over standard input and output.")
]
Watched = Annotated[
    bool,
    Option("Watch the matches of collections; /metrics shows their state."),
]
AutoTruncate = Annotated[
    bool, Option("Truncate texts longer than a model reads, instead of refusing them.", rare=True)
]
AllowedHosts = Annotated[
    Sequence[str],
    Option(
        "Allowed host name, besides its own. May be repeated.",
        flag="allowed-host",
        metavar="NAME",
        rare=True,
        command=list[str],
    ),
]
Origins = Annotated[
    Sequence[str],
    Option(
        "Allowed origin of pages, such as https://example.org. May be repeated.",
        flag="cors-allow-origin",
        metavar="ORIGIN",
        rare=True,
        command=list[str],
    ),
]
RootPath = Annotated[
    str,
    Option(
        "Path below which a proxy passes requests on unchanged, such as /textkin.", metavar="PATH", rare=True
    ),
]
MaxRequests = Annotated[int, Option("Maximum concurrent requests.", metavar="N", rare=True)]
MaxTexts = Annotated[int, Option("Maximum texts per request.", metavar="N", rare=True)]
MaxWaitingTexts = Annotated[int, Option("Maximum texts waiting, of all requests.", metavar="N", rare=True)]
MaxQueryBytes = Annotated[int, Option("Maximum bytes of a query.", metavar="N", rare=True)]
MaxBodyBytes = Annotated[int, Option("Maximum bytes of a request.", metavar="N", rare=True)]
MaxBatchTokens = Annotated[int, Option("Maximum tokens per batch.", metavar="N", rare=True)]
MaxSeconds = Annotated[float, Option("Request timeout in seconds.", metavar="SECONDS", rare=True)]
MaxHeaderSeconds = Annotated[
    float, Option("Timeout for the request headers in seconds.", metavar="SECONDS", rare=True)
]
MaxBodySeconds = Annotated[float, Option("Timeout for a body in seconds.", metavar="SECONDS", rare=True)]
Log = Annotated[
    Literal["all", "errors", "nothing"],
    Option(
        "Requests to log; all leaves out those for health and for the page's files. Texts are never logged.",
        rare=True,
    ),
]


LogFormat = Annotated[Literal["json", "text"], Option("Format of the log's lines.", rare=True)]
MetricsNeedKey = Annotated[bool, Option("Require a key for /metrics, too.", rare=True)]


_LINK = re.compile(r"(https?://|/)(?=.*\{id\})\S+\Z", re.IGNORECASE)


@verb
def serve(
    served: ServedThings = (),
    /,
    *,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workers: Workers = 1,
    api_key_file: KeyFile = None,
    new_key: KeyName = None,
    read_only: ReadOnly = False,
    mcp: Assistant = False,
    runs: Runs = None,
    link: Link = None,
    watch: Watched = False,
    decision: DecisionFile = None,
    texts_per_minute: TextsPerMinute = None,
    no_key_needed: NoKeyNeeded = False,
    auto_truncate: AutoTruncate = False,
    dtype: Dtype = "auto",
    allowed_hosts: AllowedHosts = (),
    cors_allow_origins: Origins = (),
    root_path: RootPath = "",
    max_requests: MaxRequests = 2_048,
    max_texts: MaxTexts = 2_048,
    max_waiting_texts: MaxWaitingTexts = 16_384,
    max_query_bytes: MaxQueryBytes = 65_536,
    max_body_bytes: MaxBodyBytes = 8_000_000,
    max_batch_tokens: MaxBatchTokens = 32_768,
    max_seconds: MaxSeconds = 60.0,
    max_header_seconds: MaxHeaderSeconds = 10.0,
    max_body_seconds: MaxBodySeconds = 30.0,
    log: Log = "all",
    log_format: LogFormat = "json",
    metrics_need_key: MetricsNeedKey = False,
    download: Download = False,
) -> NewKey | None:
    """Serve models and collections by HTTP.

    The server is compatible with the APIs of OpenAI, text-embeddings-inference, Cohere and Jina, and has
    endpoints of its own: GET /docs lists them. Without API keys it serves this machine alone. SIGTERM lets it
    finish open requests. SIGHUP reopens models whose files have changed. Keys are reloaded when their file
    changes.

    Returns:
        None once the server was ended by SIGINT or SIGTERM; with ``new_key`` at once a :class:`NewKey`.

    Raises:
        UsageError: the address isn't local and there are no keys, options exclude each other, there is no
            such collection, or it is called from a thread or a notebook, where it would never end.
        ModelError: there is no such model, or it is a baseline.
        DataError: a collection, an index or the file of keys is damaged.
        OutputError: the address can't be bound, or the file of keys can't be written.
        MissingExtraError: the server's packages are not installed.

    Example:
        >>> import textkin as tk
        >>> made = tk.serve(new_key="alice", api_key_file="keys.toml")
        >>> made.key.startswith("tk-")
        True
    """
    from dataclasses import replace

    from textkin.base.errors import conflict, invalid, required
    from textkin.base.extras import require, require_server
    from textkin.base.python_inputs import several

    words = [str(one) for one in ([served] if isinstance(served, str | Path) else several(served, "served"))]
    if new_key is not None and mcp:
        raise conflict("new_key", "mcp")
    if new_key is None and texts_per_minute is not None:
        raise required("new_key", by="`texts_per_minute`")
    if root_path and (not root_path.startswith("/") or root_path.endswith("/")):
        raise invalid("root_path", root_path, expected="a path such as /textkin")
    if link is not None and not _LINK.match(link):
        raise invalid("link", link, expected="an address that holds {id}, such as https://tickets/{id}")
    if mcp:
        require("mcp", extra="mcp")
    require_server()
    from textkin.server.call import ServerLimits
    from textkin.server.keys import make_key
    from textkin.server.mcp_over_stdio import serve_for_assistant
    from textkin.server.open_service import Served
    from textkin.server.server_process import ListenAddress
    from textkin.server.serving import KeyRules, Serving, serve_at

    if new_key is not None:
        return make_key(new_key, api_key_file, read_only=read_only, texts_per_minute=texts_per_minute)
    if mcp:
        serve_for_assistant(replace(Served.named(words), decision=decision))
        return None
    limits = ServerLimits(
        requests=max_requests,
        texts=max_texts,
        waiting_texts=max_waiting_texts,
        query_bytes=max_query_bytes,
        body_bytes=max_body_bytes,
        bodies_bytes=max(256_000_000, max_body_bytes),
        batch_tokens=max_batch_tokens,
        seconds=max_seconds,
        header_seconds=max_header_seconds,
        body_seconds=max_body_seconds,
    )
    serving = Serving(
        served=replace(
            Served.named(words, default="default"),
            precision=dtype,
            watched=watch,
            decision=decision,
            runs=runs,
            link=link,
        ),
        place=ListenAddress(host=host, port=port),
        workers=workers,
        limits=limits,
        hosts=allowed_hosts,
        origins=cors_allow_origins,
        root_path=root_path,
        auto_truncate=auto_truncate,
        read_only=read_only,
        log=log,
        log_format=log_format,
    )
    if metrics_need_key and api_key_file is None:
        raise required("api_key_file", by="`metrics_need_key`")
    keys = KeyRules(api_key_file, for_metrics=metrics_need_key, no_key_needed=no_key_needed)
    serve_at(serving, keys, download=download)
    return None
