# SPDX-License-Identifier: MIT
"""Whether one call encrypts nearly 4 GiB, as many calls do, and 4 GiB never repeat.

Where there is another implementation, keystreams are compared: first megabytes, then windows up
to 4 GiB.

Both agents encrypt zeros, and tell digests of what they made: 16 MiB in the time of as much work.
Where a counter of blocks shows in both contexts (`keystream/carry` finds it), it is set to
numbers of blocks beyond, one in each of many stretches.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from msgspec import Struct

from assay.check.arena import SECOND_BASE, until_different
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, refusal_means
from assay.check.keystream.carry import MODULUS, WORD, BlockCounter, Onward, counter_of, states_of
from assay.check.keystream.relay import Leg, Walker
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, fresh_message
from assay.check.stream.trial import Trial
from assay.check.uses import called
from assay.execute.circumstances import vary
from assay.model.wire import StreamFunction

GIB = 1 << 30
LENGTH = (1 << 32) - 77
PIECE = 1 << 24
WINDOW = 64
RANDOM_WINDOWS = 200
CARRIES = (1 << 28, 1 << 29, 1 << 30, 1 << 31, 3 << 30)  # bytes, also as 32 bits of bits or words
MEMORY_BYTES = LENGTH + GIB
LONGEST_SECONDS = 150.0
CALL_SECONDS = 4 * LONGEST_SECONDS
STEP_BYTES = 65536  # as in harness/agent/stream_long.c
STEPS = (1 << 32) // STEP_BYTES + 16
LIMIT_MS = 100_000
STREAM_SECONDS = 180.0

DIGESTED_PIECE = 1 << 16
WHOLE, DEEP_WHOLE = 16 << 20, 256 << 20
STRETCHES, DEEP_STRETCHES = 64, 4096
FAR = 4 << 30  # bytes of the keystream
PROBE = 3  # the number of a block to which a counter is set first, to see whether it counts


def _fresh(trial: Trial) -> CipherMessage:
    return fresh_message(trial.bytes, trial.subject, trial.sizes[-1], 0, 0)


# ---------------------------------------------------------------- one call


def nearly_4_gib(trial: Trial) -> None:
    """Compare windows of a message that one call has encrypted, and many."""
    if trial.bench is None or trial.bench.large is None:
        raise CheckInapplicable("messages of gigabytes are encrypted on this machine alone")
    trial.only_deep()
    import psutil  # noqa: PLC0415 - seldom needed

    if psutil.virtual_memory().available < MEMORY_BYTES:
        raise CheckSkipped("there is no memory for a message of 4 GiB")
    with trial.bench.large() as agent:
        if agent.pointer_bits < 64:
            raise CheckInapplicable("there are no 4 GiB of addresses")
        _compare(trial, trial.converse(agent), _fresh(trial))


def _compare(trial: Trial, session: StreamSession, message: CipherMessage) -> None:
    probe = Onward.begun(session, message, PIECE, in_place=True)
    at_once = partial(_at_once, probe, PIECE)
    trial.skip_if_slow(session, LONGEST_SECONDS, at_once, LENGTH / PIECE)
    whole = Onward.begun(session, message, LENGTH, in_place=True)
    _at_once(whole, LENGTH)
    step = PIECE // whole.unit * whole.unit
    part = Onward.begun(session, message, step, SECOND_BASE)
    part.zero(step)
    looked = Walker("", part, step).walk(Leg(0, 0, LENGTH, _windows(trial)))
    for window, other in looked.items():
        first = whole.output(window.start, len(window)).data
        if first != other:
            raise CheckFailed(
                f"byte {window.start} of {LENGTH} that are encrypted in one call is not what "
                f"calls with {step} bytes each give",
                f"one call     {first.hex()}\nmany calls   {other.hex()}\n",
            )


def _at_once(stream: Onward, length: int) -> None:
    """Encrypt the zeros of a fresh agent where they are, in one call."""
    stream.by_bytes(length)
    stream.arena.session.agent.flush(CALL_SECONDS)


def _windows(trial: Trial) -> tuple[range, ...]:
    """Choose where to look: at both ends, around carries, and anywhere."""
    chosen = [trial.random.randrange(LENGTH - WINDOW) for _ in range(RANDOM_WINDOWS)]
    around = [one + offset for one in CARRIES for offset in (-WINDOW, 0)]
    every = sorted({0, LENGTH - WINDOW, *chosen, *around})
    return tuple(range(at, at + WINDOW) for at in every)


# ---------------------------------------------------------------- one stream


def period(trial: Trial) -> None:
    """Encrypt zeros beyond 2^32 bytes; the beginnings of all steps must differ."""
    trial.only_deep()
    if trial.on_board:
        raise CheckSkipped("a board would take days")
    with trial.fresh_session() as session:
        stream = Onward.begun(session, _fresh(trial), STEP_BYTES)
        session.agent.flush()
        with refusal_means(CheckSkipped(f"its blocks do not fill {STEP_BYTES} bytes")):
            reader = session.agent.answer(
                StreamFunction.LONG, (stream.buffer("ctx"), stream.buffer("output")),
                (STEPS, LIMIT_MS), STREAM_SECONDS,
            )  # fmt: skip
        done, repeats, first = (reader.number(size) for size in (8, 1, 8))
    if repeats:
        again = done - STEP_BYTES
        raise CheckFailed(f"the keystream from byte {again} on is that from byte {first} on")
    if done < STEPS * STEP_BYTES:
        raise CheckSkipped(f"it made {done / GIB:.1f} of 4 GiB in {LIMIT_MS // 1000} seconds")


CHECKS = (
    Check(
        name="lengths/period",
        asks="Is the keystream of one IV free of repetitions for four gigabytes?",
        why=(
            "A counter that is too short repeats the keystream, which reveals the difference of "
            "two plaintexts to an eavesdropper."
        ),
        cure="Give the counter the specified width, and carry into all of it.",
        run=period,
    ),
    Check(
        name="lengths/nearly-4-gib",
        asks="Does a call with nearly 4 GiB give what many calls give?",
        why=(
            "Lengths of this API have 32 bits. Numbers computed from them overflow: bits, bytes "
            "rounded up to blocks, or an `int` that counts them. lengths/beyond-2-gib only "
            "announces such lengths; here the message is there, and windows of the output are "
            "compared with those of calls with 16 MiB each."
        ),
        cure="Count in the type of the API, blocks instead of bits, and never as a signed number.",
        run=nearly_4_gib,
    ),
)


class WindowMaker(Struct, frozen=True):
    """An implementation that makes the keystream, its name and how long it may work."""

    name: str
    trial: Trial
    stream: Onward
    budget: Budget

    def digest(self, rounds: int) -> int:
        """Make so many further pieces."""
        agent, arena = self.stream.arena.session.agent, self.stream.arena
        step = called(StreamFunction.ENCRYPT_BLOCKS, {"blocks": self.size // self.stream.unit})
        requests = arena.session.requests((step,), arena.resolved)
        watched = [(self.stream.buffer("output"), self.size)]
        with self.budget.spending(agent):
            return vary(agent, requests, watched, [], 0, rounds)

    @property
    def size(self) -> int:
        """Return the bytes of a piece."""
        return DIGESTED_PIECE // self.stream.unit * self.stream.unit

    def piece(self) -> bytes:
        """Make the next piece."""
        return self.stream.next(self.size // self.stream.unit).data


class CountingMaker(Struct, frozen=True):
    """A maker in whose context a counter of blocks can be seen, and the context at block 0."""

    maker: WindowMaker
    counter: BlockCounter
    start: bytes

    def window(self, block: int) -> bytes:
        """Make one block with the counter set to its number."""
        counter, stream = self.counter, self.maker.stream
        word = int.from_bytes(self.start[counter.offset : counter.offset + WORD], counter.order)
        stream.go_on_from(counter.put(self.start, (word + block * counter.step) % MODULUS))
        return stream.next().data

    @property
    def counts(self) -> bool:
        """Return whether the counter, set to a block, leads to the one that comes there."""
        self.maker.stream.go_on_from(self.start)
        *_, last = [self.maker.stream.next().data for _ in range(PROBE + 1)]
        return self.window(PROBE) == last


def begun(name: str, trial: Trial, message: CipherMessage, budget: Budget) -> WindowMaker:
    """Load a key and an IV into an agent."""
    with trial.session() as session:
        stream = Onward.begun(session, replace(message, subject=trial.subject), DIGESTED_PIECE)
        stream.zero(DIGESTED_PIECE)
        return WindowMaker(name, trial, stream, budget)


def compare_streams(one: WindowMaker, other: WindowMaker) -> None:
    """Compare the beginning, then windows; CheckFailed names the first byte that differs."""
    contexts = {0: (one.stream.context, other.stream.context)}

    def restore(done: int) -> None:
        known = contexts.setdefault(done, (one.stream.context, other.stream.context))
        for maker, context in zip((one, other), known, strict=True):
            maker.stream.go_on_from(context)

    def differ(done: int, rounds: int) -> bool:
        restore(done)
        return rounds > 0 and one.digest(rounds) != other.digest(rounds)

    most = (DEEP_WHOLE if one.trial.deep else WHOLE) // one.size
    number, differs = until_different(differ, most, lambda: one.budget.over or other.budget.over)
    if differs:
        last = max(contexts)
        differ(last, number - last)
        first, second = one.piece(), other.piece()
        at = next((i for i in range(one.size) if first[i] != second[i]), 0)
        _fail((one, other), number * one.size + at, (first[at:], second[at:]))
    restore(0)
    _compare_windows(one, other)


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
