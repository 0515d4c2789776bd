# SPDX-License-Identifier: MIT
"""What a queue on NATS keeps: streams and buckets, made by whoever comes first, and files."""

import asyncio
import base64
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    KeyValueConfig,
    ObjectStoreConfig,
    RetentionPolicy,
    StreamConfig,
)
from nats.js.errors import (
    BadRequestError,
    BucketNotFoundError,
    DigestMismatchError,
    NotFoundError,
    ObjectNotFoundError,
    ServiceUnavailableError,
)
from nats.js.kv import KeyValue
from nats.js.object_store import ObjectStore

from assay.fleet.address import Address
from assay.fleet.archived import check_digest, digest_of
from assay.fleet.queue import ABOUT, QueueError, QueueUnreachableError, require_version
from assay.writing import named_file

JOBS, TIDINGS, SERVER = "assay-jobs", "assay-tidings", "server"
TRANSFER_S = 900.0  # for one file; a message that is lost is not noticed before


class Buckets(Struct, frozen=True):
    """Where names of jobs, machines and files are kept."""

    names: KeyValue
    machines: KeyValue
    files: ObjectStore


async def make_streams(stream: JetStreamContext, address: Address, patience: float) -> Buckets:
    """Return the buckets; QueueError if another version of Assay has made the streams."""
    try:
        for config in (
            _work(JOBS, f"{JOBS}.*", address.replicas),
            _work(TIDINGS, TIDINGS, address.replicas),
        ):
            await _make_stream(stream, config, address.shown)
        await _make_server(stream, patience)
        return Buckets(
            await _bucket(stream, "assay-names", address.replicas),
            await _bucket(stream, "assay-machines", address.replicas),
            await _files(stream, address.replicas),
        )
    except (NatsError, OSError) as error:
        reason = (
            "it runs without JetStream, or this user may not use it"
            if isinstance(error, (NoRespondersError, ServiceUnavailableError))
            else str(error) or type(error).__name__
        )
        raise QueueUnreachableError(
            f"the queue at {address.shown} cannot be used: {reason}",
            "Start nats-server with --jetstream, and let this user make streams.",
        ) from error


def _work(name: str, subject: str, replicas: int) -> StreamConfig:
    """Return a stream whose messages go when they are acknowledged."""
    return StreamConfig(
        name=name,
        description=ABOUT,
        subjects=[subject],
        retention=RetentionPolicy.WORK_QUEUE,
        num_replicas=replicas,
    )


async def _make_stream(stream: JetStreamContext, config: StreamConfig, shown: str) -> None:
    """Make a stream where it is absent, or make sure that it is of this version."""
    name = config.name or ""
    try:
        known = await stream.stream_info(name)
    except NotFoundError:
        with suppress(BadRequestError):  # somebody else has just made it
            await stream.add_stream(config)
        known = await stream.stream_info(name)
    require_version(known.config.description, shown)


async def _make_server(stream: JetStreamContext, patience: float) -> None:
    """Make the consumer from which the server takes tidings, one after the other."""
    try:
        await stream.consumer_info(TIDINGS, SERVER)
    except NotFoundError:
        wanted = ConsumerConfig(
            durable_name=SERVER,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=patience,
            max_ack_pending=1,
        )
        with suppress(BadRequestError):
            await stream.add_consumer(TIDINGS, wanted)


async def _bucket(stream: JetStreamContext, name: str, replicas: int) -> KeyValue:
    """Return a bucket of keys and values."""
    try:
        return await stream.key_value(name)
    except (BucketNotFoundError, NotFoundError):
        with suppress(BadRequestError):
            await stream.create_key_value(KeyValueConfig(bucket=name, replicas=replicas))
        return await stream.key_value(name)


async def _files(stream: JetStreamContext, replicas: int) -> ObjectStore:
    """Return the bucket of files."""
    try:
        return await stream.object_store("assay-files")
    except (BucketNotFoundError, NotFoundError):
        with suppress(BadRequestError):
            await stream.create_object_store(
                "assay-files", config=ObjectStoreConfig(replicas=replicas)
            )
        return await stream.object_store("assay-files")


class Transfer:
    """Files that are kept by their digest."""

    def __init__(self, store: ObjectStore) -> None:
        """Use a store that is there."""
        self._store = store

    async def keep(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        digest = await asyncio.to_thread(digest_of, path)
        if not await self._has(digest):
            with path.open("rb") as file:
                await asyncio.wait_for(self._store.put(digest, file), TRANSFER_S)
            if not await self._has(digest):
                raise QueueError(f"{path} was changed while it was uploaded")
        return digest

    async def _has(self, digest: str) -> bool:
        """Return whether a file is kept whole under its own digest."""
        try:
            known = await self._store.get_info(digest)
        except (ObjectNotFoundError, NotFoundError):
            return False
        return known.digest == _digest_of_store(digest)

    async def write(self, digest: str, path: Path) -> None:
        """Write a kept file to a path, where it appears when its digest was compared."""
        if not await self._has(check_digest(digest)):
            raise QueueError(f"the queue has no file {digest}")
        try:
            with named_file(path) as file:
                got = self._store.get(digest, writeinto=file)  # type: ignore[arg-type]
                await asyncio.wait_for(got, TRANSFER_S)
        except DigestMismatchError as error:
            raise QueueError(f"the file {digest} of the queue is damaged") from error

    async def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        if await self._has(check_digest(digest)):
            await self._store.delete(digest)


def _digest_of_store(digest: str) -> str:
    """Return a digest as the store writes it; it compares content with that."""
    return "SHA-256=" + base64.urlsafe_b64encode(bytes.fromhex(digest)).decode()
