# SPDX-License-Identifier: MIT
"""An OpenSSH server that a test starts, with keys and a configuration of its own."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.execute import remote

SSHD, SSH = Path("/usr/sbin/sshd"), Path("/usr/bin/ssh")
PRIVILEGES = Path("/run/sshd")  # where root's server gives up its own
SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PermitRootLogin yes
PidFile none
MaxSessions 3
SetEnv TMPDIR={folder}/temporary
Subsystem sftp /usr/lib/openssh/sftp-server
"""
CLIENT = """\
Host *
  HostName 127.0.0.1
  Port {port}
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
Host closed
  Port {closed}
Host deaf
  Port {deaf}
Host strange
  UserKnownHostsFile {folder}/nobody
  StrictHostKeyChecking yes
Match final all
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its folder, and the one in which its sessions make theirs."""

    folder: Path

    @property
    def there(self) -> Path:
        """The folder for temporary files on the other machine."""
        return self.folder / "temporary"

    def processes(self) -> list[str]:
        """List what runs out of that folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                where = str((entry.parent / "cwd").readlink())
            except OSError:
                continue
            if where.startswith(str(self.there)):
                found.append(line)
        return found


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()


@contextmanager
def serving(folder: Path, forced: Mapping[str, str]) -> Iterator[Server]:
    """Run a server for as long as the context lasts; `ssh` on the path knows it.

    `forced` names its keys, which are hosts for the client, and what the server runs for each
    instead of the client's command ("": that one).
    """
    if not SSHD.exists() or not SSH.exists():
        pytest.skip("no OpenSSH server (apt-get install openssh-server)")
    (folder / "temporary").mkdir()
    (folder / "bin").mkdir()
    allowed, client = [], CLIENT
    for name in ("host", *forced, "refused", "strange"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
                       check=True)  # fmt: skip
        client += f"Host {name}\n  IdentityFile {folder}/{name}\n"
        public = (folder / f"{name}.pub").read_text()
        if name in forced:
            command = forced[name]
            allowed.append((f'command="{command}" ' if command else "") + public)
    (folder / "authorized").write_text("".join(allowed))
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        port = free_port()
        words = {"folder": folder, "port": port, "closed": free_port()}
        (folder / "server").write_text(SERVER.format(**words))
        client = client.format(**words, deaf=deaf.getsockname()[1])
        # ssh takes the first value that it finds: what is special comes before `Host *`
        general, special = client.split("Host closed", 1)
        (folder / "client").write_text(f"Host closed{special}\n{general}")
        wrapper = folder / "bin" / "ssh"
        wrapper.write_text(f'#!/bin/sh\nexec {SSH} -F {folder}/client "$@"\n')
        wrapper.chmod(0o755)
        if os.geteuid() == 0:
            PRIVILEGES.mkdir(exist_ok=True)  # and it stays: other tests' servers need it, too
        log = folder / "log"
        process = subprocess.Popen([SSHD, "-D", "-f", folder / "server", "-E", log])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
            assert wait_for(lambda: "listening" in log.read_text() if log.exists() else False)
            yield Server(folder)
            remote.close_connections()
        process.kill()
        process.wait()
