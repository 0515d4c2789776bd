# SPDX-License-Identifier: MIT
"""What is timed of an implementation of an operation: the table's rows for its constants.

The table is `assay.model.operations`. A group is a set of variables and the calls that work on
them one after another. Every single call has inputs of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from assay.model import OperationSubject
from assay.model.api import Function
from assay.model.operations import OPERATIONS
from assay.model.timed import ANYTHING, Timed, evaluate

MILLION = 1_000_000  # two lengths in one number: 1000000 * first + message


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call of every slice: a function, and for each parameter a variable.

    `key` names the measure, empty where a call only prepares. `returns` is what it must
    return, None where any will do. Before it, a byte in the middle of every slice of
    `forged` is changed; then what is written does not matter.
    """

    key: str
    suffix: str
    arguments: tuple[str, ...]
    returns: int | None = 0
    forged: str = ""


@dataclass(frozen=True, slots=True)
class TimedGroup:
    """Variables with their bytes per call, and tasks in order.

    `size` is what the measures are called by, None without a message of `message` bytes (or
    items). `zeros` says how many leading bytes of a variable are 0.
    """

    size: int | None
    variables: dict[str, int]
    tasks: tuple[TimedCall, ...]
    zeros: dict[str, int] = field(default_factory=dict)
    message: int = 0

    @property
    def timed(self) -> Iterator[TimedCall]:
        """Yield what is measured, without what only prepares for it."""
        return (one for one in self.tasks if one.key)

    def length(self, name: str) -> int:
        """Return the length that a call is given for a variable; without one, the message's."""
        return self.variables[name] if name else self.message


def group(subject: OperationSubject, size: int, second: int = 0) -> TimedGroup:
    """Return what is timed for a message of `size` bytes (items of crypto_sort).

    `second` is the length of the associated data, or of the output of crypto_xof. Where
    an operation has no message both are ignored. What is empty cannot be forged.
    """
    timing = OPERATIONS[subject.operation].timing
    value = partial(evaluate, constant=subject.constant, message=size, second=second)
    variables = {name: value(text) for name, text in timing.variables.items()}
    zeros = {name: value(text) for name, text in timing.zeros.items()}
    named = (second if timing.has_second else 0) * MILLION + size if timing.has_message else None
    tasks = (
        TimedCall(row.name, call.suffix, call.arguments, _returns(row, value), call.forged)
        for row in timing.measures
        for call in row.calls
        if not call.forged or variables[call.forged]
    )
    return TimedGroup(named, variables, tuple(tasks), zeros, size)


def _returns(row: Timed, value: partial[int]) -> int | None:
    return None if row.returns == ANYTHING else value(row.returns)


def has_message(operation: str) -> bool:
    """Return whether the measures depend on the length of a message."""
    return OPERATIONS[operation].timing.has_message


def scored(subject: OperationSubject) -> TimedGroup:
    """Return the group whose calls together make the score of an implementation."""
    timing = OPERATIONS[subject.operation].timing
    return group(subject, timing.scored, timing.scored if timing.has_second else 0)


def function_of(subject: OperationSubject, suffix: str) -> Function:
    """Return a function of an operation by its suffix."""
    functions = OPERATIONS[subject.operation].functions
    return next(one for one in functions if one.suffix == suffix)
