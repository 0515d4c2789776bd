# SPDX-License-Identifier: MIT
"""Addresses that strangers choose: never our own network, whatever a name says later."""

import asyncio
import hashlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from assay.errors import AssayError, UsageError
from assay.package.download import LIMIT_BYTES
from assay.service.fetching import (
    FetchError,
    Permitted,
    fetch,
    is_public,
    required_address,
)

BODY = b"an archive" * 1000
DIGEST = hashlib.sha256(BODY).hexdigest()
LOOPBACK = "127.0.0.1"


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),  # noqa: S104
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1"),
        *("255.255.255.255", "240.0.0.1"),
        *("::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1"),
        *("2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2001:0:7f00:1::"),
    ],
)
def test_an_address_of_our_own_network_is_none_of_the_public_one(address: str) -> None:
    """Loopback, private, link-local, shared, multicast, and what hides one of these in it."""
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "151.101.1.1", "2606:4700::1111"])
def test_other_addresses_are(address: str) -> None:
    """Those of well-known public servers."""
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *("file:///etc/passwd", "ftp://example.org/x", "gopher://example.org", "//example.org/x"),
        *(
            "http://user:password@example.org/",
            "https://example.org:22/",
            "http://example.org:443/",
        ),
        *(
            "https://",
            "https:///x",
            "https://example.org:99999/",
            "x",
            "",
        ),
        *("http://example.org/\r\nHost: evil", "https://[::1", "http://example.org:8080/"),
    ],
)
def test_what_is_never_fetched_is_refused_at_once(address: str) -> None:
    """Other schemes, passwords, other ports, and what is no address."""
    with pytest.raises(UsageError):
        required_address(address)


def got(
    address: str, permitted: Permitted, wanted: str = DIGEST, limit_bytes: int = LIMIT_BYTES
) -> bytes:
    """Fetch, and return what was kept."""
    found = bytearray()
    asyncio.run(fetch(address, wanted, found.extend, permitted=permitted, limit_bytes=limit_bytes))
    return bytes(found)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_loopback_is_refused_however_it_is_written(host: str) -> None:
    """What counts is the address that the system resolves a name to."""
    with pytest.raises(
        (FetchError, UsageError), match=r"public network|cannot be fetched|address"
    ):
        got(f"http://{host}/", Permitted())


class _Server(BaseHTTPRequestHandler):
    """Serves the archive, redirections, too much, and too little."""

    places: dict[str, str]

    def do_GET(self) -> None:
        """Answer by the path."""
        if self.path in self.places:
            self.send_response(302)
            self.send_header("Location", self.places[self.path])
            self.end_headers()
            return
        self.send_response(404 if self.path == "/nothing" else 200)
        self.send_header("Content-Length", str(len(BODY) + (5 if self.path == "/short" else 0)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Serve on loopback."""
    with ThreadingHTTPServer((LOOPBACK, 0), _Server) as served:
        here = f"http://{LOOPBACK}:{served.server_port}"
        _Server.places = {
            "/once": "/archive",
            "/loop": "/loop",
            "/inside": "http://169.254.169.254/latest/meta-data/",
            "/file": "file:///etc/passwd",
            "/nowhere": "",
        }
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield here
        served.shutdown()
        thread.join()


LOCAL = Permitted(
    address=lambda address: str(address) == LOOPBACK, port=lambda _scheme, _port: True
)


def test_an_archive_is_fetched_and_compared(server: str) -> None:
    """Also behind a redirection; another digest than the one announced is refused."""
    assert got(f"{server}/archive", LOCAL) == BODY
    assert got(f"{server}/once", LOCAL) == BODY
    with pytest.raises(FetchError, match=f"SHA-256 {DIGEST}, and not"):
        got(f"{server}/archive", LOCAL, "0" * 64)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/inside", "public network"),
        ("/file", "file"),
        ("/loop", "leads on more than"),
        ("/nothing", "answers 404"),
        ("/short", "cannot be fetched"),
    ],
)
def test_redirections_are_new_addresses(server: str, path: str, says: str) -> None:
    """They are looked at like the first one, and end."""
    with pytest.raises(AssayError, match=says):
        got(f"{server}{path}", LOCAL)


def test_what_is_larger_than_the_limit_is_not_fetched_to_its_end(server: str) -> None:
    """Whatever its server announces."""
    with pytest.raises(FetchError, match="larger"):
        got(f"{server}/archive", LOCAL, limit_bytes=1000)


def test_a_name_that_changes_its_mind_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    """It is resolved once, and the connection goes to the address that was looked at."""
    port = server.rpartition(":")[2]
    asked = []

    def resolve(
        host: str, *_: object, **__: object
    ) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        asked.append(host)
        address = LOOPBACK if asked.count("rebinding.example") == 1 else "10.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, int(port)))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert got(f"http://rebinding.example:{port}/archive", LOCAL) == BODY
    assert asked.count("rebinding.example") == 1


def test_one_bad_address_of_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """No trying which of them answers."""
    both = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 80)),
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.168.0.1", 80)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    with pytest.raises(FetchError, match="public network"):
        got("http://two.example/", Permitted())
