# SPDX-License-Identifier: MIT
"""The jail in which compilers and agents run.

Bubblewrap gives them a read-only system, one folder of their own, no network, new
process, IPC and user namespaces and a filter of system calls (`calls.py`); limits
come from `prlimit`. The kernel
counts processes per user and exempts root. So when Assay runs as root every
jailed command gets a user of its own, which no other jail can starve; otherwise
the limit stands above what the user runs anyway. Killing the outer process
kills all of it, and where control groups can be made (`groups.py`), each command has one.

The weaker mode has the limits only. It must be asked for, and every result
obtained in it says so.
"""

import contextlib
import functools
import os
import secrets
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from assay.errors import MachineError
from assay.execute.calls import Calls, program
from assay.execute.groups import counting, entered
from assay.execute.limiting import prlimit_words, unjailed_words
from assay.machine.virtual import emulated

LIMITS = "limits"  # the name of the weaker mode
NOBODY = 65534
FRESH_USERS = range(0x7000_0000, 0x7FFF_FFFF)
LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib")
# Bubblewrap is the first process inside, and what it was given can be read there.
BARE = ("/usr/bin/env", "-i")
NAMESPACES = (
    "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
)  # fmt: skip
# What a program sees that a user starts: names, variables, a folder.
USERS_PROGRAM = "/usr/local/bin/server"
USERS_HOST = "workstation"
USERS_ENVIRONMENT = {
    "SHELL": "/bin/bash", "USER": "user", "LOGNAME": "user", "HOME": "/home/user",
    "LANG": "en_US.UTF-8", "TERM": "xterm-256color", "PWD": "/", "SHLVL": "1", "DISPLAY": ":0",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games", "EDITOR": "vi",
}  # fmt: skip
MIB = 1 << 20
_trying = threading.Lock()


class JailMode(StrEnum):
    """How strongly submitted code is confined; the value stands in every result."""

    BUBBLEWRAP = "bubblewrap"
    LIMITS_ONLY = "limits only"


class Limits(Struct, frozen=True):
    """What a jailed command may use.

    `memory_bytes` is for each process, and in a control group for all of them together; of it
    `data_bytes` can be written to (None: all).
    `wall_seconds`, and what may lie in its folder in the end or on the way, `folder_bytes` in
    `folder_files` files and folders, are kept by whoever waits for it.
    """

    wall_seconds: float = 20.0
    cpu_seconds: int = 20
    memory_bytes: int = 2048 * MIB
    data_bytes: int | None = None
    processes: int = 128
    file_bytes: int = 64 * MIB
    scratch_bytes: int = 64 * MIB
    folder_bytes: int = 1024 * MIB
    folder_files: int = 20_000


_COMPILE_SECONDS = 600 if emulated() else 60  # clang with AVX headers took more than 60 there
COMPILE_LIMITS = Limits(
    wall_seconds=float(_COMPILE_SECONDS), cpu_seconds=_COMPILE_SECONDS, memory_bytes=4096 * MIB
)
# For all sources of a package of the SUPERCOP API, some of which are megabytes of tables.
LONG_COMPILE_LIMITS = replace(
    COMPILE_LIMITS,
    wall_seconds=1800.0,
    cpu_seconds=1800,
    memory_bytes=8192 * MIB,
    file_bytes=256 * MIB,
    scratch_bytes=512 * MIB,
    folder_bytes=4096 * MIB,
    folder_files=200_000,
)
AGENT_LIMITS = Limits(
    wall_seconds=60.0,
    cpu_seconds=120,
    memory_bytes=1024 * MIB,
    processes=64,
    file_bytes=1 * MIB,
    scratch_bytes=4 * MIB,
)

LARGE_LIMITS = replace(AGENT_LIMITS, memory_bytes=6144 * MIB, cpu_seconds=3600, wall_seconds=3600)
# Addresses alone: what is far apart, or longer than memory, is not written to.
ROOMY_LIMITS = replace(LARGE_LIMITS, memory_bytes=8192 * MIB, data_bytes=AGENT_LIMITS.memory_bytes)


class Confined(Struct, frozen=True):
    """A command line that confines itself, and descriptors that its process must inherit."""

    words: list[str]
    descriptors: tuple[int, ...] = ()


