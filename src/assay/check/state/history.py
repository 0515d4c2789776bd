# SPDX-License-Identifier: MIT
"""Whether a message comes out right in a context that has seen others, whole and abandoned.

A walk makes random parts of random messages in one context: calls that leave a block incomplete,
messages that no call ends, other keys, the same IV again. Then comes a whole message, without
its setup if its key is still there. It must be what it is in a context of its own. Messages with
data, and some without, follow each other, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

from assay.check.arena import ROOM, SECOND_BASE, Arena, BufferShape, PendingOutcome, ordinary
from assay.check.budget import Budget
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import EqualPairs, side_by_side
from assay.check.routine import Routine, Splitter, Variable, said
from assay.check.state.stages import context_of
from assay.check.trial import AnyTrial
from assay.model.api import Role

SECONDS, DEEP_SECONDS = 0.2, 10.0
WALKS, DEEP_WALKS = 64, 10_000
SEGMENTS = 6  # of a walk, at most
ABANDONED = 8  # messages that are left after each of their steps
LENGTHS = 10  # of messages
LONGEST = 200
ROOM_BYTES = 4096  # of a variable whose length differs from message to message
UPDATES, DEEP_UPDATES = 400, 4096  # calls for one message
NONCES = (0x00, 0xFF)
BLOCK_BYTES = 64  # of longer blocks there are fewer
SHOWN_SEGMENTS = 8
BLOCKS = 5  # one more than a message that is processed twice has at most
MOST_BLOCKS = 40  # of a message, of each number of which the next one must know nothing


def history(trial: AnyTrial) -> str:
    """Make walks, each with a message behind it; then one message in very many calls."""
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    pool = _pool(trial)
    if not pool:
        raise CheckInapplicable("there is no context")
    with trial.session() as session:
        walker = _Walker(trial, Arena(session, roomy), Arena(session, roomy, SECOND_BASE), pool)
        for _ in budget.each(session, range(DEEP_WALKS if trial.deep else WALKS)):
            walker.walk()
        for one in trial.some(pool, ABANDONED):
            walker.abandoned(one)
        for blocks in range(1, BLOCKS):  # the same once more, which nothing may seem to be left of
            for splitter in trial.splitters(blocks * trial.unit):
                one = splitter.whole(splitter.length)
                walker.follow(one, one)
        if not trial.stretch:
            *_, splitter = trial.splitters(MOST_BLOCKS * trial.unit)
            walker.after_each(splitter, budget)
        for splitter in trial.splitters(trial.unit + 1):
            one = splitter.whole(splitter.length)
            for other in (splitter.cut(()), *_with_nonces(one)):  # no call clears nothing
                walker.follow(one, other)
        walker.with_and_without(trial.unit + 1)
        walker.pairs.judge()
    _many_calls(trial)
    return budget.remark("walks") if trial.deep else ""


def _with_nonces(one: Routine) -> Iterator[Routine]:
    """Yield a message with nonces that code may take for none."""
    for name in one.having(Role.NONCE):
        for byte in NONCES:
            yield one.given(name, bytes([byte]) * one.variables[name].size)


def roomy(name: str, variable: Variable) -> BufferShape:
    """Put messages of all lengths into buffers of one size."""
    if variable.role in (Role.STATE, Role.KEY):
        return ordinary(name, variable)
    shape = ordinary(name, variable)
    return BufferShape(max(shape.size, ROOM_BYTES + ROOM), shape.modulus)


def _pool(trial: AnyTrial) -> list[Routine]:
    """Return uses of some messages, of random lengths in all ways."""
    found: list[Routine] = []
    for _ in range(2):
        lengths = sorted(trial.some(range(LONGEST), LENGTHS))
        for batch in trial.uses(tuple(lengths)):
            found += [one for one in batch if context_of(one)]
    return found


@dataclass(slots=True)
class _Walker:
    """A context that messages are begun in, and one for each expected outcome."""

    trial: AnyTrial
    here: Arena
    apart: Arena
    pool: list[Routine]
    pairs: EqualPairs = field(init=False)

    def __post_init__(self) -> None:
        """Judge what comes out here."""
        self.pairs = EqualPairs(self.here)

    def walk(self) -> None:
        """Do parts of messages, then a whole one."""
        random, told = self.trial.random, []
        last: Routine | None = None
        for _ in range(random.randrange(1, SEGMENTS + 1)):
            one = self._next(last)
            begin = one.setup if last is not None and _same_key(one, last) else 0
            end = random.randrange(begin + 1, len(one.steps) + 1)
            self._do(one, begin, end)
            told.append(f"{one.name}, steps {begin + 1} to {end} of {len(one.steps)}")
            last = one
        self._compare(self._next(last), last, told)

    def follow(self, one: Routine, other: Routine) -> None:
        """Do a message, and then another one under the same key."""
        self._do(one, 0, len(one.steps))
        self._compare(other, one, [one.name])

    def abandoned(self, one: Routine) -> None:
        """Leave a message after each of its steps, and do it as a whole then."""
        for end in range(1, len(one.steps)):
            self._do(one, 0, end)
            self._compare(one, one, [f"{one.name}, steps 1 to {end} of {len(one.steps)}"])

    def after_each(self, splitter: Splitter, budget: Budget) -> None:
        """Do a message of each number of blocks, and then always the same one."""
        same = splitter.whole(min(splitter.unit + 1, splitter.length))
        expected = self.apart.begin(same)
        lengths = range(splitter.unit, splitter.length + 1, splitter.unit)
        for length in budget.each(self.here.session, tuple(lengths)):
            before = splitter.whole(length)
            self._do(before, 0, len(before.steps))
            self._compare(same, before, [before.name], expected)

    def with_and_without(self, length: int) -> None:
        """Let messages with data, and some without, follow each other under one key."""
        text = self.trial.bytes(length)
        texts = [(data, message) for data in (text, b"") for message in (text, b"")]
        made = tuple(self.trial.absorbing(texts))
        if any(data for (data, _), _ in made):
            for ((data, _), one), (_, other) in permutations(made, 2):
                self._do(one, 0, len(one.steps))
                self._compare(other, one, [f"{one.name} behind {len(data)} of data"])

    def _next(self, last: Routine | None) -> Routine:
        """Draw a use, half of the time one that is set up as the last one was.

        Half of the time it then has the last one's key, and at times its nonce.
        """
        random = self.trial.random
        alike = [one for one in self.pool if last and _set_up_alike(one, last)]
        one = random.choice(alike if alike and random.randrange(2) else self.pool)
        if last is None or not last.setup:
            return one
        roles = [Role.KEY] * random.randrange(2) + [Role.NONCE] * (random.randrange(4) == 0)
        for role in roles:
            one = _with_input_of(role, one, last)
        return one

    def _do(self, one: Routine, begin: int, end: int) -> None:
        self.here.ready(one)
        self.here.go(one.steps[begin:end])

    def _compare(
        self,
        one: Routine,
        last: Routine | None,
        told: list[str],
        expected: PendingOutcome | None = None,
    ) -> None:
        """Compare a whole message with itself in a context of its own."""
        expected = expected or self.apart.begin(one)
        begin = one.setup if last is not None and _same_key(one, last) else 0
        self.here.ready(one)
        found = self.here.taken(one, self.here.go(one.steps[begin:]))
        before = "; ".join(told[-SHOWN_SEGMENTS:])
        without = ", without its setup," if begin else ""
        self.pairs.expect(
            f"a message{without} in a context that was used before differs from the same in a "
            f"new one; before: {before}",
            expected,
            found,
        )


def _named(role: Role, one: Routine) -> str:
    return next(iter(one.having(role)), "")


def _with_input_of(role: Role, one: Routine, other: Routine) -> Routine:
    """Return a message with the key or nonce of another, where they have the same size."""
    name = _named(role, one)
    value = other.variables[name].value if name and name in other.variables else None
    if value is None or one.variables[name].size != len(value):
        return one
    return one.given(name, value)


def _same_key(one: Routine, other: Routine) -> bool:
    """Return whether the setup of one message does what that of another did."""
    name, setup = _named(Role.KEY, one), one.setup
    if not setup or not name or name not in other.variables:
        return False
    same = one.variables[name].value == other.variables[name].value
    return same and _set_up_alike(one, other)


def _set_up_alike(one: Routine, other: Routine) -> bool:
    return one.steps[: one.setup] == other.steps[: one.setup]


def _many_calls(trial: AnyTrial) -> None:
    """Compare a message in hundreds of calls, the last of which ends in a block."""
    unit = trial.unit
    updates = DEEP_UPDATES if trial.deep else UPDATES
    count = max(2, updates * min(unit, BLOCK_BYTES) // unit)
    length = count * unit + unit // 2 + 1
    ways = ((unit,) * count, (0, unit) * count)
    splitters = tuple(trial.splitters(length))
    for number, splitter in enumerate(splitters):
        pieces = ways if trial.deep or len(splitters) == 1 else (ways[number % len(ways)],)
        with side_by_side(trial) as (whole, cut, pairs):
            expected = whole.begin(splitter.whole(length))
            for each in pieces:
                every = (*each, length - sum(each))
                complaint = f"{length} bytes in {len(every)} calls ({said(every)}) differ"
                pairs.expect(complaint, expected, cut.begin(splitter.cut(every)))


CHECK: Check[AnyTrial] = Check(
    name="context/history",
    asks="Does a context forget what it was used for, however that ended?",
    why=(
        "Programs keep a context for years: messages are abandoned, keys change, IVs follow each "
        "other. A buffer that is not emptied for one of these orders, or a counter of calls, "
        "shows in none of the tests that begin with a fresh context."
    ),
    cure="Set all of the state that a message uses in the function that begins it.",
    run=history,
)
