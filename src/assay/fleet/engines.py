# SPDX-License-Identifier: MIT
"""Which engine a queue's address names."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.errors import UsageError
from assay.fleet.queue import PATIENCE_S, Queue


async def open_queue(url: str, patience: float = PATIENCE_S) -> Queue:
    """Open the queue at an address: a folder (also as `file:///path`), or `nats://host:port`.

    UsageError for another address; QueueError if it cannot be reached or used.
    """
    if "://" not in url:
        return _embedded(Path(url), patience)
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return _embedded(Path(unquote(parts.path)), patience)
    if parts.scheme in ("nats", "tls"):
        return await _jetstream(url, patience)
    raise UsageError(
        f"{parts.scheme}:// is no address of a queue",
        "Name a folder on this machine, or nats://host:port.",
    )


def _embedded(folder: Path, patience: float) -> Queue:
    """Open the queue of a folder; its library is loaded for nothing else."""
    from assay.fleet.embedded import open_embedded  # noqa: PLC0415

    return open_embedded(folder, patience)


async def _jetstream(url: str, patience: float) -> Queue:
    """Open a queue on NATS."""
    from assay.fleet.address import read_address  # noqa: PLC0415
    from assay.fleet.jetstream import open_jetstream  # noqa: PLC0415

    return await open_jetstream(read_address(url), patience)
