# SPDX-License-Identifier: MIT
"""A machine as its owner lends it to a fleet: its name, its lanes, and what it says of itself."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from assay import __version__
from assay.errors import MachineError, UsageError
from assay.execute.jail import LIMITS, strongest_stated
from assay.fleet.jobs import APPROVAL, ASKED, Action, Registration, judge_lane, measure_lane
from assay.machine.describe import describe
from assay.model import Compiler, Target
from assay.plan.choice import DEFAULT_COMMANDS
from assay.targets.catalogue import catalogue, choose, look_for
from assay.toolchain.remembered import examine

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
LONGEST_SECONDS = 24 * 3600.0
BEST = 5  # as `assay start` does
KEY = "key"


class Workplace(Struct, frozen=True):
    """A machine as its owner lends it.

    Everything that a worker keeps is in its `folder`. Without `targets` it judges for all that
    are installed, and measures on the machine itself; with some it does both on these alone.
    Jobs of `refused` accounts are left to others. A job may take `longest` seconds, and measures
    with the `best` configurations unless it says how many. With `approval` a server waits for a
    person's agreement before it sends jobs.
    """

    name: str
    folder: Path
    jail: str
    targets: tuple[str, ...] = ()
    actions: tuple[Action, ...] = tuple(Action)
    refused: frozenset[str] = frozenset()
    longest: float = LONGEST_SECONDS
    best: int = BEST
    approval: bool = False

    def __post_init__(self) -> None:
        """Refuse a name that could be no lane, and targets that cannot be used here."""
        if not NAME.fullmatch(self.name):
            raise UsageError(
                f"{self.name!a} cannot be a machine's name",
                "Use up to 40 letters, digits, - and _ (--name).",
            )
        for one in choose(self.targets, catalogue()):
            found = look_for(one)
            if not found.ok:
                raise UsageError(f"{one.name}: {found.reason}", found.cure)

    def usable(self) -> tuple[Target, ...]:
        """Return the targets that packages are judged for."""
        if self.targets:
            return choose(self.targets, catalogue())
        return tuple(one for one in catalogue() if look_for(one).ok)

    def lanes(self) -> tuple[str, ...]:
        """Return what this machine takes; to measure comes first."""
        measuring = (measure_lane(self.name),) if Action.MEASURE in self.actions else ()
        judging = self.usable() if Action.JUDGE in self.actions else ()
        return (*measuring, *(judge_lane(one.name) for one in judging))


def own_key(folder: Path) -> Path:
    """Return the private key by which a worker signs; it is made with its first start.

    MachineError without the program that makes it.
    """
    key = folder / KEY
    if not key.exists():
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "assay-worker", "-f"]
        try:
            subprocess.run([*words, str(key)], check=True, capture_output=True,
                           stdin=subprocess.DEVNULL)  # fmt: skip
        except (OSError, subprocess.CalledProcessError) as error:
            raise MachineError(
                f"no key can be made to sign results: {error}", "apt-get install openssh-client"
            ) from error
    return key


def registration(place: Workplace, key: str) -> Registration:
    """Describe a machine; all of it is a claim until a signed bundle has it."""
    machine = describe()
    facts = {
        "processor": machine.cpu,
        "architecture": machine.architecture,
        "cores": str(machine.cores),
        "memory": f"{machine.memory_bytes >> 20} MiB",
        "system": f"{machine.system}, {machine.kernel}",
        "virtualised": machine.virtualised or "",
        "class": machine.trust_class or "",
        "diagnosis": machine.diagnosis,
        "compilers": "; ".join(_releases(map(examine, DEFAULT_COMMANDS))),
        "targets": " ".join(one.name for one in place.usable()),
        "jail": strongest_stated() if place.jail != LIMITS else place.jail,
    }
    if place.approval:
        facts[APPROVAL] = ASKED
    return Registration(place.name, place.lanes(), __version__, facts, key)


def _releases(found: Iterable[object]) -> Iterable[str]:
    """Yield the releases of compilers that work, each once."""
    yield from dict.fromkeys(one.release for one in found if isinstance(one, Compiler))