class Jail(Struct, frozen=True):
    """A way to run a command confined to `home`, its only writable folder.

    `proc` is whether it has a /proc of its own. Inside containers the kernel often
    refuses one; the jail then has none, which confines no less. `patience_seconds` is how long
    the agents of one package are waited for; None: as long as its kind needs (`patience.py`).
    """

    mode: JailMode
    readable: tuple[Path, ...] = field(default=())
    proc: bool = True
    patience_seconds: float | None = None

    @contextlib.contextmanager
    def confined(
        self,
        argv: list[str],
        home: Path,
        limits: Limits,
        *,
        writable: bool,
        calls: Calls = Calls.TOOL,
        padding: int = 0,
        as_users: bool = False,
    ) -> Iterator[Confined]:
        """Yield what runs `argv` in the jail, for one start of a process.

        `home` is seen at its own path, read-only unless `writable`. `calls` says which
        system calls it may make; an agent of this machine sees libraries and no programs.
        `padding` is the length of an environment variable that shifts the stack. To a program
        that runs `as_users` do, name, variables, folder and host look like those of a user.
        """
        user = _user(home, writable=writable)
        running, limited = tasks_of(user), _identity(user)
        environment = USERS_ENVIRONMENT if as_users else _environment(home, padding)
        if self.mode is JailMode.LIMITS_ONLY:
            variables = [f"{name}={value}" for name, value in environment.items()]
            with self._grouped(limits, calls) as group:
                begun = [*group, *limited, *unjailed_words(limits, running, home)]
                yield Confined([*begun, *variables, *argv])
            return
        limited += prlimit_words(_tool("prlimit"), limits, running)
        view = [*_system_folders(calls), *self._places(home, limits, writable)]
        if as_users:
            view += ["--ro-bind", argv[0], USERS_PROGRAM]
            argv = [USERS_PROGRAM, *argv[1:]]
        view += ["--chdir", "/" if as_users else str(home)]
        view += ["--hostname", USERS_HOST if as_users else "jail"]
        with _filter(calls) as descriptor, self._grouped(limits, calls) as group:
            words = [*BARE, _tool("bwrap"), *NAMESPACES, "--seccomp", str(descriptor), *view]
            words += [word for pair in environment.items() for word in ("--setenv", *pair)]
            yield Confined([*group, *limited, *words, "--", *argv], (descriptor,))

    def _grouped(self, limits: Limits, calls: Calls) -> AbstractContextManager[list[str]]:
        """Return the words that put a command into a control group of its own.

        In the full jail everything ends with its first process anyway. So an agent, which
        cannot start another, needs no group there, and nobody needs one that counts nothing:
        entering it takes the kernel some milliseconds.
        """
        if self.mode is JailMode.BUBBLEWRAP and (calls is Calls.AGENT or not counting()):
            return contextlib.nullcontext([])
        return entered(limits.memory_bytes, limits.processes)

    def _places(self, home: Path, limits: Limits, writable: bool) -> Iterator[str]:
        """Show what is not of the system: devices, scratch memory, compilers, `home`."""
        if self.proc:
            yield from ("--proc", "/proc")
        yield from ("--dev", "/dev", "--size", str(limits.scratch_bytes), "--tmpfs", "/dev/shm")  # noqa: S108
        yield from ("--size", str(limits.scratch_bytes), "--tmpfs", "/tmp")  # noqa: S108
        for path in self.readable:
            yield from ("--ro-bind-try", str(path), str(path))
        yield from ("--bind" if writable else "--ro-bind", str(home), str(home))
        yield "--clearenv"


BOUND = "resource limit"  # as prlimit says where a limit cannot be set
RAISE = "This shell's own limit is lower (`ulimit -Ha` shows all): raise it, or use another shell."
INSTALL = (
    "Install it (apt-get install bubblewrap util-linux), or accept the weaker mode with --jail "
    "limits, which every result then states."
)


def strongest_jail(readable: tuple[Path, ...] = ()) -> Jail:
    """Return the bubblewrap jail, or raise MachineError saying why it cannot run.

    The answer is remembered, and whoever asks meanwhile waits for it. A failure is not: it may
    be that of a moment in which the machine was busy.
    """
    with _trying:
        return _strongest(readable)


