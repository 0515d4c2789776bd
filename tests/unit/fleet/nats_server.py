# SPDX-License-Identifier: MIT
"""A nats-server of a test's own, on a free port, with its files in a folder of the test."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

START_S = 60.0


@dataclass(frozen=True)
class NatsServer:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        """Return its address."""
        return f"nats://127.0.0.1:{self.port}"


def start(folder: Path, *options: str, port: int = -1) -> NatsServer:
    """Start a server; with its folder and port it goes on where a killed one was."""
    program = shutil.which("nats-server")
    if program is None:
        pytest.skip("nats-server is not installed; ./scripts/setup --test installs it")
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.ports"):
        old.unlink()
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            [
                *(program, "-a", "127.0.0.1", "-p", str(port)),
                *(() if "-c" in options else ("-js", "-sd", str(folder / "store"))),
                *("--ports_file_dir", str(folder)),
                *options,
            ],
            stdout=log,
            stderr=log,
        )
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        for file in folder.glob("*.ports"):
            if text := file.read_text():
                (address, *_) = json.loads(text)["nats"]
                return NatsServer(process, int(address.rpartition(":")[2]))
        time.sleep(0.01)
    process.kill()
    process.wait()
    pytest.fail(f"nats-server did not start: {(folder / 'log').read_text()}")


@contextmanager
def nats_server(folder: Path, *options: str) -> Iterator[NatsServer]:
    """Lend a server."""
    server = start(folder, *options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
