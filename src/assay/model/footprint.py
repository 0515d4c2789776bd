# SPDX-License-Identifier: MIT
"""What an implementation costs: bytes of code, of memory, and steps."""

from dataclasses import dataclass

from assay.model.targets import Target
from assay.model.toolchains import Configuration


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an object file; `counted` is why it counts, or does not."""

    name: str
    size_bytes: int
    counted: bool
    policy: str


@dataclass(frozen=True, slots=True)
class CodeSize:
    """The size of object code by the rule of the Shabal paper (A.2.5), and what it is made of.

    `text_bytes` is code, `rodata_bytes` tables; `data_bytes` and `bss_bytes` must be 0 for
    the compact-hash API. `functions` gives bytes by name, local ones included; what no
    symbol covers is in none. `dec_bytes` is what GNU `size` prints.
    """

    text_bytes: int
    rodata_bytes: int
    data_bytes: int
    bss_bytes: int
    dec_bytes: int
    sections: tuple[Section, ...]
    functions: tuple[tuple[str, int], ...]
    externals: tuple[str, ...]

    @property
    def total_bytes(self) -> int:
        """All that counts."""
        return self.text_bytes + self.rodata_bytes + self.data_bytes + self.bss_bytes


@dataclass(frozen=True, slots=True)
class Steps:
    """What one call, or one message, takes: `amount` in `unit`, for `work_bytes` of data.

    `unit` is `instructions`, `cycles` or `ticks`; `exact` says that every repetition
    gives the same number. `call` is what was done.
    """

    measure: str
    call: str
    amount: float
    unit: str
    work_bytes: int
    exact: bool

    @property
    def per_byte(self) -> float:
        """Return the amount per byte of data."""
        return self.amount / self.work_bytes


@dataclass(frozen=True, slots=True)
class Footprint:
    """One row of a size table: a package on a target under the configuration that suits it.

    `skipped` says why there is no figure. `context_bytes` is the memory for the duration
    of a computation, `stack_bytes` what the deepest call takes besides, by painting.
    `passed` is whether the digests or vectors were right; None if there are none. Of an
    `operation` there are bytes alone, and the small checksum decides.
    """

    selector: str
    target: Target
    configuration: Configuration | None = None
    size: CodeSize | None = None
    context_bytes: int | None = None
    stack_bytes: int | None = None
    steps: tuple[Steps, ...] = ()
    passed: bool | None = None
    problems: tuple[str, ...] = ()
    skipped: str = ""
    others: tuple[tuple[str, int], ...] = ()
    operation: bool = False

    def measured(self, measure: str) -> Steps | None:
        """Return one measure, if it was taken."""
        return next((one for one in self.steps if one.measure == measure), None)

    @property
    def ratio(self) -> float | None:
        """Return 10^6 / (c s), c per byte of a long message, s the size (paper, 1.5)."""
        long = self.measured("long")
        if long is None or self.size is None or not self.size.total_bytes or not long.amount:
            return None
        return 1e6 / (long.per_byte * self.size.total_bytes)
