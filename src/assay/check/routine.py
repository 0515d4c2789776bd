# SPDX-License-Identifier: MIT
"""Routines: uses of a primitive from its inputs to its outputs, in one form for every kind.

A routine is made of variables and of steps, the calls that use them in order. Kinds make
routines; the checks of the families know nothing else of a kind.
Where variables lie is decided by an arena (`assay.check.arena`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from assay.execute.places import Buffer, BufferPlace, Register
from assay.model.api import Role, Way

Where = Buffer | BufferPlace


Argument = Where | Register | int | None


@dataclass(frozen=True, slots=True)
class Variable:
    """Bytes that a routine reads or writes.

    `value` is what they are before; None where anything may stand there. `modulus` is the
    alignment of their type. Time may not depend on what is `secret`. The result depends on
    every byte of a variable that `matters`, but for its `fixed` first and `idle` last ones.
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

    @property
    def is_input(self) -> bool:
        """Return whether the routine reads them and must not write them."""
        return self.way is Way.IN

    @property
    def is_output(self) -> bool:
        """Return whether they are a result; contexts are none."""
        return self.way in (Way.OUT, Way.BOTH) and self.role is not Role.STATE


@dataclass(frozen=True, slots=True)
class Step:
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


@dataclass(frozen=True, slots=True)
class Routine:
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

    def given(self, name: str, value: bytes) -> "Routine":
        """Return the routine with other bytes in a variable."""
        changed = replace(self.variables[name], value=value)
        return replace(self, variables={**self.variables, name: changed})


@dataclass(frozen=True, slots=True)
class RoutineOutcome:
    """What a routine returned and wrote."""

    results: tuple[int, ...]
    outputs: dict[str, bytes]


@cache
def symbol(name: str) -> Buffer:
    """Return what stands for a variable in the arguments of a step."""
    return Buffer(0, 0, name)
