"""``textkin serve``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text, note
from textkin.cli.shared_options import AsJson, Download, fetch

EXAMPLES = """
textkin serve
textkin serve minilm runs/cross-encoder/model --collection tickets.kin
textkin serve --runs runs --phrases town.phrases
textkin serve minilm --host 0.0.0.0 --api-key-file keys.toml
"""


def command(
    models: Annotated[
        list[str] | None,
        Option(
            "Encoders, scorers, classifiers and readers: folders, names, or NAME=MODEL. Default: default.",
            metavar="[MODEL...]",
        ),
    ] = None,
    /,
    *,
    collection: Annotated[
        list[str] | None,
        Option(
            "Collection to search and match: a folder, postgresql://..., or NAME=DIR. May be repeated.",
            metavar="DIR",
        ),
    ] = None,
    phrases: Annotated[
        list[str] | None,
        Option(
            "Phrase index, or NAME=INDEX. May be repeated.",
            metavar="INDEX",
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        Option(
            "Folder of runs, whose reports and groups of duplicates are shown.",
            metavar="DIR",
        ),
    ] = None,
    host: Annotated[str, Option("Address to listen on.", metavar="HOST")] = "127.0.0.1",
    workers: Annotated[
        int,
        Option("Worker processes, which share the models' memory.", low=1, high=256),
    ] = 1,
    port: Annotated[int, Option("Port; 0 for a free one.", metavar="PORT", low=0, high=65_535)] = 8080,
    api_key_file: Annotated[
        Path | None, Option("File of API keys, made by textkin api-key.", metavar="FILE")
    ] = None,
    no_key_needed: Annotated[bool, Option("Serve other machines without authentication.")] = False,
    read_only: Annotated[bool, Option("Refuse changes of collections.")] = False,
    watch: Annotated[
        bool,
        Option("Watch the matches of collections, as collection watch does; /metrics shows the state."),
    ] = False,
    auto_truncate: Annotated[
        bool,
        Option("Truncate texts longer than a model reads, instead of refusing them."),
    ] = False,
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Option(
            "Number type of a transformer; auto measures whether bf16 pays.",
            flag="--dtype",
        ),
    ] = "auto",
    allowed_host: Annotated[
        list[str] | None,
        Option("Allowed host name, besides its own. May be repeated.", metavar="NAME"),
    ] = None,
    cors_allow_origin: Annotated[
        list[str] | None,
        Option("Allowed origin of pages, such as https://example.org. May be repeated.", metavar="ORIGIN"),
    ] = None,
    max_requests: Annotated[int, Option("Maximum concurrent requests.")] = 2_048,
    max_texts: Annotated[int, Option("Maximum texts per request.")] = 2_048,
    max_waiting_texts: Annotated[int, Option("Maximum texts waiting, of all requests.")] = 16_384,
    max_query_bytes: Annotated[int, Option("Maximum bytes of a query.")] = 65_536,
    max_body_bytes: Annotated[int, Option("Maximum bytes of a request.")] = 8_000_000,
    max_batch_tokens: Annotated[int, Option("Maximum tokens per batch.")] = 32_768,
    max_seconds: Annotated[float, Option("Request timeout in seconds.")] = 60.0,
    max_header_seconds: Annotated[float, Option("Timeout for the request headers in seconds.")] = 10.0,
    max_body_seconds: Annotated[float, Option("Timeout for a body in seconds.")] = 30.0,
    log: Annotated[
        Literal["all", "errors", "nothing"],
        Option("Requests to log. Texts are never logged."),
    ] = "all",
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Serve models and collections by HTTP.

    It speaks the dialects of OpenAI, text-embeddings-inference, Cohere and
    Jina, and has routes of its own: score, match, search, answer, choose,
    explain, documents. GET /docs lists them. Without keys it serves this machine
    alone. SIGTERM lets it finish what it is answering; SIGHUP has it open
    models again whose files have changed. Keys are read again when their file
    changes.
    """
    from textkin.base.extras import require_server

    require_server()
    from textkin.server.call import ServerLimits
    from textkin.server.server_process import Address, check_place

    place = Address(host=host, port=port)
    check_place(place, has_keys=api_key_file is not None, is_open=no_key_needed)
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
    from textkin.server.call import RequestsLog
    from textkin.server.keys import Keys, read_keys
    from textkin.server.open_service import Served
    from textkin.server.serve import Serving, serve

    keys = Keys() if api_key_file is None else read_keys(api_key_file, told=RequestsLog(log).tell)
    for word in models or ():
        fetch(word if Path(word).exists() else word.rpartition("=")[2], download=download)
    served = Served(
        models=tuple(models or ["default"]),
        collections=tuple(collection or ()),
        precision=precision,
        watched=watch,
        phrases=tuple(phrases or ()),
        runs=runs,
    )
    how = Serving(
        served=served,
        place=place,
        workers=workers,
        limits=limits,
        keys=keys,
        hosts=tuple(allowed_host or ()),
        origins=tuple(cors_allow_origin or ()),
        auto_truncate=auto_truncate,
        read_only=read_only,
        log=log,
    )
    serve(how, lambda number: _tell(place.host, number, len(keys), as_json=as_json))


def _tell(host: str, port: int, keys: int, *, as_json: bool) -> None:
    """Say where it listens; on standard output, so that scripts can wait for it."""
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}"
    if as_json:
        emit_json({"url": url, "host": host, "port": port})
    else:
        emit_text(f"listening at {url}")
    note("no key is needed" if not keys else f"{keys} {'key' if keys == 1 else 'keys'} may ask")
    sys.stdout.flush()
