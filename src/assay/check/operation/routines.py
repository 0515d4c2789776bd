# SPDX-License-Identifier: MIT
"""The calls of an operation as routines, on inputs that are fresh or that calls before have made.

What is timed are the table's rows for the constants of an implementation; the table is
`assay.model.operations`. A group is a set of variables and the calls that work on them one after
another. Every single call has inputs of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.routine import Argument, Routine, RoutineOutcome, Step, Variable, symbol
from assay.execute.places import Register
from assay.model import OperationSubject
from assay.model.api import Function, Parameter, Role, Way
from assay.model.operation import Op
from assay.model.operations import OPERATIONS
from assay.model.timed import ANYTHING, KEPT, LENGTH, evaluate

MILLION = 1_000_000  # two lengths in one number: 1000000 * first + message

Draw = Callable[[int], bytes]
MESSAGES = (Role.MESSAGE, Role.DATA)
KEYS = (Role.KEY, Role.NONCE)
ALL_MATTERS = (Op.CORE, Op.SCALARMULT, Op.DH, Op.RNG, Op.HASHBLOCKS)  # of what goes in
ABSORBING = (
    Op.HASH, Op.XOF, Op.CXOF, Op.HASHBLOCKS, Op.AUTH, Op.ONETIMEAUTH, Op.AEAD,
)  # fmt: skip
DIGEST = 32  # bytes of a digest of any length
REGISTERS = 8  # that a routine uses of those of an agent


class TimedCall(Struct, frozen=True):
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


class TimedGroup(Struct, frozen=True):
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
        TimedCall(row.name, call.suffix, call.arguments, returns, call.forged)
        for row in timing.measures
        for returns in [None if row.returns == ANYTHING else value(row.returns)]
        for call in row.calls
        if not call.forged or variables[call.forged]
    )
    return TimedGroup(named, variables, tuple(tasks), zeros, size)


def has_message(operation: str) -> bool:
    """Return whether the measures depend on the length of a message."""
    return OPERATIONS[operation].timing.has_message


def scored(subject: OperationSubject) -> TimedGroup:
    """Return the group whose calls together make the score of an implementation."""
    timing = OPERATIONS[subject.operation].timing
    return group(subject, timing.scored, timing.scored if timing.has_second else 0)


def function_of(subject: OperationSubject, suffix: str) -> Function:
    """Return a function of an operation by its suffix."""
    return _functions(subject.operation)[suffix]


@cache
def _functions(operation: str) -> dict[str, Function]:
    return {one.suffix: one for one in OPERATIONS[operation].functions}


def groups(subject: OperationSubject, lengths: tuple[int, ...]) -> Iterator[TimedGroup]:
    """Yield the groups for some lengths; one where the operation has no message.

    Associated data and outputs of variable length are as long as the message, and once
    more of another length.
    """
    if not has_message(subject.operation):
        yield group(subject, 0)
        return
    block = subject.constant("BLOCKBYTES") or 1
    for length in lengths:
        yield group(subject, length, length + length // (2 * block))


class OperationUse(Struct, frozen=True):
    """A group of calls on fresh inputs, without those that forge something."""

    subject: OperationSubject
    group: TimedGroup
    values: Mapping[str, bytes]

    @property
    def tasks(self) -> tuple[TimedCall, ...]:
        """The calls in order."""
        return tuple(task for task in self.group.tasks if not task.forged)

    def whole(self) -> Routine:
        """Return all calls one after another; what one writes the next one reads."""
        return self._routine(self.subject.operation, self.tasks, {})

    def in_turn(self, perform: Callable[[Routine], RoutineOutcome]) -> Iterator[Routine]:
        """Perform every call by itself, and yield it with what it was given.

        What one writes the next one reads. Repeated on other inputs a call may return anything.
        """
        known = dict(self.values)
        for task in self.tasks:
            routine = self.single(task, known)
            known |= perform(routine).outputs
            (step,) = routine.steps
            yield replace(routine, steps=(replace(step, returns=None),))

    def single(self, task: TimedCall, known: Mapping[str, bytes]) -> Routine:
        """Return one call by itself, on what is known."""
        return self._routine(f"{self.subject.operation}{task.suffix}", (task,), known)

    def _routine(
        self, name: str, tasks: tuple[TimedCall, ...], known: Mapping[str, bytes]
    ) -> Routine:
        variables: dict[str, Variable] = {}
        lengths: dict[str, int | Register] = {label: len(one) for label, one in known.items()}
        steps: list[Step] = []
        for task in tasks:
            for label, one in self._parameters(task):
                if label in self.group.variables and label not in variables:
                    variables[label] = self._variable(label, one, known)
            steps.append(self._step(task, lengths, Register(len(steps) % REGISTERS)))
        return Routine(f"{name}{about(self.group)}", variables, tuple(steps))

    def _parameters(self, task: TimedCall) -> list[tuple[str, Parameter]]:
        function = function_of(self.subject, task.suffix)
        return list(zip(task.arguments, function.parameters, strict=True))

    def _variable(self, label: str, one: Parameter, known: Mapping[str, bytes]) -> Variable:
        size, operation = self.group.variables[label], self.subject.operation
        block = self.subject.constant("BLOCKBYTES") or 1  # only whole ones are taken
        return Variable(
            one.role,
            one.way,
            size,
            None if one.way is Way.OUT else known.get(label, self.values[label]),
            secret=label not in OPERATIONS[operation].public,
            matters=one.way is not Way.OUT and self._matters(one.role),
            fixed=self.group.zeros.get(label, 0),
            idle=size % block if one.role is Role.MESSAGE else 0,
            clamped=label in OPERATIONS[operation].clamped,
        )

    def _matters(self, role: Role) -> bool:
        if self.subject.operation in ALL_MATTERS:
            return True
        keyed = role in KEYS and OPERATIONS[self.subject.operation].is_symmetric
        return has_message(self.subject.operation) and (role in MESSAGES or keyed)

    def _step(
        self, task: TimedCall, lengths: dict[str, int | Register], register: Register
    ) -> Step:
        """Return a call; the length that it writes goes to the register, and is known then."""
        pairs = self._parameters(task)
        measured = ""
        if any(one.way is Way.LENGTH_OUT for _, one in pairs):
            measured = next(label for label, one in pairs if one.way is Way.OUT)
        arguments = tuple(
            register if one.way is Way.LENGTH_OUT else self._argument(label, lengths)
            for label, one in pairs
        )
        if measured:
            lengths[measured] = register
        number = self.subject.functions.index(task.suffix)
        name = f"{self.subject.operation}{task.suffix}"
        return Step(name, number, arguments, task.returns, measured)

    def _argument(self, text: str, lengths: Mapping[str, int | Register]) -> Argument:
        if text.startswith(KEPT):
            return lengths[text.removeprefix(KEPT)]
        if text.startswith(LENGTH):
            return self.group.length(text.removeprefix(LENGTH))
        return symbol(text)


def absorbing(
    subject: OperationSubject, draw: Draw, kept: dict[str, bytes], data: bytes, text: bytes
) -> Routine | None:
    """Return the first call of an operation with data and a message; None if it takes no data.

    Its other inputs are those of `kept`, where they are drawn if they are not there.
    """
    one = group(subject, len(text), DIGEST)
    task, *_ = one.tasks
    pairs = zip(task.arguments, function_of(subject, task.suffix).parameters, strict=True)
    names = {parameter.role: name for name, parameter in pairs if parameter.way is Way.IN}
    if Role.DATA in names:
        one = replace(one, variables={**one.variables, names[Role.DATA]: len(data)})
    elif data:
        return None
    given = {names[Role.MESSAGE]: text}
    if Role.DATA in names:
        given[names[Role.DATA]] = data
    for name, size in one.variables.items():
        if name not in kept and name not in given:
            kept[name] = draw(size)
    values = {**kept, **given}
    return OperationUse(subject, one, values).single(task, {})


def about(one: TimedGroup) -> str:
    """State for which lengths a group is."""
    sizes = (f"{name} of {size} bytes" for name, size in one.variables.items() if name in "ma")
    text = " and ".join(sizes)
    return f" with {text}" if text else ""


def fresh(draw: Draw, one: TimedGroup) -> dict[str, bytes]:
    """Return unpredictable bytes for every variable, with zeros where there must be some."""
    found = {}
    for name, size in one.variables.items():
        zeros = one.zeros.get(name, 0)
        found[name] = bytes(zeros) + draw(size - zeros)
    return found
