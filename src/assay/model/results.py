# SPDX-License-Identifier: MIT
"""What reports read of the machine and the campaigns."""

from enum import StrEnum
from hashlib import sha256

from msgspec import Struct


class Trust(StrEnum):
    """What a property of the machine costs in trust."""

    GOOD = "ok"
    UNKNOWN = "unknown"
    COSTS = "costs trust"
    BADLY = "costs much trust"

    @classmethod
    def _missing_(cls, value: object) -> "Trust | None":
        """Read the word that results before version 0.1.0 have."""
        return cls.UNKNOWN if value == "not told" else None


class Finding(Struct, frozen=True):
    """What the doctor found on one topic: the `state`, its cost and its cure."""

    topic: str
    trust: Trust
    state: str
    cost: str = ""
    cure: str = ""


SWITCH = {True: "on", False: "off", None: ""}
GIB = 1 << 30


class Machine(Struct, frozen=True):
    """Where results were obtained. Fields that the system does not tell are None.

    `findings` are the doctor's (`assay doctor`), at the beginning of the last campaign.
    `compilers` are those of all campaigns, with versions, and `assay` is what measured last.
    `cpuid` is SUPERCOP's word for an x86 processor, `microcode` its version of microcode and
    `libc` the C library; empty where they are not known.
    """

    host: str
    cpu: str
    architecture: str
    cores: int
    memory_bytes: int
    kernel: str
    system: str
    mhz: float | None
    governor: str | None
    turbo: bool | None
    smt: bool | None
    virtualised: str | None
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    compilers: tuple[str, ...] = ()
    assay: str = ""
    cpuid: str = ""
    microcode: str = ""
    libc: str = ""

    def identity(self, target: str = "") -> str:
        """Return what tells it, or a target that it measured on, from others of its name."""
        memory = self.settings["memory"]
        same = (self.host, self.cpu, self.architecture, str(self.cores), memory, target)
        return sha256("\0".join(same).encode("utf-8", "replace")).hexdigest()[:12]

    @property
    def trust_class(self) -> str | None:
        """A: nothing costs trust; B: something does; C: something does badly; None: not asked."""
        if not self.findings:
            return None
        worst = {one.trust for one in self.findings}
        return "C" if Trust.BADLY in worst else "B" if Trust.COSTS in worst else "A"

    @property
    def settings(self) -> dict[str, str]:
        """Return what may differ between two measurements, by its name; nothing unknown."""
        found = {
            "processor": self.cpu,
            "microcode": self.microcode,
            "kernel": self.kernel,
            "system": self.system,
            "C library": self.libc,
            "compilers": ", ".join(self.compilers),
            "memory": f"{round(self.memory_bytes / GIB)} GiB",
            "governor": self.governor or "",
            "turbo": SWITCH[self.turbo],
            "SMT": SWITCH[self.smt],
            "virtualised": self.virtualised or "",
            "doctor's class": self.trust_class or "",
            "Assay": self.assay,
        }
        return {name: value for name, value in found.items() if value}

    @property
    def diagnosis(self) -> str:
        """State in one line what costs trust, the worst first, and the class; empty if unknown."""
        if self.trust_class is None:
            return ""
        order = (Trust.BADLY, Trust.COSTS)
        said = [one.state for trust in order for one in self.findings if one.trust is trust]
        return f"{', '.join(said) or 'nothing costs trust'} (class {self.trust_class})"


class Campaign(Struct, frozen=True):
    """One call of `assay run`: its arguments and when it ran.

    Times are ISO 8601; `finished_at` is None while it runs or after it was killed.
    """

    arguments: tuple[str, ...]
    started_at: str
    finished_at: str | None = None
