# SPDX-License-Identifier: MIT
"""Agents on another machine: a session each, in a folder there, under limits.

Nothing else confines them: they run as the user whom ssh lets in. How they are brought there,
started and limited depends on the system, which is told so in its shell's words.

A POSIX shell starts an agent in a session of its own and passes on its input; when that ends,
because the bench is done or gone, the agent has a second before it is killed with all it started.
What the code under test prints goes to a bounded file there.

Windows has cmd.exe as the shell of its OpenSSH server. It cannot keep bytes as they come, so
agents are brought by sftp, and fetched again to compare them. Its sessions and those of sftp
begin in the user's folder, where ours is made. Nothing limits a process there, so the agent is
told its limits, and puts itself into a job that has them (harness/hal/win32.c); it also ends
itself when nobody is at the other end any more. No command for cmd.exe has quotes, which it and
the server's way to start it would take for their own.
"""

import re
import secrets
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from assay.errors import MachineError
from assay.execute.jail import AGENT_LIMITS, Limits
from assay.execute.limiting import bounded_output
from assay.execute.pipe import PipeClosed, PipeTimeout, StreamPipe
from assay.execute.remote import COPY_SECONDS, Connection, RemoteStart, System, connection, trouble
from assay.model import Runtime, Target

# Double quotes only: every login shell passes on what stands between single ones.
POSIX_KEEPER = (
    'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/assay-XXXXXXXX") || exit 1; '
    'trap "exit 1" HUP INT TERM; end() { cd /; rm -rf "$d"; }; trap end EXIT; '
    'cd "$d" || exit 1; echo "assay $(pwd)"; cat >/dev/null'
)
DIGEST = "{ sha256sum || shasum -a 256; } 2>/dev/null"
POSIX_AGENT = """\
cd {folder} || exit 96; i=in.$$; o=out.$$; mkfifo $i || exit 96;
{{ ulimit -c 0; ulimit -t {cpu_seconds};
ulimit -f {file_blocks}; ulimit -v {memory_kib}; }} 2>/dev/null;
n=$(ls -d /proc/[0-9]*/task/[0-9]* 2>/dev/null | wc -l); n=$((n + {processes}));
ulimit -u $n 2>/dev/null || ulimit -p $n 2>/dev/null;
s=; if command -v setsid >/dev/null; then s=setsid; fi; {pin}
exec 5<&0 6>&1 </dev/null >/dev/null; printf "assay: go\\n" >&6;
$s $t env -i PATH=/usr/bin:/bin LC_ALL=C TMPDIR=/tmp HOME={folder} ASSAY_PADDING={padding}
 ./{name} 3 4 {stack_offset} {sealed} 3<$i 4>&6 >$o 2>&1 5<&- 6>&- & a=$!;
{{ cat <&5 >$i; sleep 1; kill -9 -$a; kill -9 $a; }} 2>/dev/null 6>&- & w=$!;
exec 5<&- 6>&-; wait $a; c=$?; kill $w 2>/dev/null; kill -9 -$a 2>/dev/null;
head -c 4000 $o >&2; rm -f $i $o; exit $c"""
PIN = 't=; if command -v taskset >/dev/null && k=$(nproc); then t="taskset -c $((k - 1))"; fi;'


