"""The configurations of docs/nginx.md, as they stand, in a real nginx before a real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path

import httpx
import pytest

from tests.running_pages import blocks
from tests.server.process import Served, running

PAGE = Path(__file__).parents[2] / "docs/nginx.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
pytestmark = [
    pytest.mark.apart,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]
MAIN = (
    "daemon off; user {user}; pid {0}/pid; error_log stderr; events {{}} http {{ access_log off; {1} {2} }}"
)
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@contextmanager
def proxied(folder: Path, number: int, server: Served, name: str) -> Iterator[httpx.Client]:
    """A client of nginx with a configuration of the page; ports and files are those of the test."""
    blocks_of_nginx = [one.text for one in blocks(PAGE.read_text(encoding="utf-8")) if one.kind == "nginx"]
    plain, secure = free_port(), free_port()
    pem = certificate(folder, name)
    config = blocks_of_nginx[number].replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    config = config.replace("listen 80;", f"listen 127.0.0.1:{plain};")
    config = config.replace("listen 443", f"listen 127.0.0.1:{secure}")
    config = config.replace("/etc/ssl/tickets", str(folder / "tickets"))
    paths = " ".join(f"{one}_temp_path {folder}/{one};" for one in TEMPORARY)
    (folder / "nginx.conf").write_text(MAIN.format(folder, paths, config, user=getuser()))
    process = subprocess.Popen([str(NGINX), "-p", str(folder), "-c", "nginx.conf"], stderr=subprocess.DEVNULL)
    context = ssl.create_default_context(cafile=str(pem))
    context.check_hostname = False  # the address is 127.0.0.1, the name is in Host
    try:
        wait_for(secure)
        base = f"https://127.0.0.1:{secure}"
        with httpx.Client(base_url=base, verify=context, headers={"Host": f"{name}:{secure}"}) as client:
            yield client
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("nginx does not listen")


def certificate(folder: Path, name: str) -> Path:
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -keyout tickets.key -out tickets.pem"
    subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)
    return folder / "tickets.pem"


def assert_page_works(client: httpx.Client, below: str) -> None:
    """The page, its files by its own links, and a request as its scripts send it."""
    page = client.get(below)
    assert page.status_code == 200
    links = re.findall(r'(?:href|src)="([^"#:]+)"', page.text)
    assert "page/page.js" in links
    for link in links:
        assert client.get(httpx.URL(below).join(link)).status_code == 200, link
    origin = f"https://{client.headers['host']}"
    asked = client.post(f"{below}embed", json={"inputs": "a cat"}, headers={"Origin": origin})
    assert asked.status_code == 200 and len(asked.json()[0]) > 100
    foreign = client.post(f"{below}embed", json={"inputs": "a cat"}, headers={"Origin": "https://x.example"})
    assert foreign.status_code == 403


def test_a_host_of_its_own(tmp_path: Path) -> None:
    name = "tickets.example.org"
    with running("serve", "default", "--allowed-host", name) as server:
        with proxied(tmp_path, 0, server, name) as client:
            assert_page_works(client, "/")
            asked = client.get("/live", headers={"X-Forwarded-For": "192.0.2.7"})
            assert client.get("/metrics").status_code == 200
            assert client.get("/about", headers={"Host": "other.example"}).status_code == 421
            assert client.post("/embed", json={"inputs": "a" * 8_100_000}).status_code == 413
        _, said = server.stop()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    told = [one for one in lines if one.get("client")]
    assert told and {one["client"] for one in told} == {
        "127.0.0.1"
    }  # that of nginx's client, not what it said
    assert re.fullmatch("[0-9a-f]{32}", asked.headers["x-request-id"])


def test_below_a_path_that_nginx_takes_off(tmp_path: Path) -> None:
    name = "intranet.example.org"
    with (
        running("serve", "default", "--allowed-host", name) as server,
        proxied(tmp_path, 1, server, name) as client,
    ):
        assert_page_works(client, "/textkin/")
        assert client.get("/textkin").headers["location"].endswith("/textkin/")
