"""``textkin serve``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from textkin.cli.output import emit_json, emit_text, note
from textkin.cli.shared_options import AsJson, Download, fetch

EXAMPLES = """
textkin serve
textkin serve minilm runs/cross-encoder/model --collection tickets.kin
textkin serve --runs runs --phrases town.phrases
textkin serve minilm --host 0.0.0.0 --api-key-file keys.toml
"""

_ENVIRONMENT = "TEXTKIN_SERVE_"


def _env(name: str) -> str:
    return _ENVIRONMENT + name


def command(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL...]",
            envvar=_env("MODELS"),
            help="Encoders, scorers of pairs, classifiers and readers: folders, names, or NAME=MODEL.  "
            "[default: default]",
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="DIR",
            envvar=_env("COLLECTION"),
            help="A collection to search and match in: a folder, postgresql://..., or NAME=DIR; may be given "
            "several times.",
        ),
    ] = None,
    phrases: Annotated[
        list[str] | None,
        typer.Option(
            "--phrases",
            metavar="INDEX",
            envvar=_env("PHRASES"),
            help="An index of phrases to ask, from textkin phrases index, or NAME=INDEX; likewise.",
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            "--runs",
            metavar="DIR",
            envvar=_env("RUNS"),
            help="A folder in which runs lie: shows their reports, and groups of duplicates to go through.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", envvar=_env("HOST"), help="Where to listen.")
    ] = "127.0.0.1",
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            min=1,
            max=256,
            envvar=_env("WORKERS"),
            help="Processes that answer; they share models' memory, and parts of the cores.",
        ),
    ] = 1,
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", min=0, max=65_535, envvar=_env("PORT"), help="0 for a free one."
        ),
    ] = 8080,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            "--api-key-file",
            metavar="FILE",
            envvar=_env("API_KEY_FILE"),
            help="Who may ask; textkin api-key makes it.",
        ),
    ] = None,
    no_key_needed: Annotated[
        bool,
        typer.Option(
            "--no-key-needed", envvar=_env("NO_KEY_NEEDED"), help="Serve other machines without keys."
        ),
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", envvar=_env("READ_ONLY"), help="Change no collection.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            envvar=_env("WATCH"),
            help="Watch the matches of collections, as textkin watch does; /metrics tells their state.",
        ),
    ] = False,
    auto_truncate: Annotated[
        bool,
        typer.Option(
            "--auto-truncate",
            envvar=_env("AUTO_TRUNCATE"),
            help="Cut texts that are longer than a model reads, and say so; else they are refused.",
        ),
    ] = False,
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        typer.Option(
            "--dtype",
            envvar=_env("DTYPE"),
            help="What a transformer computes in; auto measures whether bf16 pays here, and says so.",
        ),
    ] = "auto",
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            metavar="NAME",
            envvar=_env("ALLOWED_HOST"),
            help="A name by which the server may be called, beside its own.",
        ),
    ] = None,
    cors_allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--cors-allow-origin",
            metavar="ORIGIN",
            envvar=_env("CORS_ALLOW_ORIGIN"),
            help="A site whose pages may ask, such as https://example.org.",
        ),
    ] = None,
    max_requests: Annotated[
        int, typer.Option("--max-requests", envvar=_env("MAX_REQUESTS"), help="Answered at a time.")
    ] = 2_048,
    max_texts: Annotated[
        int, typer.Option("--max-texts", envvar=_env("MAX_TEXTS"), help="Texts of a request.")
    ] = 2_048,
    max_waiting_texts: Annotated[
        int,
        typer.Option(
            "--max-waiting-texts", envvar=_env("MAX_WAITING_TEXTS"), help="Texts that wait, of all requests."
        ),
    ] = 16_384,
    max_query_bytes: Annotated[
        int, typer.Option("--max-query-bytes", envvar=_env("MAX_QUERY_BYTES"), help="Of a query.")
    ] = 65_536,
    max_body_bytes: Annotated[
        int, typer.Option("--max-body-bytes", envvar=_env("MAX_BODY_BYTES"), help="Of a request.")
    ] = 8_000_000,
    max_batch_tokens: Annotated[
        int, typer.Option("--max-batch-tokens", envvar=_env("MAX_BATCH_TOKENS"), help="Computed at once.")
    ] = 32_768,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", envvar=_env("MAX_SECONDS"), help="Until an answer.")
    ] = 60.0,
    max_header_seconds: Annotated[
        float,
        typer.Option(
            "--max-header-seconds", envvar=_env("MAX_HEADER_SECONDS"), help="For saying what is wanted."
        ),
    ] = 10.0,
    max_body_seconds: Annotated[
        float,
        typer.Option("--max-body-seconds", envvar=_env("MAX_BODY_SECONDS"), help="For a body to come in."),
    ] = 30.0,
    log: Annotated[
        Literal["all", "errors", "nothing"],
        typer.Option("--log", envvar=_env("LOG"), help="Which requests get a line; texts are never in it."),
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
    from textkin.server.limits import ServerLimits
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
    from textkin.server.keys import Keys, read_keys
    from textkin.server.open_service import Served
    from textkin.server.requests_log import RequestsLog
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