class Posix:
    """A system with a POSIX shell."""

    greeting = re.compile(rb"^assay (/\S+)\r?\n", re.MULTILINE)
    go = b"assay: go\n"
    needs = "`ssh` must give a POSIX shell there, with room for temporary files."

    def keeper(self) -> str:
        """Return the command that makes a folder, names it, waits for input's end, removes it."""
        return shell(POSIX_KEEPER)

    def copy(self, there: Connection, content: bytes, digest: str) -> str:
        """Bring an agent to the folder and compare its digest; MachineError if it is not there."""
        name = digest[:16]
        script = f"cd {there.folder} && cat >{name} && chmod 500 {name} && {DIGEST} <{name}"
        try:
            done = subprocess.run(
                there.command(shell(script)),
                input=content,
                capture_output=True,
                timeout=COPY_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise trouble(
                there.line, f"the machine {there.line} takes no agent", "no end in time"
            ) from None
        said = done.stderr.decode("utf-8", "replace").strip()[-2000:]
        if done.returncode or digest.encode() not in done.stdout:
            said = said or f"what arrived there differs ({done.stdout[:100]!r})"
            raise trouble(there.line, f"the agent cannot be copied to {there.line}", said)
        return name

    def start(self, what: RemoteStart) -> str:
        """Return the command that says `go` and becomes an agent."""
        script = POSIX_AGENT.format(
            folder=what.folder,
            name=what.name,
            cpu_seconds=AGENT_LIMITS.cpu_seconds,
            file_blocks=AGENT_LIMITS.file_bytes // 512,
            memory_kib=AGENT_LIMITS.memory_bytes // 1024,
            processes=AGENT_LIMITS.processes,
            pin=PIN if what.pinned else "t=;",
            padding="x" * what.padding,
            stack_offset=what.stack_offset,
            sealed=int(what.sealed),
        )
        return shell(script.replace("\n", " "))


def shell(script: str) -> str:
    """Return the command by which any login shell runs a script for a POSIX shell."""
    return f"exec sh -c {shlex.quote(script)}"


# Agents end within two seconds of their input, later on a machine with much else to do, and a
# file that is executed cannot be removed: so the folder is tried again after these seconds.
PAUSES_SECONDS = (3, 3, 5, 10, 10, 30, 60, 120)
WINDOWS_KEEPER = "mkdir {0}&&cd {0}&&echo assay {0}&&set /p end=&cd ..&rmdir /s /q {0} 2>nul"
AGAIN = "&if exist {0} ping -n {1} 127.0.0.1 >nul&if exist {0} rmdir /s /q {0} 2>nul"
WINDOWS_AGENT = (
    "cd {folder}&&echo assay: go&&{name} 0 1 {stack_offset} {sealed} {seconds} {mib} {pinned}"
)


class Windows:
    """Windows, with cmd.exe as the shell of its server."""

    greeting = re.compile(rb"^assay (assay-[0-9a-f]+)\r?\n", re.MULTILINE)
    go = b"assay: go\r\n"
    needs = "Its OpenSSH server must have cmd.exe as its shell, as it has unless told otherwise."

    def keeper(self) -> str:
        """Return the command that makes a folder, names it, waits for input's end, removes it."""
        folder = f"assay-{secrets.token_hex(8)}"
        again = (AGAIN.format(folder, seconds + 1) for seconds in PAUSES_SECONDS)
        return WINDOWS_KEEPER.format(folder) + "".join(again)

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
        return WINDOWS_AGENT.format(
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


FAREWELL_SECONDS = 3.0
START_SECONDS = 20.0
LOCAL_OUTPUT_BYTES = 1 << 20
POSIX, WINDOWS = Posix(), Windows()


def open_remote(
    target: Target, agent: Path, stack_offset: int, padding: int, *, pinned: bool, sealed: bool
) -> "SshPipe":
    """Start an agent on the target's machine; MachineError if that cannot be reached."""
    system = WINDOWS if target.runtime is Runtime.WINDOWS else POSIX
    there = connection(target.line, system)
    name = there.place(agent)
    what = RemoteStart(there.folder, name, stack_offset, padding, pinned, sealed)
    return SshPipe(there, system, what, AGENT_LIMITS)


class SshPipe(StreamPipe):
    """An agent behind a session of ssh."""

    def __init__(
        self, there: Connection, system: System, what: RemoteStart, limits: Limits
    ) -> None:
        """Send the command there, and wait until it says that the agent starts."""
        super().__init__(limits, FAREWELL_SECONDS)
        self._there = there
        words = bounded_output(there.command(system.start(what)), LOCAL_OUTPUT_BYTES)
        self._start(words, standard_streams=True)
        try:
            self._skip_to(system.go, time.monotonic() + START_SECONDS)
        except (PipeClosed, PipeTimeout):
            account = self.close()
            raise MachineError(
                f"no agent starts on {there.line}: {account or 'it did not say why'}", system.needs
            ) from None

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes; MachineError if the connection is gone."""
        try:
            return super().read(length, deadline)
        except PipeClosed:
            if not self._closed and self._there.ended_soon():
                raise self._there.broken() from None
            raise

    def write(self, data: bytes) -> None:
        """Send all of `data`; MachineError if the connection is gone."""
        try:
            super().write(data)
        except PipeClosed:
            if not self._closed and self._there.ended_soon():
                raise self._there.broken() from None
            raise

    def _skip_to(self, go: bytes, deadline: float) -> None:
        """Skip what a login shell prints."""
        line = b""
        while not line.endswith(go):
            line += super().read(1, deadline)
