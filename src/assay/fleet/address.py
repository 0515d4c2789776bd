# SPDX-License-Identifier: MIT
"""The address of a queue on NATS, and the connection that it names."""

import asyncio
import importlib.util
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct
from nats.aio.client import Client

from assay.errors import UsageError
from assay.fleet.queue import QueueUnreachableError

CONNECT_S = 10
_OPTIONS = ("ca", "cert", "key", "secret", "credentials", "replicas")
_CURE = "An address is nats://host:port or tls://host:port; docs/guide/service.md has its options."


class Address(Struct, frozen=True):
    """Servers of one cluster, and how to be let in. Secrets are in no message."""

    servers: tuple[str, ...]
    secret: str  # user:password, or a token, or nothing
    options: dict[str, str]
    tls: bool

    @property
    def shown(self) -> str:
        """Return the address without its secrets."""
        return ",".join(self.servers)

    @property
    def replicas(self) -> int:
        """Return on how many servers everything is kept, where the streams are made."""
        return int(self.options.get("replicas", "1"))


def read_address(url: str) -> Address:
    """Read an address; UsageError where it is wrong."""
    parts = urlsplit(url)
    secret, _, hosts = parts.netloc.rpartition("@")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(options.keys() - set(_OPTIONS)):
        raise UsageError(f"the address of a queue has no option `{unknown[0]}`", _CURE)
    if not hosts or parts.path.strip("/") or options.get("replicas", "1") not in "135":
        raise UsageError(f"{parts.scheme}://{hosts}{parts.path} is no address of a queue", _CURE)
    secret = _read(options["secret"], "secret").strip() if "secret" in options else unquote(secret)
    servers = tuple(f"{parts.scheme}://{host}" for host in hosts.split(","))
    return Address(servers, secret, options, parts.scheme == "tls" or "ca" in options)


def _read(path: str, what: str) -> str:
    """Return the text of a file that lets in."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"the queue's {what} cannot be read: {error}") from error


async def connect(address: Address) -> Client:
    """Connect to one of the servers, and again whenever the connection is lost.

    QueueUnreachableError, with the reason, if the first connection fails.
    """
    client = Client()
    failed: asyncio.Queue[Exception] = asyncio.Queue()
    opening = asyncio.ensure_future(
        client.connect(
            list(address.servers),
            name="assay",
            error_cb=failed.put,
            max_reconnect_attempts=-1,
            connect_timeout=CONNECT_S,
            **_entrance(address),
        )
    )
    failing = asyncio.ensure_future(_failures(failed, len(address.servers)))
    await asyncio.wait({opening, failing}, timeout=CONNECT_S, return_when="FIRST_COMPLETED")
    failing.cancel()
    if opening.done() and opening.exception() is None:
        return client
    opening.cancel()
    with suppress(Exception, asyncio.CancelledError):
        await opening
    with suppress(Exception):
        await client.close()
    raise QueueUnreachableError(
        f"the queue at {address.shown} cannot be reached: {_reason(opening, failing)}",
        "Check the address, and that nats-server runs there with --jetstream.",
    )


async def _failures(failed: "asyncio.Queue[Exception]", servers: int) -> Exception:
    """Return the last reason, once every server has failed."""
    for _ in range(servers - 1):
        await failed.get()
    return await failed.get()


def _reason(*tasks: "asyncio.Future[Exception] | asyncio.Future[None]") -> str:
    """Return in words why no connection came about."""
    for task in tasks:
        if task.done() and not task.cancelled():
            error = task.exception() or task.result()
            return str(error) or type(error).__name__
    return f"no answer within {CONNECT_S} seconds"


def _entrance(address: Address) -> dict[str, Any]:
    """Return how a client shows who it is, and knows who the server is."""
    given: dict[str, Any] = {}
    user, colon, password = address.secret.partition(":")
    if colon:
        given = {"user": user, "password": password}
    elif user:
        given = {"token": user}
    if "credentials" in address.options:
        if importlib.util.find_spec("nkeys") is None:
            raise UsageError("files of credentials need the library nkeys", "pip install nkeys")
        _read(address.options["credentials"], "credentials")
        given["user_credentials"] = address.options["credentials"]
    if address.tls:
        given["tls"] = _context(address.options)
    return given


def _context(options: dict[str, str]) -> ssl.SSLContext:
    """Return whom to trust, and the certificate of this machine if there is one."""
    try:
        context = ssl.create_default_context(cafile=options.get("ca"))
        if "cert" in options:
            context.load_cert_chain(options["cert"], options.get("key"))
    except (OSError, ValueError) as error:
        raise UsageError(f"the queue's certificates cannot be read: {error}") from error
    return context
