# SPDX-License-Identifier: MIT
"""Fetching an archive from an address that a stranger chose, without lending our network.

A name is resolved once, all its addresses must be public ones, and the connection goes to one of
these: a name that changes its mind afterwards changes nothing. Each redirection is a new address
to be looked at. No proxy, no cookie and no password of ours is used.
"""

import asyncio
import errno
import hashlib
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin

import httpcore
import httpx
from msgspec import Struct

from assay import __version__
from assay.errors import AssayError, UsageError
from assay.package.download import LIMIT_BYTES, SILENCE_SECONDS, WHOLE_SECONDS

PORTS = {"https": 443, "http": 80}
MOST_REDIRECTIONS = 5
NO_ROOM = (errno.ENOSPC, errno.EROFS, errno.EDQUOT)
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NAT64 = ipaddress.ip_network("64:ff9b::/32")  # RFC 6052, and RFC 8215's for local use beside it
_CURE = "Name an archive on the public web, or upload it."
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class FetchError(AssayError):
    """An address did not give what was announced; the message is for its submitter."""


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public network, and hides no other in it."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address in _NAT64 or address.is_site_local:
            return False
    odd = address.is_multicast or address.is_reserved or address.is_loopback
    return address.is_global and not (odd or address.is_link_local or address.is_unspecified)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, by its name or address alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Permitted(Struct, frozen=True):
    """What may be connected to; a laboratory's own servers, and tests, may say otherwise."""

    address: Callable[[Address], bool] = is_public
    port: Callable[[str, int], bool] = lambda scheme, port: PORTS.get(scheme) == port
    context: ssl.SSLContext | None = None


PUBLIC = Permitted()


class _Checked(httpcore.AsyncNetworkBackend):
    """Connections to addresses that were looked at, and to no other."""

    def __init__(self, permitted: Permitted) -> None:
        self._permitted = permitted
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve a name, look at all of its addresses, and connect to the first that answers."""
        lost: Exception | None = None
        for address in await _resolved(host, port, self._permitted):
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                lost = error
        raise lost or httpcore.ConnectError(f"{host} has no address")

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts."""
        await self._inner.sleep(seconds)


async def _resolved(host: str, port: int, permitted: Permitted) -> list[str]:
    """Return the addresses of a name; FetchError if one of them is not permitted."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    texts = list(dict.fromkeys(str(one[4][0]) for one in found))
    for text in texts:
        try:
            fine = permitted.address(ipaddress.ip_address(text))
        except ValueError:  # an address with a zone: link-local
            fine = False
        if not fine:
            raise FetchError(f"{host} is not on the public network", _CURE)
    return texts


def required_address(text: str, permitted: Permitted = PUBLIC) -> httpx.URL:
    """Return an address that may be fetched; UsageError for any other, before it is resolved."""
    try:
        url = httpx.URL(text)
        port = url.port or PORTS.get(url.scheme, 0)
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"this is no address: {error}", _CURE) from None
    if url.scheme not in PORTS or not url.host:
        raise UsageError(f"addresses of {url.scheme or 'no scheme'} are not fetched", _CURE)
    if url.userinfo:
        raise UsageError("the address has a password in it", "Anybody could read it there.")
    if not permitted.port(url.scheme, port):
        raise UsageError(f"port {port} is not fetched from", "Use 443 for https, 80 for http.")
    return url


async def fetch(
    text: str,
    wanted: str,
    keep: Callable[[bytes], object],
    *,
    limit_bytes: int = LIMIT_BYTES,
    permitted: Permitted = PUBLIC,
) -> int:
    """Pass the bytes at an address to `keep`; return how many there were.

    FetchError unless these are the bytes with the SHA-256 that was announced, and UsageError
    for an address, or one that it leads to, that may not be fetched.
    """
    digest, total = hashlib.sha256(), 0
    try:
        async with asyncio.timeout(WHOLE_SECONDS), _answer(text, permitted) as answer:
            async for chunk in answer.aiter_stream():
                total += len(chunk)
                if total > limit_bytes:
                    raise FetchError(f"it is larger than {limit_bytes >> 20} MB", _CURE)
                digest.update(chunk)
                keep(chunk)
    except TimeoutError:
        raise FetchError(f"it took more than {WHOLE_SECONDS / 60:.0f} minutes") from None
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError,
            httpcore.UnsupportedProtocol, OSError, UnicodeError) as error:  # fmt: skip
        if getattr(error, "errno", None) in NO_ROOM:
            raise  # our own disk's
        raise FetchError(f"it cannot be fetched: {error or type(error).__name__}") from error
    if digest.hexdigest() != wanted:
        raise FetchError(
            f"what is there has SHA-256 {digest.hexdigest()}, and not what was announced",
            "Announce the SHA-256 of the archive that is there.",
        )
    return total


@asynccontextmanager
async def _answer(text: str, permitted: Permitted) -> AsyncIterator[httpcore.Response]:
    """Lend the answer at the end of all redirections."""
    context = permitted.context or ssl.create_default_context()
    limits = dict.fromkeys(("connect", "read", "write", "pool"), SILENCE_SECONDS)
    headers = [("Accept-Encoding", "identity"), ("User-Agent", f"assay/{__version__}")]
    async with httpcore.AsyncConnectionPool(
        ssl_context=context, network_backend=_Checked(permitted), max_connections=1
    ) as pool:
        for _ in range(MOST_REDIRECTIONS + 1):
            url = required_address(text, permitted)
            address = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port,
                                   target=url.raw_path)  # fmt: skip
            host = ("Host", url.netloc.decode("ascii"))
            async with pool.stream(
                "GET", address, headers=[host, *headers], extensions={"timeout": limits}
            ) as answer:
                if answer.status == 200:
                    yield answer
                    return
                text = _next(url, answer)
    raise FetchError(f"it leads on more than {MOST_REDIRECTIONS} times", _CURE)


def _next(url: httpx.URL, answer: httpcore.Response) -> str:
    """Return where an answer leads; FetchError where it leads nowhere, or to less safety."""
    if answer.status not in REDIRECTS:
        raise FetchError(f"its server answers {answer.status}")
    there = next((value for name, value in answer.headers if name.lower() == b"location"), b"")
    text = urljoin(str(url), there.decode("latin-1"))
    if url.scheme == "https" and not text.lower().startswith("https://"):
        raise FetchError("it leads from https to something else", _CURE)
    return text
