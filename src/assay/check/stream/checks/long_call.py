# SPDX-License-Identifier: MIT
"""Whether one call encrypts nearly 4 GiB, as many calls do."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import psutil

from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.session import StreamSession
from assay.check.stream.trial import Trial
from assay.execute.agent import Buffer
from assay.model.wire import StreamFunction

LENGTH = (1 << 32) - 77
PIECE = 1 << 24
WINDOW = 64
RANDOM_WINDOWS = 200
CARRIES = (1 << 28, 1 << 29, 1 << 30, 1 << 31, 3 << 30)  # bytes, also as 32 bits of bits or words
MEMORY_BYTES = LENGTH + (1 << 30)
LONGEST_SECONDS = 150.0
PATIENCE_SECONDS = 4 * LONGEST_SECONDS


@dataclass(frozen=True, slots=True)
class LongMessage:
    """Zeros, to be encrypted with a key and an IV; in one call, or in pieces."""

    session: StreamSession
    key: Buffer
    iv: Buffer
    trial: Trial

    def begun(self, label: str) -> Buffer:
        """Return a context that is set up."""
        ctx = self.session.context(label)
        self.session.call(StreamFunction.KEYSETUP, ctx, self.key, *self.trial.sizes[-1].bits())
        self.session.call(StreamFunction.IVSETUP, ctx, self.iv)
        return ctx

    def at_once(self, room: Buffer) -> None:
        """Encrypt the room's zeros where they are, in one call."""
        ctx = self.begun("ctx")
        self.session.call(StreamFunction.ENCRYPT_BYTES, ctx, room, room, room.size_bytes)
        self.session.agent.flush(PATIENCE_SECONDS)

    def pieces(self, length: int) -> Iterator[tuple[int, Buffer]]:
        """Encrypt as many zeros in pieces; yield where each begins, and its output."""
        unit = self.trial.unit
        step = PIECE // unit * unit
        ctx, room = self.begun("second ctx"), self.session.agent.buffer("piece", step)
        for at in range(0, length, step):
            left = min(step, length - at)
            self.session.agent.fill(room, 0, left)
            if left == step and at + step < length:
                self.session.call(StreamFunction.ENCRYPT_BLOCKS, ctx, room, room, step // unit)
            else:
                self.session.call(StreamFunction.ENCRYPT_BYTES, ctx, room, room, left)
            yield at, room


def run(trial: Trial) -> None:
    """Compare windows of a message that one call has encrypted, and many."""
    if trial.bench is None or trial.bench.large is None:
        raise CheckInapplicable("messages of gigabytes are encrypted on this machine alone")
    if not trial.deep:
        raise CheckSkipped("slow; run it with `--deep`")
    if psutil.virtual_memory().available < MEMORY_BYTES:
        raise CheckSkipped("there is no memory for a message of 4 GiB")
    with trial.bench.large() as agent:
        if agent.pointer_bits < 64:
            raise CheckInapplicable("there are no 4 GiB of addresses")
        session, sizes = trial.converse(agent), trial.sizes[-1]
        key = agent.buffer("key", sizes.key_bits // 8)
        iv = agent.buffer("IV", sizes.iv_bits // 8)
        agent.write(key, trial.bytes(key.size_bytes))
        agent.write(iv, trial.bytes(iv.size_bytes))
        _compare(trial, LongMessage(session, key, iv, trial))


def _compare(trial: Trial, message: LongMessage) -> None:
    agent = message.session.agent
    _skip_if_slow(message)
    room = agent.buffer("message", LENGTH)
    message.at_once(room)
    windows = _windows(trial)
    for at, piece in message.pieces(LENGTH):
        while windows and windows[-1] < at + piece.size_bytes:
            begin = windows.pop()
            size = min(WINDOW, at + piece.size_bytes - begin)
            first = agent.read(room, size, begin)
            other = agent.read(piece, size, begin - at)
            if first != other:
                raise CheckFailed(
                    f"byte {begin} of {LENGTH} that are encrypted in one call is not what calls "
                    f"with {piece.size_bytes} bytes each give",
                    f"one call     {first.hex()}\nmany calls   {other.hex()}\n",
                )


def _windows(trial: Trial) -> list[int]:
    """Return where windows begin, the last one first."""
    chosen = [trial.random.randrange(LENGTH - WINDOW) for _ in range(RANDOM_WINDOWS)]
    around = [one + offset for one in CARRIES for offset in (-WINDOW, 0)]
    return sorted({0, LENGTH - WINDOW, *chosen, *around}, reverse=True)


def _skip_if_slow(message: LongMessage) -> None:
    """Raise CheckSkipped where it would take longer than an answer is waited for."""
    agent = message.session.agent
    room = agent.buffer("probe", PIECE)
    agent.flush()
    began = time.monotonic()
    message.at_once(room)
    seconds = (time.monotonic() - began) * LENGTH / PIECE
    if seconds > LONGEST_SECONDS:
        raise CheckSkipped(f"the code is slow: a call with 4 GiB would take {seconds:.0f} seconds")


CHECK: Check[Trial] = Check(
    name="lengths/nearly-4-gib",
    asks="Does a call with nearly 4 GiB give what many calls give?",
    why=(
        "Lengths of this API have 32 bits. Numbers computed from them overflow: bits, bytes "
        "rounded up to blocks, or an `int` that counts them. lengths/beyond-2-gib only "
        "announces such lengths; here the message is there, and windows of the output are "
        "compared with those of calls with 16 MiB each."
    ),
    cure="Count in the type of the API, blocks instead of bits, and never as a signed number.",
    run=run,
)
