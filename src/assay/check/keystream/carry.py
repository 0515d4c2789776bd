# SPDX-License-Identifier: MIT
"""Whether a block counter counts on across powers of two, and carries beyond 32 bits.

A counter shows in the context: between blocks nothing else changes, and it by a constant. It
is then set to values whose carries are long. From each, blocks are made one by one and in one
call: they must agree, and the counter must stand where that many steps take it. Behind its
last value the blocks are compared with those of a counter that has just begun. No stream is
long enough to get there: 2^32 blocks have 256 GiB.
"""

from collections.abc import Collection
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.routine import Variable
from assay.check.session import BaseSession
from assay.check.stream.routines import CipherMessage, fresh_message, ways_of
from assay.check.stream.trial import Trial
from assay.check.uses import called
from assay.execute.agent import Buffer, PendingAnswer
from assay.model.api import Role, Way
from assay.model.wire import StreamFunction

BEGINNING = 2  # calls: the key and the IV are loaded

WORD = 4
MODULUS = 1 << 32
LARGEST_STEP = 64
BLOCKS = 5
POWERS = range(6, 33)
ACROSS, FEW_ACROSS = 20, 2  # blocks across a power of two: more than are made at once
WAYS = ("DECRYPT_BLOCKS", "KEYSTREAM_BLOCKS")
GIB = 1 << 30
ByteOrder = Literal["little", "big"]
ORDERS: tuple[ByteOrder, ...] = ("little", "big")


