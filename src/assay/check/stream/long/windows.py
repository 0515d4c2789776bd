# SPDX-License-Identifier: MIT
"""A keystream beside another implementation's: its first megabytes, then windows up to 4 GiB.

Both agents encrypt zeros, and tell digests of what they made: 16 MiB in the time of as much work.
Where a counter of blocks shows in both contexts (`keystream/carry` finds it), it is set to
numbers of blocks beyond, one in each of many stretches.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.check.budget import Budget
from assay.check.check import CheckFailed
from assay.check.rounds import first_that_differs, in_slices
from assay.check.stream.long.carry import (
    MODULUS,
    WORD,
    BlockCounter,
    Onward,
    counter_of,
    states_of,
)
from assay.check.stream.routines import CipherMessage, accepted_sizes
from assay.check.stream.trial import Trial
from assay.check.uses import called
from assay.execute.circumstances import vary
from assay.model.wire import StreamFunction

PIECE = 1 << 16
WHOLE, DEEP_WHOLE = 16 << 20, 256 << 20
STRETCHES, DEEP_STRETCHES = 64, 4096
FAR = 4 << 30  # bytes of the keystream
PROBE = 3  # the number of a block to which a counter is set first, to see whether it counts


@dataclass(frozen=True, slots=True)
class WindowMaker:
    """An implementation that makes the keystream, its name and how long it may work."""

    name: str
    trial: Trial
    stream: Onward
    budget: Budget

    def digest(self, rounds: int) -> int:
        """Make so many further pieces."""
        agent, arena = self.stream.arena.session.agent, self.stream.arena
        step = called(StreamFunction.ENCRYPT_BLOCKS, {"blocks": PIECE // self.stream.unit})
        requests = arena.session.requests((step,), arena.resolved)
        watched = [(self.stream.buffer("output"), self.size)]
        with self.budget.spending(agent):
            return vary(agent, requests, watched, [], 0, rounds)

    @property
    def size(self) -> int:
        """Return the bytes of a piece."""
        return PIECE // self.stream.unit * self.stream.unit

    def piece(self) -> bytes:
        """Make the next piece."""
        self.stream.blocks(PIECE // self.stream.unit)
        return self.stream.output(0, self.size).data


@dataclass(frozen=True, slots=True)
class CountingMaker:
    """A maker in whose context a counter of blocks can be seen, and the context at block 0."""

    maker: WindowMaker
    counter: BlockCounter
    start: bytes

    def window(self, block: int) -> bytes:
        """Make one block with the counter set to its number."""
        counter, stream = self.counter, self.maker.stream
        word = int.from_bytes(self.start[counter.offset : counter.offset + WORD], counter.order)
        stream.go_on_from(counter.put(self.start, (word + block * counter.step) % MODULUS))
        return self._next()

    @property
    def counts(self) -> bool:
        """Return whether the counter, set to a block, leads to the one that comes there."""
        self.maker.stream.go_on_from(self.start)
        blocks = [self._next() for _ in range(PROBE + 1)]
        return self.window(PROBE) == blocks[-1]

    def _next(self) -> bytes:
        self.maker.stream.blocks(1)
        return self.maker.stream.output(0, self.maker.stream.unit).data


def alike(one: Trial, other: Trial) -> bool:
    """Return whether keystreams of two ciphers can be compared."""
    return other.unit == one.unit <= PIECE and one.sizes[-1] in accepted_sizes(other.subject)


def begun(name: str, trial: Trial, message: CipherMessage, budget: Budget) -> WindowMaker:
    """Load a key and an IV into an agent."""
    with trial.session() as session:
        stream = Onward.begun(session, replace(message, subject=trial.subject), PIECE)
        stream.zero(PIECE)
        return WindowMaker(name, trial, stream, budget)


def compare_streams(one: WindowMaker, other: WindowMaker) -> None:
    """Compare the beginning, then windows; CheckFailed names the first byte that differs."""
    contexts = one.stream.context, other.stream.context
    _compare_beginning(one, other)
    for maker, context in zip((one, other), contexts, strict=True):
        maker.stream.go_on_from(context)
    _compare_windows(one, other)


def _compare_beginning(one: WindowMaker, other: WindowMaker) -> None:
    most = (DEEP_WHOLE if one.trial.deep else WHOLE) // one.size
    for done, rounds in in_slices(most, lambda: one.budget.over or other.budget.over):
        contexts = one.stream.context, other.stream.context
        if one.digest(rounds) != other.digest(rounds):
            _show(one, other, contexts, (done, rounds))


def _show(
    one: WindowMaker, other: WindowMaker, contexts: tuple[bytes, bytes], where: tuple[int, int]
) -> None:
    """Raise CheckFailed for the first piece, after `done` others, that differs."""

    def again(rounds: int) -> bool:
        for maker, context in zip((one, other), contexts, strict=True):
            maker.stream.go_on_from(context)
        return rounds > 0 and one.digest(rounds) != other.digest(rounds)

    done, rounds = where
    number = first_that_differs(again, rounds)
    again(number)
    first, second = one.piece(), other.piece()
    at = next((i for i in range(one.size) if first[i] != second[i]), 0)
    _fail((one, other), (done + number) * one.size + at, (first[at:], second[at:]))


def _fail(makers: tuple[WindowMaker, WindowMaker], at: int, found: tuple[bytes, bytes]) -> None:
    (one, other), (first, second), size = makers, found, makers[0].stream.unit
    raise CheckFailed(
        f"byte {at} of a keystream, in block {at // size}, is another one in {one.name} than in "
        f"{other.name}",
        f"{one.name}\n{first[:size].hex().upper()}\n{other.name}\n{second[:size].hex().upper()}\n",
    )


def _compare_windows(one: WindowMaker, other: WindowMaker) -> None:
    starts = [states_of(maker.stream) for maker in (one, other)]
    counters = [counter_of(states) for states in starts]
    sides = [
        CountingMaker(maker, counter, states[0])
        for maker, counter, states in zip((one, other), counters, starts, strict=True)
        if counter
    ]
    if len(sides) < 2 or not all(side.counts for side in sides):
        return
    for block in _blocks(one):
        first, second = (side.window(block) for side in sides)
        if first != second:
            _fail((one, other), block * one.stream.unit, (first, second))


def _blocks(one: WindowMaker) -> Iterator[int]:
    """Choose a block in each stretch."""
    number = DEEP_STRETCHES if one.trial.deep else STRETCHES
    size = FAR // one.stream.unit // number
    for stretch in range(number):
        yield stretch * size + one.trial.random.randrange(size)
