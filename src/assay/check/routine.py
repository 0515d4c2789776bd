# SPDX-License-Identifier: MIT
"""Routines: uses of a primitive from its inputs to its outputs, in one form for every kind.

A routine is made of variables and of steps, the calls that use them in order. Kinds make
routines; the checks of the families know nothing else of a kind.
Where variables lie is decided by an arena (`assay.check.arena`).

A message is split into calls, and lengths of messages are chosen, alike for every kind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from assay.execute.places import Buffer, BufferPlace, Register
from assay.model.api import Role, Way

Where = Buffer | BufferPlace


Argument = Where | Register | int | None

Pieces = tuple[int, ...]  # lengths of calls in bytes; all but the last are whole units
MOST_UNITS = 3
RANDOM_SPLITS = 12
FEW_RANDOM = 2
ROW = 16  # calls with numbers of units in a row
SPLIT_IN_TWO = 145  # bytes: two blocks of most hashes, and what hangs over

AROUND = (64, 128, 256, 512, 1024, 4096)
FIRST_LENGTHS = (0, 1, 64, 77)
EVERY = 8
DENSE = 80  # all lengths below are tried
LONGEST = 4097
SHORT_LONGEST = 1025
BOARD_LONGEST = 321  # where memory is small


class Variable(Struct, frozen=True):
    """Bytes that a routine reads or writes.

    `value` is what they are before; None where anything may stand there. `modulus` is the
    alignment of their type. Time may not depend on what is `secret`. The result depends on
    every byte of a variable that `matters`, but for its `fixed` first and `idle` last ones, and
    on every bit unless it is `clamped`.
    """

    role: Role
    way: Way
    size: int
    value: bytes | None = None
    modulus: int = 1
    secret: bool = False
    matters: bool = False
    fixed: int = 0
    idle: int = 0
    clamped: bool = False

    @property
    def is_input(self) -> bool:
        """Return whether the routine reads them and must not write them."""
        return self.way is Way.IN

    @property
    def is_output(self) -> bool:
        """Return whether they are a result; contexts are none."""
        return self.way in (Way.OUT, Way.BOTH) and self.role is not Role.STATE


class Step(Struct, frozen=True, cache_hash=True):
    """A call: a function by name and number, and what its parameters get.

    A place names a variable by the label of its buffer. `returns` is what must come back,
    None where anything may. `measures` names the variable whose length the call writes to a
    register.
    """

    function: str
    number: int
    arguments: tuple[Argument, ...]
    returns: int | None = None
    measures: str = ""


class Routine(Struct, frozen=True):
    """Steps over variables. `name` says in a report what is done, and how long a message is.

    Routines of one batch with the same `result` must give the same outputs; empty where
    that says nothing. The first `setup` steps need not be repeated for another message.
    """

    name: str
    variables: Mapping[str, Variable]
    steps: tuple[Step, ...]
    result: str = ""
    setup: int = 0

    def having(self, role: Role) -> tuple[str, ...]:
        """Name the variables of a role."""
        return tuple(name for name, one in self.variables.items() if one.role is role)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Name the variables that must stay as they are."""
        return tuple(name for name, one in self.variables.items() if one.is_input)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Name the variables that make the outcome."""
        return tuple(name for name, one in self.variables.items() if one.is_output)

    def value(self, name: str) -> bytes:
        """Return what a variable is before; nothing where anything may stand there."""
        return self.variables[name].value or b""

    def given(self, name: str, value: bytes) -> "Routine":
        """Return the routine with other bytes in a variable."""
        changed = replace(self.variables[name], value=value)
        return replace(self, variables={**self.variables, name: changed})

    def resized(self, name: str, value: bytes) -> "Routine":
        """Return the only call with bytes of any number; it gets that where it asks for it."""
        (step,) = self.steps
        arguments = list(step.arguments)
        for at, (one, size) in enumerate(pairwise(step.arguments), 1):
            if isinstance(one, Buffer) and one.label == name and isinstance(size, int):
                arguments[at] = len(value)
        variable = replace(self.variables[name], value=value, size=len(value))
        return replace(
            self,
            variables={**self.variables, name: variable},
            steps=(replace(step, arguments=tuple(arguments)),),
        )


class RoutineOutcome(Struct, frozen=True):
    """What a routine returned and wrote."""

    results: tuple[int, ...]
    outputs: dict[str, bytes]


def flipped(data: bytes, at: int, bits: int = 1) -> bytes:
    """Return bytes with some bits of one of them changed."""
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def added_up(one: bytes, other: bytes) -> bytes:
    """Return the sum (exclusive or) of bytes, as many as both have."""
    size = min(len(one), len(other))
    value = int.from_bytes(one[:size], "little") ^ int.from_bytes(other[:size], "little")
    return value.to_bytes(size, "little")


def all_added_up(values: Iterable[bytes]) -> bytes:
    """Return the sum of all these bytes."""
    first, *others = values
    for one in others:
        first = added_up(first, one)
    return first


@cache
def symbol(name: str) -> Buffer:
    """Return what stands for a variable in the arguments of a step."""
    return Buffer(0, 0, name)


class Splitter(Struct, frozen=True):
    """A message of `length` bytes: `whole` in one call, `cut` in pieces of its beginning.

    Pieces add up to any length; none at all are a message without data.
    """

    length: int
    unit: int
    whole: Callable[[int], Routine]
    cut: Callable[[Pieces], Routine]


def compositions(total: int) -> Iterator[Pieces]:
    """Yield every sequence of positive numbers with this sum."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in compositions(total - first):
            yield (first, *rest)


