# SPDX-License-Identifier: MIT
"""Whether a block counter carries beyond 32 bits.

A counter shows in the context: between blocks nothing else changes, and it by a constant. It
is then set to its last value, and the blocks after it are compared with those of a counter
that has just begun. No stream is long enough to get there: 2^32 blocks have 256 GiB.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from assay.check.arena import ROOM
from assay.check.check import Check, CheckFinding, CheckInapplicable
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.execute.agent import Buffer

WORD = 4
MODULUS = 1 << 32
LARGEST_STEP = 64
BLOCKS = 5
GIB = 1 << 30
ByteOrder = Literal["little", "big"]
ORDERS: tuple[ByteOrder, ...] = ("little", "big")


@dataclass(frozen=True, slots=True)
class BlockCounter:
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
        desk = CarryDesk(session, *_loaded(trial, session))
        states = list(desk.states())
        counter = _counter(states)
        if counter is None:
            raise CheckInapplicable("no counter of blocks can be seen in its context")
        desk.begin(counter.put(states[0], MODULUS - counter.step))
        before, after = desk.block(), desk.block()
        desk.begin(counter.put(states[0], 0))
        first, again = desk.block(), desk.block()
    if first == again or before == after:
        raise CheckInapplicable("no counter of blocks can be seen in its context")
    if after == first:
        size = MODULUS // counter.step * trial.unit
        raise CheckFinding(
            f"the counter in bytes {counter.offset} to {counter.offset + WORD - 1} of the context "
            f"does not carry: the keystream repeats after {size // GIB} GiB",
            f"block 0           {first.hex().upper()}\nafter the carry   {after.hex().upper()}",
        )


@dataclass(frozen=True, slots=True)
class CarryDesk:
    """A context, and a block of zeros with room for what they become."""

    session: StreamSession
    ctx: Buffer
    zeros: Buffer
    to: Buffer

    def states(self) -> Iterator[bytes]:
        """Yield the context as it is, and after each of some blocks."""
        yield self.session.agent.read(self.ctx)
        for _ in range(BLOCKS):
            self.block()
            yield self.session.agent.read(self.ctx)

    def begin(self, context: bytes) -> None:
        """Put a context in place."""
        self.session.agent.write(self.ctx, context)

    def block(self) -> bytes:
        """Return the next block of keystream."""
        self.session.crypt_blocks(ENCRYPT, self.ctx, self.zeros, self.to, 1)
        return self.session.agent.read(self.to, self.zeros.size_bytes - ROOM)


def _loaded(trial: Trial, session: StreamSession) -> tuple[Buffer, Buffer, Buffer]:
    """Load a key and an IV; return the context, and buffers of a block."""
    agent, sizes = session.agent, trial.sizes[-1]
    ctx = session.context()
    key, iv = (
        agent.buffer(label, -(-bits // 8) + ROOM)
        for label, bits in (("key", sizes.key_bits), ("IV", sizes.iv_bits))
    )
    agent.write(key, trial.bytes(key.size_bytes - ROOM))
    agent.write(iv, trial.bytes(iv.size_bytes - ROOM))
    session.keysetup(ctx, key, sizes)
    session.ivsetup(ctx, iv)
    zeros, to = (agent.buffer(label, trial.unit + ROOM) for label in ("input", "output"))
    return ctx, zeros, to


def _counter(states: list[bytes]) -> BlockCounter | None:
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
        asks="Does a block counter that can be seen in the context carry beyond 32 bits?",
        why=(
            "Vectors and tests never have 2^32 blocks. A keystream that begins again there "
            "reveals the difference of two plaintexts. Some ciphers specify a counter of 32 "
            "bits, so this is a finding."
        ),
        cure="Carry into all words of the counter that the specification has.",
        run=carry,
    ),
)
