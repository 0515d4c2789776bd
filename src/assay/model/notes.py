# SPDX-License-Identifier: MIT
"""What is noted of a machine code besides verdicts: its portability, and why it has few launches.

It dropped out of a race, is slower than wanted, or precision has its bound.
"""

from msgspec import Struct


class Dropped(Struct, frozen=True):
    """A code that dropped out of the race of its primitive.

    `round` counts from 1; it is 0 where further configurations were not tried, since it was
    far behind with the first ones. It was slower than `against` (a configuration) by at least
    `percent`, at every size; 0 if it merely was not in the better half. `against_code` is
    that one's machine code, and `launches` is how many launches that rests on.
    """

    round: int
    percent: float
    against: str
    against_code: str
    launches: int

    def __str__(self) -> str:
        """Write it as tables have it."""
        if not self.round:
            return f"not tried further, {self.percent:.0f} % slower than the best so far"
        if self.percent <= 0.0:
            return f"dropped in round {self.round}, not among the better half"
        return f"dropped in round {self.round}, at least {self.percent:.1f} % slower"


class CodeOrigin(Struct, frozen=True):
    """Where a code was first measured: the commit of its package, and what the machine was like.

    `commit` is empty where none is known. `settings` are those of `Machine`, with the compiler
    that made the code.
    """

    commit: str
    settings: dict[str, str]


class Slower(Struct, frozen=True):
    """A code that is skipped, since all of its cipher are slower than `limit_cycles` a byte.

    `rate_cycles` is what the fastest of them needs, in core cycles per byte of the long stream.
    """

    limit_cycles: float
    rate_cycles: float

    def __str__(self) -> str:
        """Write it as tables have it."""
        return f"skipped, as it is slower than {self.limit_cycles:g} cycles/byte"


class Unused(Struct, frozen=True):
    """A code that leaves out what its sources have for instructions of this machine.

    `macros` are in its sources, and defined with the richest option of its compiler (`option`),
    but not with that of the configuration: `__AES__`.
    """

    macros: tuple[str, ...]
    option: str

    def __str__(self) -> str:
        """Write it as tables have it."""
        return f"compiled without {', '.join(self.macros[:3])}, for which its sources have code"


class Unreached(Struct, frozen=True):
    """A wanted precision that was not reached: the widest figure, and why there is no more.

    Percentages are half the width of the interval of the median over launches, relative
    to it; `reached_percent` is None where the launches are too few for an interval.
    """

    wanted_percent: float
    reached_percent: float | None
    measure: str
    launches: int
    reason: str

    def __str__(self) -> str:
        """Write it as tables have it."""
        reached = "unknown" if self.reached_percent is None else f"{self.reached_percent:.1f} %"
        return (
            f"{self.measure} within {reached} instead of {self.wanted_percent:g} %"
            f" after {self.launches} launches: {self.reason}"
        )


class Portability(Struct, frozen=True):
    """`misaligned` counts the memory accesses that were not aligned, for a few lengths.

    It is None if they could not be counted. `traits` are the target's, as its agent says.
    """

    misaligned: int | None = None
    traits: tuple[str, ...] = ()
