# SPDX-License-Identifier: MIT
"""An Assay on another machine, behind ssh: it gets packages, runs, and sends a bundle back.

Each step is one session that asks nothing. What runs there ends when this side does: the
session's input ends, and the command there is told so. What it stored stays in a folder there,
from which the same campaign goes on.
"""

import shlex
import tarfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import Popen
from typing import IO

from msgspec import Struct

from assay.errors import MachineError
from assay.execute.remote import QUIETLY, destination, trouble
from assay.fleet.archived import LIMITS, anonymous
from assay.fleet.following import Children, Ran, Say, followed
from assay.fleet.plan import FleetMachine
from assay.package.tree import IGNORED_FOLDERS

LOST = 255  # ssh's own exit code, where there is no connection or no longer one
MARK = b"assay: the bundle follows"
GREETING_BYTES = 1 << 16  # what a login shell may print before
CHUNK = 1 << 16
# What is run ends with this side: `cat` waits for the end of the session's input.
GUARDED = (
    "exec 3<&0; {command} </dev/null & child=$! ; "
    "{{ cat <&3 >/dev/null; kill -TERM $child; }} >/dev/null 2>&1 & guard=$! ; "
    "wait $child; code=$?; kill $guard 2>/dev/null; exit $code"
)


class LostError(MachineError):
    """A machine that cannot be reached, or no longer."""


class Elsewhere(Struct, frozen=True):
    """A machine's Assay, and the folder there that belongs to this campaign."""

    machine: FleetMachine
    folder: str  # below the home directory there
    children: Children

    def version(self) -> str:
        """Return the version of Assay there; MachineError if there is none."""
        ran = self._told(f"{self._assay} --version")
        if ran.code:
            raise MachineError(
                f"no Assay answers as {self.machine.assay} on {self.machine.ssh}: {ran.why}",
                "Set `assay` to its command there: the path of scripts/assay in a clone.",
            )
        return ran.said[-1].rpartition(" ")[2] if ran.said else ""

    def send(self, packages: Sequence[Path]) -> tuple[str, ...]:
        """Send folders of packages; return what they are called in the folder there."""
        names = tuple(
            f"packages/{number}/{one.resolve().name}" for number, one in enumerate(packages)
        )
        told = "rm -rf new && mkdir new && tar -xzf - -C new && rm -rf packages"
        with self._session(f"{self._there} && {told} && mv new/packages packages") as process:
            assert process.stdin is not None  # noqa: S101 - it was asked for
            try:
                with tarfile.open(fileobj=process.stdin, mode="w|gz") as tar:
                    for path, name in zip(packages, names, strict=True):
                        tar.add(path.resolve(), name, filter=_wanted)
                process.stdin.close()
            except BrokenPipeError:
                pass  # it says why
            self._require(followed(process, _quietly), "the packages cannot be sent there")
        return names

    def run(self, words: Sequence[str], say: Say) -> Ran:
        """Run `assay run` there to its end, and hand on what it prints."""
        command = f"{self._assay} run {shlex.join(words)} --results results"
        return self._told(f"{self._there} && {{ {GUARDED.format(command=command)} ; }}", say)

    def fetch(self, into: Path) -> None:
        """Let Assay there make a bundle of its results, and write it into a new file."""
        key = f" --key {shlex.quote(self.machine.key)}" if self.machine.key else ""
        made = f"{self._assay} bundle results -o results.tar.gz{key}"
        told = f"{self._there} && {made} && echo '{MARK.decode()}' && cat results.tar.gz"
        with self._session(told) as process, into.open("xb") as file:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            before = _copied(process.stdout, file)
            self._require(Ran(process.wait(), before), "no bundle comes back")

    @property
    def _there(self) -> str:
        return f"cd && mkdir -p {self.folder} && cd {self.folder}"

    @property
    def _assay(self) -> str:
        """Return the command there; a path is one below the home directory."""
        name = self.machine.assay.removeprefix("~/")
        home = "~/" if "/" in self.machine.assay and not name.startswith("/") else ""
        return f"{home}{shlex.quote(name)}"

    def _told(self, told: str, say: Say | None = None) -> Ran:
        """Run a command in a shell there; LostError if that cannot be done."""
        with self._session(told) as process:
            ran = followed(process, say or _quietly)
        if ran.code == LOST:
            self._require(ran, "")
        return ran

    def _session(self, told: str) -> AbstractContextManager[Popen[bytes]]:
        """Lend a session in which a POSIX shell runs a command, whatever the login shell is."""
        command = f"sh -c {shlex.quote(told)}"
        return self.children.started(
            ["ssh", "-T", *QUIETLY, *destination(self.machine.ssh), command]
        )

    def _require(self, ran: Ran, what: str) -> None:
        """Raise LostError or MachineError for a session that did not end well."""
        if ran.code == LOST:
            why = trouble(self.machine.ssh, f"{self.machine.ssh} cannot be reached", ran.why)
            raise LostError(str(why), why.cure)
        if ran.code:
            raise MachineError(f"{self.machine.ssh}: {what}: {ran.why}", "Look there by ssh.")


def _wanted(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what belongs to no package, and who owns it."""
    if member.isdir() and Path(member.name).name.lower() in IGNORED_FOLDERS:
        return None
    anonymous(member)
    return member if member.isdir() or member.isfile() or member.issym() else None


def _copied(stream: IO[bytes], file: IO[bytes]) -> tuple[str, ...]:
    """Copy what follows the mark; return the last line before it where there is none."""
    before = b""
    while len(before) < GREETING_BYTES:
        line = stream.readline(CHUNK)
        if line.strip() == MARK:
            break
        if not line:
            return (before.decode("utf-8", "replace").strip(),)
        before += line
    room = LIMITS.total_bytes
    while data := stream.read(min(CHUNK, room)):
        file.write(data)
        room -= len(data)
    return ()


def _quietly(_: str) -> None:
    """Hand on nothing."""