class Onward(Struct, frozen=True):
    """What stands in `input` is encrypted to `output`, or where it stands; `unit` is a block."""

    arena: Arena
    unit: int

    @classmethod
    def begun(
        cls, session: BaseSession, message: CipherMessage, room: int, base: int = 0,
        *, in_place: bool = False,
    ) -> "Onward":  # fmt: skip
        """Load the key and the IV of a message; calls may have up to `room` bytes."""
        arena = Arena(session, base=base, twin={"output": "input"} if in_place else {})
        routine = message.by("encrypt_bytes", data=0)
        text = Variable(Role.MESSAGE, Way.BOTH, room)
        variables = {**routine.variables, "input": text, "output": text}
        routine = replace(routine, variables=variables, setup=BEGINNING)
        arena.lay(routine)
        for name in routine.inputs:
            arena.put(name, routine.value(name))
        arena.go(routine.steps[:BEGINNING])
        return cls(arena, message.subject.block_bytes)

    @property
    def context(self) -> bytes:
        """Return the context as it is."""
        return self.arena.get("ctx", self.buffer("ctx").size_bytes).data

    def go_on_from(self, context: bytes) -> None:
        """Put a context in place."""
        self.arena.put("ctx", context)

    def buffer(self, name: str) -> Buffer:
        """Return the buffer of a variable."""
        return self.arena.buffer(name)

    def zero(self, length: int) -> None:
        """Let so many zeros be encrypted by the next call."""
        self.arena.session.agent.fill(self.buffer("input"), 0, length)

    def blocks(self, number: int, way: StreamFunction = StreamFunction.ENCRYPT_BLOCKS) -> None:
        """Encrypt so many blocks, or process them otherwise."""
        self.arena.go((called(way, {"blocks": number}),))

    def by_bytes(self, length: int) -> None:
        """Encrypt so many bytes by the function for bytes."""
        self.arena.go((called(StreamFunction.ENCRYPT_BYTES, {"bytes": length}),))

    def encrypt(self, length: int) -> None:
        """Encrypt so many bytes: as whole blocks, if there is no part of one."""
        if length % self.unit:
            self.by_bytes(length)
        else:
            self.blocks(length // self.unit)

    def encrypted(self, text: bytes) -> bytes:
        """Encrypt a text."""
        self.arena.put("input", text)
        self.encrypt(len(text))
        return self.output(0, len(text)).data

    def output(self, begin: int, length: int) -> PendingAnswer:
        """Ask for a part of what the last call has written."""
        return self.arena.session.agent.fetch(self.buffer("output"), length, begin)

    def next(
        self, number: int = 1, way: StreamFunction = StreamFunction.ENCRYPT_BLOCKS
    ) -> PendingAnswer:
        """Ask for the next blocks, made in one call."""
        self.blocks(number, way)
        return self.output(0, number * self.unit)


class BlockCounter(Struct, frozen=True):
    """A word of the context that grows by `step` with every block."""

    offset: int
    order: ByteOrder
    step: int

    def put(self, context: bytes, value: int) -> bytes:
        """Return the context with another value in it."""
        word = value.to_bytes(WORD, self.order)
        return context[: self.offset] + word + context[self.offset + WORD :]


def carry(trial: Trial) -> None:
    """Let the counter run over."""
    with trial.session() as session:
        across = FEW_ACROSS if trial.on_board else ACROSS
        message = fresh_message(trial.bytes, trial.subject, trial.sizes[-1], 0, 0)
        stream = Onward.begun(session, message, across * trial.unit)
        stream.zero(across * trial.unit)
        states = states_of(stream)
        counter = counter_of(states)
        if counter is None:
            raise CheckInapplicable("no counter of blocks can be seen in its context")
        stream.go_on_from(counter.put(states[0], MODULUS - counter.step))
        before, after = stream.next().data, stream.next().data
        stream.go_on_from(counter.put(states[0], 0))
        first, again = stream.next().data, stream.next().data
        if first == again or before == after:
            raise CheckInapplicable("no counter of blocks can be seen in its context")
        ways = [StreamFunction[one] for one in WAYS if one.lower() in ways_of(trial.subject)]
        for power in POWERS:
            first_crossed = (1 << power) - across // 2
            numbers = range(first_crossed, first_crossed + across)
            _cross(stream, counter, states[0], numbers, ways)
        full = counter.put(states[0], MODULUS - counter.step)
        _begin_again(stream, message, states[0], full)
    if after == first:
        size = MODULUS // counter.step * trial.unit
        raise CheckFinding(
            f"the counter in bytes {counter.offset} to {counter.offset + WORD - 1} of the context "
            f"does not carry: the keystream repeats after {size // GIB} GiB",
            f"block 0           {first.hex().upper()}\nafter the carry   {after.hex().upper()}",
        )


def _begin_again(stream: Onward, message: CipherMessage, begun: bytes, full: bytes) -> None:
    """Begin a message after one that ran over: every word of the counter is set anew."""
    stream.go_on_from(begun)
    expected = stream.next().data
    stream.go_on_from(full)
    stream.blocks(FEW_ACROSS)
    stream.arena.go(message.by("encrypt_bytes", data=0).steps[1:BEGINNING])
    if (found := stream.next().data) != expected:
        raise CheckFailed(
            "after 2^32 blocks of another message, a message begins with another block",
            f"expected {expected.hex().upper()}\nactual   {found.hex().upper()}",
        )


def _cross(
    stream: Onward,
    counter: BlockCounter,
    state: bytes,
    numbers: range,
    ways: Collection[StreamFunction],
) -> None:
    """Make blocks of some numbers in all ways; CheckFailed if they differ, or one is left out.

    A counter that overflows into another part of the context is not judged by where it stands.
    """
    first, across = numbers.start, len(numbers)
    begun = counter.put(state, first * counter.step % MODULUS)
    stream.go_on_from(begun)
    singly = [stream.next() for _ in numbers]
    after = stream.context
    stream.go_on_from(begun)
    together = stream.next(across).data
    blocks = b"".join(one.data for one in singly)
    if blocks != together:
        raise CheckFailed(
            f"from block {first:#x} on {across} blocks in one call differ from single ones",
            f"one by one   {blocks.hex().upper()}\nin one call  {together.hex().upper()}",
        )
    for way in ways:
        stream.go_on_from(begun)
        if (other := stream.next(across, way).data) != blocks:
            raise CheckFailed(
                f"from block {first:#x} on {way.name.lower()} makes others than encryption",
                f"encrypted   {blocks.hex().upper()}\notherwise   {other.hex().upper()}",
            )
    wanted = numbers.stop * counter.step
    alone = counter.put(after, 0) == counter.put(state, 0)
    if wanted < MODULUS and alone and after != counter.put(state, wanted):
        raise CheckFailed(
            f"{across} blocks after block {first:#x} the counter in byte {counter.offset} of "
            f"the context does not stand at {wanted:#x}",
            f"context {after.hex().upper()}",
        )


def states_of(stream: Onward) -> list[bytes]:
    """Return the context as it is, and after each of some blocks."""
    states = [stream.context]
    for _ in range(BLOCKS):
        stream.blocks(1)
        states.append(stream.context)
    return states


def counter_of(states: list[bytes]) -> BlockCounter | None:
    """Find the one word that changes between blocks, by a constant."""
    first = states[0]
    changed = [at for at in range(len(first)) if len({state[at] for state in states}) > 1]
    if not changed or changed[-1] // WORD != changed[0] // WORD:
        return None
    at = changed[0] // WORD * WORD
    for order in ORDERS:
        words = [int.from_bytes(state[at : at + WORD], order) for state in states]
        steps = {(b - a) % MODULUS for a, b in pairwise(words)}
        if len(steps) == 1 and 0 < (step := steps.pop()) <= LARGEST_STEP:
            return BlockCounter(at, order, step)
    return None


CHECKS = (
    Check(
        name="keystream/carry",
        asks="Does a block counter that can be seen in the context count on, and beyond 32 bits?",
        why=(
            "Vectors and tests never have 2^32 blocks. A keystream that begins again there "
            "reveals the difference of two plaintexts. Some ciphers specify a counter of 32 "
            "bits, so this is a finding. Where 20 blocks across a power of two differ from those "
            "of 20 calls, or the counter jumps, it is a failure."
        ),
        cure="Carry into all words of the counter that the specification has, in each vector "
        "of blocks that are made at once, too.",
        run=carry,
    ),
)
