# SPDX-License-Identifier: MIT
"""Fetching an archive from the web, with limits of bytes and of time."""

import hashlib
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO

from assay import __version__
from assay.errors import MachineError, UsageError

SCHEMES = ("https", "http")
LIMIT_BYTES = 256 << 20
SILENCE_SECONDS = 30.0
WHOLE_SECONDS = 1800.0

_CHUNK = 1 << 16
_NETWORK = "Check the address and the network, or download the file and name it instead."

Tell = Callable[[int, int | None], None]


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirections to the web only, and never from https to http."""

    max_redirections = 5

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Refuse what the address that the user named does not stand for."""
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in SCHEMES or (req.type == "https" and scheme != "https"):
            fp.close()
            raise UsageError(
                f"{req.full_url} leads to {newurl}", "Name that address if you trust it."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_address(text: str) -> bool:
    """Return whether what the user named is an address rather than a file."""
    return "://" in text


def download(address: str, to: Path, tell: Tell, limit_bytes: int = LIMIT_BYTES) -> str:
    """Fetch an address of http or https into a new file; give its SHA-256, hexadecimal.

    `tell` is called with the bytes so far and the bytes announced, if any. Raises
    UsageError for another sort of address, MachineError if the server does not answer,
    says no, sends more than `limit_bytes`, falls silent or takes too long.
    """
    scheme = urllib.parse.urlsplit(address).scheme.lower()
    if scheme not in SCHEMES:
        raise UsageError(
            f"addresses of {scheme}:// are not fetched",
            "Name a file by its path, or an address that begins with https:// or http://.",
        )
    try:
        request = urllib.request.Request(  # noqa: S310 - of http or https, as was just seen
            address, headers={"User-Agent": f"assay/{__version__}", "Accept-Encoding": "identity"}
        )
        with _opener().open(request, timeout=SILENCE_SECONDS) as answer, to.open("xb") as file:
            length = answer.headers.get("Content-Length", "")
            announced = int(length) if length.isdecimal() else None
            if announced is not None and announced > limit_bytes:
                raise _too_large(address, limit_bytes)
            digest, total = _receive(address, answer, file, limit_bytes, announced, tell)
    except (HTTPException, ValueError, OSError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise MachineError(f"{address} cannot be fetched: {_reason(error)}", _NETWORK) from error
    if announced is not None and total != announced:
        raise MachineError(f"{address} sent {total} of {announced} bytes", "Try again.")
    return digest


def _opener() -> urllib.request.OpenerDirector:
    """Make an opener that knows the web and proxies, and neither files nor FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


def _receive(
    address: str,
    answer: IO[bytes],
    file: IO[bytes],
    limit_bytes: int,
    announced: int | None,
    tell: Tell,
) -> tuple[str, int]:
    """Copy the body; give its digest and its length."""
    digest, total = hashlib.sha256(), 0
    deadline = time.monotonic() + WHOLE_SECONDS
    while chunk := answer.read(_CHUNK):
        total += len(chunk)
        if total > limit_bytes:
            raise _too_large(address, limit_bytes)
        if time.monotonic() > deadline:
            raise TimeoutError(f"more than {WHOLE_SECONDS / 60:.0f} minutes")
        digest.update(chunk)
        file.write(chunk)
        tell(total, announced)
    return digest.hexdigest(), total


def _too_large(address: str, limit_bytes: int) -> MachineError:
    return MachineError(
        f"{address} is larger than {limit_bytes >> 20} MB",
        "Name an archive of the one package; with --large the limits are higher.",
    )


def _reason(error: Exception) -> str:
    """Explain why in words: the library wraps what the system said."""
    if isinstance(error, urllib.error.HTTPError):
        return f"{error.code} {error.reason}"
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return str(inner) or "the server fell silent"
    return str(inner) or type(inner).__name__
