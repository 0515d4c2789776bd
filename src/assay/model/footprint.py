# SPDX-License-Identifier: MIT
"""What an implementation costs: bytes of code, of memory, and steps; and published figures."""

from msgspec import Struct

from assay.model.targets import Target
from assay.model.toolchains import Configuration

AVR = "avr8"


class Section(Struct, frozen=True):
    """A section of an object file; `counted` is why it counts, or does not."""

    name: str
    size_bytes: int
    counted: bool
    policy: str


class CodeSize(Struct, frozen=True):
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


class Steps(Struct, frozen=True):
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


class FunctionMemory(Struct, frozen=True):
    """What a call of a function takes besides its arguments and static memory.

    Where the stack `is_least`, all that could be looked at was used, and there may be more.
    `heap_bytes` are the most at a time; they and the `allocations` are None where unknown.
    """

    function: str
    stack_bytes: int
    is_least: bool = False
    heap_bytes: int | None = None
    allocations: int | None = None


class Footprint(Struct, frozen=True):
    """One row of a size table: a package on a target under the configuration that suits it.

    `skipped` says why there is no figure. `context_bytes` is the memory for the duration
    of a computation, `stack_bytes` what the deepest call takes besides, by painting.
    `functions` has the stack of each. `passed` is whether the digests or vectors were right;
    None if there are none. Of an `operation` the small checksum decides; `linked_bytes` of flash
    are what an agent has more with it than with an empty one, subroutines included, and
    `static_bytes` all variables.
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
    functions: tuple[FunctionMemory, ...] = ()
    linked_bytes: int | None = None
    static_bytes: int | None = None
    others: tuple[tuple[str, int], ...] = ()
    operation: bool = False

    def measured(self, measure: str) -> Steps | None:
        """Return one measure, if it was taken."""
        return next((one for one in self.steps if one.measure == measure), None)

    @property
    def flash_bytes(self) -> int | None:
        """Return what lies in flash: code, constants, and the first values of variables."""
        if self.size is None or self.linked_bytes is not None:
            return self.linked_bytes
        return self.size.text_bytes + self.size.rodata_bytes + self.size.data_bytes

    @property
    def ram_bytes(self) -> int | None:
        """Return variables, context, stack and heap, as far as they are known.

        avr-gcc keeps constants in RAM, too: they have no addresses of their own elsewhere.
        """
        size = self.size
        if size is None:
            return None
        constants = size.rodata_bytes if self.target.architecture == AVR else 0
        own = size.data_bytes + size.bss_bytes
        static = own if self.static_bytes is None else self.static_bytes
        calls = max((one.stack_bytes + (one.heap_bytes or 0) for one in self.functions), default=0)
        deepest = max(calls, self.stack_bytes or 0)
        return static + constants + (self.context_bytes or 0) + deepest

    @property
    def ratio(self) -> float | None:
        """Return 10^6 / (c s), c per byte of a long message, s the size (paper, 1.5)."""
        long = self.measured("long")
        if long is None or self.size is None or not self.size.total_bytes or not long.amount:
            return None
        return 1e6 / (long.per_byte * self.size.total_bytes)


class Device(Struct, frozen=True):
    """What a machine has for a package; None where that is not asked."""

    flash_bytes: int | None = None
    ram_bytes: int | None = None

    def lacks(self, one: Footprint) -> dict[str, int]:
        """Return by how many bytes which memory is too small."""
        pairs = {
            "flash": (one.flash_bytes, self.flash_bytes),
            "RAM": (one.ram_bytes, self.ram_bytes),
        }
        return {
            name: needed - had
            for name, (needed, had) in pairs.items()
            if needed is not None and had is not None and needed > had
        }

    def fits(self, one: Footprint) -> bool | None:
        """Return whether a package fits; None if what is known fits and the stack is unknown."""
        if one.size is None or self.lacks(one):
            return False
        return None if self.ram_bytes is not None and one.stack_bytes is None else True


class Published(Struct, frozen=True):
    """One row of somebody's table, for code of one architecture; None where it has no figure.

    `long_cycles` are per byte, `short_cycles` for a message of 32 bytes, on `machine`.
    """

    architecture: str
    size_bytes: int
    long_cycles: float | None
    short_cycles: int | None
    machine: str
    source: str
