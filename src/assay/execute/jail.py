# SPDX-License-Identifier: MIT
"""The jail in which compilers and agents run.

Bubblewrap gives them a read-only system, one folder of their own, no network
and new process, IPC and user namespaces; limits come from `prlimit`. When
Assay runs as root the jail runs as nobody, so that the limit on processes
holds (the kernel exempts root). Killing the outer process kills all of it.

The weaker mode has the limits only. It must be asked for, and every result
obtained in it says so.
"""

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from assay.errors import MachineError

NOBODY = 65534
MIB = 1 << 20


class JailMode(StrEnum):
    """How strongly submitted code is confined; the value stands in every result."""

    BUBBLEWRAP = "bubblewrap"
    LIMITS_ONLY = "limits only"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a jailed command may use; `wall_seconds` is kept by whoever waits for it."""

    wall_seconds: float = 20.0
    cpu_seconds: int = 20
    memory_bytes: int = 2048 * MIB
    processes: int = 128
    file_bytes: int = 64 * MIB
    scratch_bytes: int = 64 * MIB


COMPILE_LIMITS = Limits(wall_seconds=60.0, cpu_seconds=60, memory_bytes=4096 * MIB)
AGENT_LIMITS = Limits(
    wall_seconds=60.0,
    cpu_seconds=120,
    memory_bytes=1024 * MIB,
    processes=64,
    file_bytes=1 * MIB,
    scratch_bytes=4 * MIB,
)


@dataclass(frozen=True, slots=True)
class Jail:
    """A way to run a command confined to `home`, its only writable folder."""

    mode: JailMode
    readable: tuple[Path, ...] = field(default=())

    def command(
        self, argv: list[str], home: Path, limits: Limits, *, writable: bool, padding: int = 0
    ) -> list[str]:
        """Give the command line that runs `argv` in the jail.

        `home` is seen at its own path, read-only unless `writable`. `padding` is
        the length of an environment variable that shifts the stack.
        """
        outer = _identity() + _limits(limits)
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": "/tmp"}  # noqa: S108
        environment["HOME"] = str(home)
        environment["ASSAY_PADDING"] = "x" * padding
        if self.mode is JailMode.LIMITS_ONLY:
            variables = [f"{name}={value}" for name, value in environment.items()]
            return [*outer, "env", "-i", "-C", str(home), *variables, *argv]
        return [*outer, *self._bubblewrap(home, limits, environment, writable), "--", *argv]

    def _bubblewrap(
        self, home: Path, limits: Limits, environment: dict[str, str], writable: bool
    ) -> list[str]:
        command = [_tool("bwrap"), "--unshare-all", "--die-with-parent", "--new-session"]
        command += ["--cap-drop", "ALL", "--hostname", "jail", *_system_folders()]
        for path in self.readable:
            command += ["--ro-bind-try", str(path), str(path)]
        command += ["--proc", "/proc", "--dev", "/dev"]
        command += ["--size", str(limits.scratch_bytes), "--tmpfs", "/tmp"]  # noqa: S108
        command += ["--bind" if writable else "--ro-bind", str(home), str(home)]
        command += ["--chdir", str(home), "--clearenv"]
        for name, value in environment.items():
            command += ["--setenv", name, value]
        return command


def strongest_jail(readable: tuple[Path, ...] = ()) -> Jail:
    """Give the bubblewrap jail, or raise MachineError saying why it cannot run."""
    jail = Jail(JailMode.BUBBLEWRAP, readable)
    problem = _trial(jail)
    if problem:
        raise MachineError(
            f"the jail cannot run: {problem}",
            "Install it (apt-get install bubblewrap util-linux), or accept the weaker mode "
            "with --jail limits, which every result then states.",
        )
    return jail


def choose_jail(name: str, readable: tuple[Path, ...] = ()) -> Jail:
    """Give the jail that the user asked for: `bubblewrap` or `limits`."""
    if name == "limits":
        return Jail(JailMode.LIMITS_ONLY, readable)
    return strongest_jail(readable)


@functools.lru_cache(maxsize=1)
def _trial(jail: Jail) -> str:
    """Run `true` in the jail once; return what went wrong, or an empty string."""
    try:
        command = jail.command(["/usr/bin/true"], Path("/usr"), Limits(), writable=False)
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (MachineError, OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"


@functools.cache
def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MachineError(
            f"{name} is not installed", "apt-get install bubblewrap util-linux coreutils"
        )
    return found


@functools.cache
def _system_folders() -> list[str]:
    """Show the system read-only: /usr, the links into it, and what finding programs needs."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64", "libx32", "sbin"):
        path = Path("/") / name
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for path in (Path("/etc/alternatives"), Path("/etc/ld.so.cache")):
        if path.exists():
            options += ["--ro-bind", str(path), str(path)]
    return options


def _identity() -> list[str]:
    if os.geteuid() != 0:
        return []
    nobody = str(NOBODY)
    return [_tool("setpriv"), "--reuid", nobody, "--regid", nobody, "--clear-groups"]


def _limits(limits: Limits) -> list[str]:
    return [
        _tool("prlimit"),
        f"--cpu={limits.cpu_seconds}",
        f"--as={limits.memory_bytes}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file_bytes}",
        "--core=0",
    ]