def tails(unit: int) -> list[int]:
    """Return lengths of an incomplete last unit, none included."""
    return sorted({0, 1, unit // 2, unit - 1})


def in_all_ways(unit: int) -> Iterator[Pieces]:
    """Split messages of up to three units and a tail in every way."""
    for units in range(MOST_UNITS + 1):
        for tail in tails(unit):
            for used in range(units + 1):
                for counts in compositions(used):
                    rest = (units - used) * unit + tail
                    yield (*(count * unit for count in counts), rest)


def in_two(unit: int) -> Iterator[Pieces]:
    """Split a message in two after every unit, and into single units."""
    for first in range(0, SPLIT_IN_TWO + 1, unit):
        yield first, SPLIT_IN_TWO - first
    yield (*(unit,) * (SPLIT_IN_TWO // unit), SPLIT_IN_TWO % unit)


def here_and_there(random: Random, unit: int, length: int) -> Iterator[Pieces]:
    """Split a long message in two: in the middle, near both ends, and at random.

    Then into calls with numbers of units in a row: what takes several units at once has each rest.
    The unit may be longer than the message.
    """
    units = length // unit
    for first in dict.fromkeys((units // 2, units, min(1, units), random.randrange(units + 1))):
        yield unit * first, length - unit * first
    if (fewest := (units - sum(range(ROW))) // ROW) > 0:
        row = tuple(unit * (fewest + more) for more in range(ROW))
        yield (*row, length - sum(row))


def at_random(random: Random, unit: int, length: int, number: int) -> Iterator[Pieces]:
    """Split a long message at random places, sometimes at the same place twice."""
    for _ in range(number):
        places = [random.randrange(length // unit + 1) for _ in range(random.randrange(1, 9))]
        cuts = [unit * place for place in sorted(places)]
        yield tuple(b - a for a, b in zip((0, *cuts), (*cuts, length), strict=True))


def with_nothing(unit: int) -> Iterator[Pieces]:
    """Split a message of three units and a byte with empty calls among the others."""
    for counts in ((0, 3), (1, 0, 2), (1, 1, 1, 0), (0, 0, 2, 0), (0, 1, 0, 1, 0)):
        rest = 3 * unit + 1 - unit * sum(counts)
        yield (*(count * unit for count in counts), rest)


def said(pieces: Pieces) -> str:
    """Write pieces: `16 + 0 + 3`."""
    shown = " + ".join(map(str, pieces[:20]))
    return shown + (" + ..." if len(pieces) > 20 else "")


def sparse(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Choose some of the lengths, both ends among them, for further sizes of a primitive."""
    return tuple(dict.fromkeys((*lengths[::EVERY], lengths[-1])))


def sweep(unit: int, *, thorough: bool, longest: int = LONGEST) -> tuple[int, ...]:
    """Choose lengths: all short ones, and those around multiples of the unit and of 64."""
    steps = (unit, 2 * unit, 3 * unit, 9 * unit, *AROUND)
    around = {step + more for step in steps for more in (-1, 0, 1)}
    if thorough:
        around |= set(range(DENSE))
        around |= {step + more for step in range(64, 321, 64) for more in (-1, 0, 1)}
    longest = longest if thorough else min(longest, SHORT_LONGEST)
    return tuple(sorted({0, 1, *(one for one in around if 0 <= one <= longest)}))
