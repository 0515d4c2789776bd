# SPDX-License-Identifier: MIT
"""What a check of the kind `operation` gets to work with."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import ClassVar

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import CheckInapplicable
from assay.check.operation.routines import (
    ABSORBING,
    OperationUse,
    TimedGroup,
    absorbing,
    fresh,
    group,
    groups,
)
from assay.check.operation.session import OperationSession
from assay.check.routine import Pieces, Routine, RoutineOutcome, Splitter, flipped
from assay.check.trial import Absorbed, BaseTrial, Batch
from assay.execute.agent import Agent
from assay.execute.places import Buffer
from assay.model import OperationDetails, OperationSubject
from assay.model.api import Promise, Role, Way
from assay.model.operation import Op, Operation
from assay.model.operations import OPERATIONS


class OperationTrial(BaseTrial[OperationSubject, OperationSession]):
    """A built package of the SUPERCOP API on trial; see BaseTrial."""

    longest_length: ClassVar[int] = 0xFFFF_FFFF_FFFF_FFFF
    most_silences: int = 1  # slow implementations are waited for five minutes

    def converse(self, agent: Agent) -> OperationSession:
        """Open a session with an agent."""
        return OperationSession(agent, self.subject)

    @property
    def operation(self) -> Operation:
        """The operation, with its functions."""
        return OPERATIONS[self.subject.operation]

    @property
    def details(self) -> OperationDetails:
        """What the package has beside its sources."""
        if self.package.details is None:
            raise ValueError(f"{self.package.selector} is no package of the SUPERCOP API")
        return self.package.details

    def name_of(self, number: int) -> str:
        """Name a function."""
        return f"{self.subject.operation}{self.subject.functions[number]}"

    def excuse(self, promise: Promise) -> str:
        """Return why the package need not keep a promise."""
        return f"the API of SUPERCOP does not promise that {promise}"

    def uses(self, lengths: tuple[int, ...], *, wide: bool = False) -> Iterator[Batch]:
        """Yield the functions one after another, for all lengths in one batch."""
        del wide
        yield tuple(
            OperationUse(self.subject, one, fresh(self.bytes, one)).whole()
            for one in groups(self.subject, self.asked(lengths))
        )

    def computations(
        self,
        session: OperationSession,
        lengths: tuple[int, ...],
        perform: Callable[[Arena, Routine], RoutineOutcome] = Arena.outcome,
    ) -> Iterator[Batch]:
        """Yield every function by itself, on what it is given when all are used in order."""
        for one in groups(self.subject, self.asked(lengths)):
            yield self._computed(session, one, perform)

    def last_computation(self, session: OperationSession, lengths: tuple[int, ...]) -> Batch:
        """Return the last batch of `computations`; nothing is computed for the others."""
        *_, last = groups(self.subject, self.asked(lengths))
        return self._computed(session, last)

    def _computed(
        self,
        session: OperationSession,
        one: TimedGroup,
        perform: Callable[[Arena, Routine], RoutineOutcome] = Arena.outcome,
    ) -> Batch:
        use = OperationUse(self.subject, one, fresh(self.bytes, one))
        return tuple(use.in_turn(partial(perform, Arena.alone(session))))

    def calls(self, session: OperationSession, length: int) -> dict[str, Routine]:
        """Return the first call of each function by its suffix, for messages of a length."""
        batch = self.last_computation(session, (length,))
        session.agent.forget_buffers()
        found: dict[str, Routine] = {}
        for one in batch:
            found.setdefault(self.suffix(one), one)
        return found

    def suffix(self, routine: Routine) -> str:
        """Return the suffix of the function that a routine calls first."""
        return routine.steps[0].function.removeprefix(self.subject.operation)

    def splitters(self, length: int) -> Iterator[Splitter]:
        """Yield whole blocks of a message, which go on from the state that others left."""
        if self.subject.operation != Op.HASHBLOCKS:
            yield from super().splitters(length)
            return
        use = self._use(length, 0).whole()
        (step,) = use.steps
        state, message, _ = step.arguments
        if isinstance(state, Buffer) and isinstance(message, Buffer):

            def cut(pieces: Pieces) -> Routine:
                places = zip(accumulate(pieces, initial=0), pieces, strict=False)
                given = [(state, message.at(at), size) for at, size in places]
                steps = tuple(replace(step, arguments=one, returns=None) for one in given)
                name = f"{step.function} of {sum(pieces)} bytes in {len(pieces)} calls"
                return replace(use, name=name, steps=steps)

            block = self.subject.constant("BLOCKBYTES") or 1
            yield Splitter(length, block, lambda size: cut((size,)), cut)

    def compared(self, length: int, second: int) -> Iterator[Batch]:
        """Yield the functions one after another, for these lengths."""
        yield (self._use(length, second).whole(),)

    def absorbing(self, texts: Sequence[Absorbed]) -> Iterator[tuple[Absorbed, Routine]]:
        """Yield what authenticates or hashes the texts, under one key and nonce."""
        if self.subject.operation in ABSORBING:
            kept: dict[str, bytes] = {}
            made = ((one, absorbing(self.subject, self.bytes, kept, *one)) for one in texts)
            yield from ((one, routine) for one, routine in made if routine is not None)

    def require_randomness(self) -> None:
        """Raise CheckInapplicable where no function draws."""
        if not self.operation.randomised:
            raise CheckInapplicable("nothing is drawn")

    @property
    def measured(self) -> tuple[bool, bool]:
        """Return whether the operation has a message, and a second length."""
        return self.operation.timing.has_message, self.operation.timing.has_second

    @property
    def takes_numbers(self) -> bool:
        """Return whether inputs are scalars and points: some packages exit for others."""
        return self.subject.operation in (Op.SCALARMULT, Op.DH)

    @property
    def takes_words(self) -> bool:
        """Return whether items are words of the machine."""
        return self.subject.operation in (Op.SORT, Op.ENCODE, Op.DECODE)

    @property
    def hides(self) -> bool:
        """Return whether messages are encrypted: signed ones are not."""
        parameters = [one for each in self.operation.functions for one in each.parameters]
        sealed = any(one.way is Way.OUT and one.role is Role.CIPHERTEXT for one in parameters)
        signs = self.subject.operation == Op.SIGN
        return sealed and self.operation.timing.has_message and not signs

    def forged(
        self, session: OperationSession, length: int, second: int, byte: int
    ) -> Iterator[Routine]:
        """Yield the functions that open or verify, each by itself, with what they get changed."""
        for routine in self._use(length, second).in_turn(Arena.alone(session).outcome):
            (step,) = routine.steps
            opening = replace(routine, steps=(replace(step, returns=0),))
            for name in (*routine.having(Role.CIPHERTEXT), *routine.having(Role.MAC)):
                if (one := routine.variables[name]).is_input and one.value:
                    yield opening.given(
                        name, flipped(one.value, byte % len(one.value), 1 << byte % 8)
                    )

    def too_short(self, refused: Batch) -> Iterator[Routine]:
        """Yield what is refused with a byte less than not even an empty message has."""
        size = self.subject.constant(self.operation.overhead) if self.operation.overhead else 0
        for routine in refused if size else ():
            for name in routine.having(Role.CIPHERTEXT):
                yield routine.resized(name, routine.value(name)[: size - 1])

    def own(self, routine: Routine) -> Routine:
        """Return the use with the numbers that functions have in this package."""
        numbers = {self.name_of(number): number for number in range(len(self.subject.functions))}
        steps = (replace(one, number=numbers[one.function]) for one in routine.steps)
        return replace(routine, steps=tuple(steps))

    def _use(self, length: int, second: int) -> OperationUse:
        one = group(self.subject, length, second)
        return OperationUse(self.subject, one, fresh(self.bytes, one))

    def representative(self, batch: Batch) -> Batch:
        """Choose all routines: each is another function."""
        return batch

    def draws(self, routine: Routine) -> bool:
        """Return whether a function may take randomness, by what it is for.

        Some packages draw more random bytes than a call needs, and keep the rest for the next.
        """
        return self.operation.draws(self.suffix(routine), self.subject.constant)

    def opens(self, routine: Routine) -> bool:
        """Return whether a function refuses what is not of the key that it is given."""
        return self.suffix(routine) in self.operation.opening

    def must_draw(self, routine: Routine) -> bool:
        """Return whether a function is worthless without randomness; a signature is not."""
        return self.draws(routine) and not self.operation.may_repeat(self.suffix(routine))
