# SPDX-License-Identifier: MIT
"""What pages are made of: cells with their figures, as the index keeps them."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from statistics import median
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from assay.model import NATIVE_NAME
from assay.model.series import TIMES
from assay.stats.quartiles import median_interval, quartiles

NANO = 1e9
T = TypeVar("T")


class Once(Generic[T]):
    """A property that is made once: `cached_property` without the lock that Python 3.11 takes.

    A twentieth of the time of pages went into locks.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        """Take over what makes it."""
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn what it is called."""
        self._name = name

    def __get__(self, one: Any, owner: type) -> T:
        """Make it, and leave it where Python looks first."""
        found: T = self._make(one)
        one.__dict__[self._name] = found
        return found


class SiteFigure(Struct, frozen=True, dict=True):
    """One measure of a cell: a value per launch, per byte, call or setup (`per`) in `unit`.

    `hertz` is how many units pass in a second, None where that is not known. `size` is the
    length, None where there is none. `spread` are the quartiles of imported figures, whose
    launches are not known.
    """

    measure: str
    sizes: str
    size: int | None
    unit: str
    per: str
    hertz: float | None
    values: tuple[float, ...]
    spread: tuple[float, ...] = ()

    @Once
    def middle(self) -> float:
        """Return the median over launches."""
        return median(self.values)

    @Once
    def interval(self) -> tuple[float, float]:
        """Return how far the median is known: at 95 %, else from quartile to quartile."""
        if self.spread:
            return self.spread[0], self.spread[1]
        found = median_interval(self.values)
        if found is None:
            first, _, last = quartiles(self.values)
            return first, last
        return found

    @property
    def exact(self) -> bool:
        """Return whether it was counted and not timed."""
        return self.unit not in TIMES

    @property
    def nanoseconds(self) -> float | None:
        """Return the median as time, where the clock is known."""
        return self.middle * NANO / self.hertz if self.hertz else None

    @property
    def text(self) -> str:
        """Name the unit of the figure: `cycles/byte`."""
        return f"{self.unit}/{self.per}"


class SiteCheck(Struct, frozen=True):
    """A verdict with its reason; passes have none."""

    check: str
    verdict: str
    reason: str = ""
    cure: str = ""


class SiteCell(Struct, frozen=True, kw_only=True):
    """A variant of a package under a configuration on a target, as one folder has it.

    `family` is the operation, or `stream` and `hash` for the kinds of that name. `version` is
    the hash of the package's contents, empty for imported ones. `verdict` is `pass`, `open` or
    `fail`. `bytes` are text, data and bss; `facts` are sizes of keys, contexts and the like.
    `code` names the machine code. `began` and `ended` are the moments of the first and the last
    launch that counts; without any, `ended` is that of the folder's newest. `uncompared` says that
    outputs were compared with nothing. `place` is where its
    package lies, empty for imported ones. `lines` are SUPERCOP's, of one's own operations.
    `commit` is that of git which was measured, and `settings` are what the machine was like then,
    where that is known.
    """

    family: str
    primitive: str
    selector: str
    implementation: str
    version: str = ""
    variant: int = 1
    configuration: str
    command: str
    target: str = NATIVE_NAME
    league: str
    role: str = ""
    verdict: str
    passed: str = ""
    checks: tuple[SiteCheck, ...]
    build: str = ""
    reason: str = ""
    cure: str = ""
    diagnostics: str = ""
    bytes: tuple[int, ...]
    facts: Mapping[str, int] = field(default_factory=dict)
    code: str = ""
    began: str
    ended: str
    counter: str = ""
    disturbed: bool = False
    dropped: bool = False
    imported: bool = False
    figures: tuple[SiteFigure, ...]
    uncompared: bool = False
    notes: tuple[str, ...] = ()
    place: str = ""
    lines: tuple[str, ...] = ()
    commit: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """Name the primitive."""
        return self.family, self.primitive

    @property
    def sound(self) -> bool:
        """Return whether it failed nothing and has figures."""
        return self.verdict != "fail" and bool(self.figures)

    @property
    def constant_time(self) -> bool:
        """Return whether it is in the league whose time depends on no secret."""
        return self.league == "constbranchindex"


class SiteMachine(Struct, frozen=True):
    """Where a folder's figures come from; `identity` tells machines of one name apart.

    `settings` are what may differ between two results besides the code, `findings` the doctor's.
    """

    identity: str
    host: str
    cpu: str
    architecture: str
    mhz: float | None
    settings: Mapping[str, str]
    findings: tuple[tuple[str, str, str, str], ...] = ()


class Folder(Struct, frozen=True):
    """What was read of one source: a machine and the cells of its primitives."""

    machine: SiteMachine
    cells: tuple[SiteCell, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def digest(*parts: str, length: int = 12) -> str:
    """Name something by what it says."""
    return digest_of("\0".join(parts).encode("utf-8", "replace"), length)


def digest_of(data: bytes, length: int = 12) -> str:
    """Name bytes by what they are."""
    return sha256(data).hexdigest()[:length]
