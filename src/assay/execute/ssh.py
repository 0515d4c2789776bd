# SPDX-License-Identifier: MIT
"""Agents on another machine: a session each, in a folder there, under the shell's limits.

Nothing else confines them: they run as the user whom ssh lets in. A shell there starts
the agent in a session of its own and passes on its input; when that ends, because the
bench is done or gone, the agent has a second before it is killed with all it started.
What the code under test prints goes to a bounded file there.
"""

import time
from pathlib import Path

from assay.errors import MachineError
from assay.execute.jail import AGENT_LIMITS, Limits
from assay.execute.pipe import PipeClosed, PipeTimeout, StreamPipe
from assay.execute.remote import Connection, connection
from assay.model import Target

FAREWELL_SECONDS = 3.0
START_SECONDS = 20.0
GO = b"assay: go\n"
LOCAL_OUTPUT_BYTES = 1 << 20
# What a shell runs there. It has double quotes only, see remote.py.
SCRIPT = """\
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


def open_remote(
    target: Target, agent: Path, stack_offset: int, padding: int, *, pinned: bool, sealed: bool
) -> "SshPipe":
    """Start an agent on the target's machine; MachineError if that cannot be reached."""
    there = connection(target.line)
    name = there.place(agent)
    script = SCRIPT.format(
        folder=there.folder,
        name=name,
        cpu_seconds=AGENT_LIMITS.cpu_seconds,
        file_blocks=AGENT_LIMITS.file_bytes // 512,
        memory_kib=AGENT_LIMITS.memory_bytes // 1024,
        processes=AGENT_LIMITS.processes,
        pin=PIN if pinned else "t=;",
        padding="x" * padding,
        stack_offset=stack_offset,
        sealed=int(sealed),
    )
    return SshPipe(there, script.replace("\n", " "), AGENT_LIMITS)


class SshPipe(StreamPipe):
    """An agent behind a session of ssh."""

    def __init__(self, there: Connection, script: str, limits: Limits) -> None:
        """Run the script there, and wait until it says that the agent starts."""
        super().__init__(limits, FAREWELL_SECONDS)
        self._there = there
        bound = ["prlimit", f"--fsize={LOCAL_OUTPUT_BYTES}"]
        self._start([*bound, *there.command(script)], standard_streams=True)
        try:
            self._skip_to_start(time.monotonic() + START_SECONDS)
        except (PipeClosed, PipeTimeout):
            account = self.close()
            raise MachineError(
                f"no agent starts on {there.line}: {account or 'it did not say why'}",
                "`ssh` must give a POSIX shell there, with room for temporary files.",
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

    def _skip_to_start(self, deadline: float) -> None:
        """Skip what a login shell prints."""
        line = b""
        while not line.endswith(GO):
            line += super().read(1, deadline)
