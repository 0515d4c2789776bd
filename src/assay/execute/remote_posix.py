# SPDX-License-Identifier: MIT
"""What a machine with a POSIX shell is told over ssh.

A shell there starts an agent in a session of its own and passes on its input; when that ends,
because the bench is done or gone, the agent has a second before it is killed with all it started.
What the code under test prints goes to a bounded file there.
"""

import re
import shlex
import subprocess

from assay.execute.jail import AGENT_LIMITS
from assay.execute.remote import COPY_SECONDS, Connection, RemoteStart, trouble

# Double quotes only: every login shell passes on what stands between single ones.
KEEPER = (
    'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/assay-XXXXXXXX") || exit 1; '
    'trap "exit 1" HUP INT TERM; end() { cd /; rm -rf "$d"; }; trap end EXIT; '
    'cd "$d" || exit 1; echo "assay $(pwd)"; cat >/dev/null'
)
DIGEST = "{ sha256sum || shasum -a 256; } 2>/dev/null"
AGENT = """\
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
        return shell(KEEPER)

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
        script = AGENT.format(
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
