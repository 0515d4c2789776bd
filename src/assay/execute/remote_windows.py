# SPDX-License-Identifier: MIT
"""What a machine with Windows is told over ssh: its OpenSSH server, with cmd.exe as its shell.

cmd.exe cannot keep bytes as they come, so agents are brought by sftp, and fetched again to
compare them. Its sessions and those of sftp begin in the user's folder, where ours is made.
Nothing here limits a process, so the agent is told its limits, and puts itself into a job that
has them (harness/hal/win32.c); it also ends itself when nobody is at the other end any more.
No command has quotes, which cmd.exe and the server's way to start it would take for their own.
"""

import re
import secrets
import subprocess
import tempfile
from pathlib import Path

from assay.execute.jail import AGENT_LIMITS
from assay.execute.remote import COPY_SECONDS, Connection, RemoteStart, trouble

# Agents end within two seconds of their input, later on a machine with much else to do, and a
# file that is executed cannot be removed: so the folder is tried again after these seconds.
PAUSES_SECONDS = (3, 3, 5, 10, 10, 30, 60, 120)
KEEPER = "mkdir {0}&&cd {0}&&echo assay {0}&&set /p end=&cd ..&rmdir /s /q {0} 2>nul"
AGAIN = "&if exist {0} ping -n {1} 127.0.0.1 >nul&if exist {0} rmdir /s /q {0} 2>nul"
AGENT = "cd {folder}&&echo assay: go&&{name} 0 1 {stack_offset} {sealed} {seconds} {mib} {pinned}"


class Windows:
    """Windows, with cmd.exe as the shell of its server."""

    greeting = re.compile(rb"^assay (assay-[0-9a-f]+)\r?\n", re.MULTILINE)
    go = b"assay: go\r\n"
    needs = "Its OpenSSH server must have cmd.exe as its shell, as it has unless told otherwise."

    def keeper(self) -> str:
        """Return the command that makes a folder, names it, waits for input's end, removes it."""
        folder = f"assay-{secrets.token_hex(8)}"
        again = (AGAIN.format(folder, seconds + 1) for seconds in PAUSES_SECONDS)
        return KEEPER.format(folder) + "".join(again)

    def copy(self, there: Connection, content: bytes, digest: str) -> str:
        """Bring an agent to the folder, and fetch it again; MachineError if it differs."""
        name = f"{digest[:16]}.exe"
        with tempfile.TemporaryDirectory(prefix="assay-sftp-") as scratch:
            sent, back = Path(scratch, "sent"), Path(scratch, "back")
            sent.write_bytes(content)
            batch = Path(scratch, "batch")
            place = f"{there.folder}/{name}"
            batch.write_text(f"put {sent} {place}\nget {place} {back}\n")
            said = _transferred(there, batch)
            if not said and back.read_bytes() != content:
                said = "what arrived there differs"
        if said:
            raise trouble(there.line, f"the agent cannot be copied to {there.line}", said)
        return name

    def start(self, what: RemoteStart) -> str:
        """Return the command that says `go` and becomes an agent.

        The environment is not on the stack there, so it is not padded.
        """
        return AGENT.format(
            folder=what.folder,
            name=what.name,
            stack_offset=what.stack_offset,
            sealed=int(what.sealed),
            seconds=AGENT_LIMITS.cpu_seconds,
            mib=AGENT_LIMITS.memory_bytes >> 20,
            pinned=int(what.pinned),
        )


def _transferred(there: Connection, batch: Path) -> str:
    """Let sftp do what a file says; return what went wrong, or an empty string."""
    try:
        done = subprocess.run(
            there.sftp(str(batch)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COPY_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return "sftp is missing here (apt-get install openssh-client)"
    except subprocess.TimeoutExpired:
        return "no end in time"
    if done.returncode == 0:
        return ""
    return done.stderr.decode("utf-8", "replace").strip()[-2000:] or "sftp did not say why"