@functools.lru_cache(maxsize=8)
def _strongest(readable: tuple[Path, ...]) -> Jail:
    jail = Jail(JailMode.BUBBLEWRAP, readable)
    problem = _trial(jail)
    if not problem:
        return jail
    bare = replace(jail, proc=False)
    if _trial(bare):
        raise MachineError(
            f"the jail cannot run: {problem}", RAISE if BOUND in problem else INSTALL
        )
    # Ask once more before /proc is given up: what refused it may have passed.
    return bare if _trial(jail) else jail


def choose_jail(name: str, readable: tuple[Path, ...] = ()) -> Jail:
    """Return the jail that the user asked for: `bubblewrap` or `limits`."""
    if name == LIMITS:
        return Jail(JailMode.LIMITS_ONLY, readable)
    return strongest_jail(readable)


def strongest_stated() -> str:
    """Describe the strongest jail that works here, or why there is none but the limits."""
    try:
        jail = strongest_jail()
    except MachineError as error:
        return f"{error}; `--jail limits` confines less"
    return jail.mode.value if jail.proc else f"{jail.mode.value}, without a /proc of its own"


def begin_trial() -> None:
    """Begin to look for the strongest jail; whoever wants it meanwhile waits for that."""

    def look() -> None:
        with contextlib.suppress(MachineError):
            strongest_jail()

    threading.Thread(target=look, daemon=True).start()


def _trial(jail: Jail) -> str:
    """Run `true` in a jail; return what went wrong, or an empty string."""
    try:
        with jail.confined(["/usr/bin/true"], Path("/usr"), Limits(), writable=False) as confined:
            done = subprocess.run(
                confined.words, pass_fds=confined.descriptors,
                capture_output=True, text=True, timeout=20, check=False,
            )  # fmt: skip
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


@contextlib.contextmanager
def _filter(calls: Calls) -> Iterator[int]:
    """Yield a descriptor from which bubblewrap reads the filter, once."""
    descriptor = os.memfd_create("assay-filter")
    try:
        os.write(descriptor, program(calls))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


@functools.cache
def _system_folders(calls: Calls) -> list[str]:
    """Show the system read-only: /usr, the links into it, and what finding programs needs.

    Of /usr an agent sees the libraries alone.
    """
    options = []
    for folder in LIBRARIES if calls is Calls.AGENT else ("/usr",):
        if Path(folder).is_dir() and not Path(folder).is_symlink():
            options += ["--ro-bind", folder, folder]
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


def fresh_user() -> int:
    """Return a user id that nobody else has; where they cannot be had (in a container), nobody's.

    The range is the one that systemd's table of ids calls unused.
    """
    with contextlib.suppress(OSError):  # only Linux has such a map
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            first, _, count = map(int, line.split())
            if first <= FRESH_USERS.start and first + count >= FRESH_USERS.stop:
                return secrets.choice(FRESH_USERS)
    return NOBODY


def tasks_of(user: int) -> int:
    """Count the threads that a user runs, as the kernel's limit does; none without /proc."""
    if user in FRESH_USERS:
        return 0
    try:
        entries = list(os.scandir("/proc"))
    except OSError:
        return 0
    total = 0
    for entry in entries:
        with contextlib.suppress(OSError):  # it ended while we looked, or has no such list here
            if entry.name.isdigit() and entry.stat().st_uid == user:
                total += sum(1 for _ in Path(entry.path, "task").iterdir())
    return total


def _user(home: Path, *, writable: bool) -> int:
    """Choose as whom a command runs: where it shall write, as the one who may."""
    if os.geteuid() != 0:
        return os.geteuid()
    owner = home.stat().st_uid
    return owner if writable and owner else fresh_user()


def _environment(home: Path, padding: int) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C",
        "TMPDIR": "/tmp",  # noqa: S108
        "HOME": str(home),
        "ASSAY_PADDING": "x" * padding,
    }


def _identity(user: int) -> list[str]:
    if os.geteuid() != 0:
        return []
    return [_tool("setpriv"), "--reuid", str(user), "--regid", str(user), "--clear-groups"]
