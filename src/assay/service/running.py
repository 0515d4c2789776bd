# SPDX-License-Identifier: MIT
"""Running a service: its server, and the built-in worker as a process of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path

import uvicorn
from msgspec import Struct

from assay.errors import UsageError
from assay.fleet.following import PROGRAM
from assay.fleet.queue import open_queue
from assay.service.app import make_app
from assay.service.desk import STALE, SubmissionDesk
from assay.service.house import House
from assay.service.places import ServiceFolder
from assay.service.records import open_records
from assay.store.alone import working_alone
from assay.writing import write_below

WORKER_PAUSE_SECONDS = 10.0
MOST_CONNECTIONS = 200
KEEP_ALIVE_SECONDS = 15
LEAVE_SECONDS = 10
MOST_HEAD_BYTES = 32 << 10
log = logging.getLogger("assay.service")


class ServiceSettings(Struct, frozen=True):
    """What `assay serve` was told; an `origin` is how the service is reached from outside."""

    folder: Path
    host: str
    port: int
    origin: str
    queue: str = ""
    judges: tuple[str, ...] = ("native",)
    worker: bool = True


async def serve(settings: ServiceSettings, ready: Callable[[str], object]) -> None:
    """Serve until the process is told to end; `ready` hears the address."""
    folder = ServiceFolder(settings.folder.absolute())
    folder.make()
    with working_alone(folder.root):
        folder.tidy()
        write_below(folder.root, STALE, "the service was started")
        await _serve(settings, folder, ready)


async def _serve(
    settings: ServiceSettings, folder: ServiceFolder, ready: Callable[[str], object]
) -> None:
    records = open_records(folder.root)
    queue = await open_queue(settings.queue or str(folder.queue))
    desk = SubmissionDesk(records, folder, queue, settings.judges)
    app = make_app(House(records, folder, desk, settings.origin))
    server = uvicorn.Server(uvicorn.Config(
        app, host=settings.host, port=settings.port, log_config=None, access_log=False,
        proxy_headers=False, server_header=False, limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS, timeout_graceful_shutdown=LEAVE_SECONDS,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES, lifespan="on",
    ))  # fmt: skip
    worker = _built_in(settings, folder) if settings.worker else nullcontext()
    async with worker:
        announced = asyncio.create_task(_announce(server, settings, ready))
        await server.serve()
        announced.cancel()
    if not server.started:
        raise UsageError(
            f"nothing can be served at {settings.host}:{settings.port}",
            "Another program may use this port; name another one with --port.",
        )


async def _announce(
    server: uvicorn.Server, settings: ServiceSettings, ready: Callable[[str], object]
) -> None:
    while not server.started:  # noqa: ASYNC110 - the library offers no event
        await asyncio.sleep(0.05)
    ready(settings.origin)


@asynccontextmanager
async def _built_in(settings: ServiceSettings, folder: ServiceFolder) -> AsyncIterator[None]:
    """Keep one worker at work, as a child: it ends with the service, and is begun again."""
    queue = settings.queue or str(folder.queue)
    task = asyncio.create_task(_always(lambda: _worker(queue, folder.root / "worker")))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _always(work: Callable[[], Awaitable[int]]) -> None:
    while True:
        code = await work()
        log.warning("the built-in worker ended with %d; it begins again", code)
        await asyncio.sleep(WORKER_PAUSE_SECONDS)


async def _worker(queue: str, folder: Path) -> int:
    """Run a worker; it is told to end when this is cancelled, and waited for."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "work", "--queue", queue, "--folder", str(folder),
        stdin=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(LEAVE_SECONDS):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
