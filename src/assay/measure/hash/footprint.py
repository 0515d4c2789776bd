# SPDX-License-Identifier: MIT
"""What a hash takes: steps for a long and a short message, and stack (Shabal paper, section 2).

The long message is one call of xxx() with 8 KiB, at the start of a block; where
the target has no room for it, with what it has. The short one is 32 bytes, with
xxx_init and xxx_close.
"""

import statistics

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent, AgentRefusal, Buffer
from assay.execute.protocol import Request
from assay.measure.counted import CountedAgent
from assay.model import HashSubject
from assay.model.footprint import Steps
from assay.timing.agent import TimedAgent
from assay.timing.beats import NO_BEATS
from assay.timing.clock import (
    CounterOption,
    cycles_per_tick,
    rate_between,
    read_clock,
    read_loops,
    select,
)
from assay.timing.witness import (
    LEAST_SHARE,
    AgentNonsense,
    believed,
    compare,
    making_sense,
    took_time,
)

LONG_BYTES = (8192, 4096, 2048, 1024)
SHORT_BYTES = 32
PAINT_BYTES = 3000
SMALL_PAINT_BYTES = 1000
WINDOW_US, TRIALS, SAMPLES = 250, 3, 101
TIMING_SECONDS = 30.0
TESTS = (("long", 0, LONG_BYTES[0]), ("short", 1, SHORT_BYTES))


def count(counter: CountedAgent, subject: HashSubject, out_bits: int) -> tuple[Steps, ...]:
    """Count a long and a short message, exactly."""
    agent = counter.agent
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    length, data = _message(agent)
    session.init(ctx, out_bits)
    long = counter.steps(
        "long",
        f"xxx() with {length} bytes",
        lambda: session.update(ctx, data, length),
        lambda: agent.nothing((ctx, data), (length,)),
        length,
    )

    def whole() -> None:
        session.init(ctx, out_bits)
        session.update(ctx, data, SHORT_BYTES)
        session.close(ctx, to)

    def idle() -> None:
        agent.nothing((ctx,), (out_bits,))
        agent.nothing((ctx, data), (SHORT_BYTES,))
        agent.nothing((ctx, to), (0, 0))

    short = counter.steps("short", f"a message of {SHORT_BYTES} bytes", whole, idle, SHORT_BYTES)
    return long, short


def _message(agent: Agent) -> tuple[int, Buffer]:
    """Make the longest buffer that there is room for; NO_MEMORY is no answer for the last."""
    for length in LONG_BYTES:
        try:
            data = agent.buffer("data", length, number=9)
            agent.flush()
        except AgentRefusal:
            if length == LONG_BYTES[-1]:
                raise
        else:
            return length, data
    raise AssertionError(LONG_BYTES)


def stack(agent: Agent, subject: HashSubject, out_bits: int, *, small: bool) -> int:
    """Return the stack in bytes that the deepest of the three functions takes.

    Taken from the second call on: the first may load what the linker left open.
    """
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    data = agent.buffer("data", SHORT_BYTES * 5)
    agent.paint(SMALL_PAINT_BYTES if small else PAINT_BYTES)
    deepest = 0
    for _ in range(2):
        agent.nothing()
        base = agent.depth()
        deepest = 0
        session.init(ctx, out_bits)
        depths = [agent.depth()]
        session.update(ctx, data, SHORT_BYTES * 5)
        depths.append(agent.depth())
        session.close(ctx, to)
        depths.append(agent.depth())
        deepest = max(depths) - base
    agent.paint(0)
    return deepest


@making_sense()  # every figure comes from where submitted code runs
def time(agent: TimedAgent, out_bits: int, counter: CounterOption) -> tuple[Steps, ...]:
    """Time a long and a short message here, in core cycles if those are established."""
    select(agent, counter)
    first = read_clock(agent, counter)
    before = read_loops(agent)
    setup = out_bits.to_bytes(4, "little") + bytes(8)
    agent.ask(Request.TIMING_SETUP, setup, "setting up", TIMING_SECONDS)
    taken = [(name, length, _median(agent, test, length, counter)) for name, test, length in TESTS]
    ratio, _ = cycles_per_tick((before, read_loops(agent)))
    rate_between(first, read_clock(agent, counter), counter)
    known = 1.0 if counter.core_cycles else ratio
    unit = "ticks" if known is None else "cycles"
    return tuple(
        Steps(name, f"{length} bytes, timed", ticks * (known or 1.0), unit, length, exact=False)
        for name, length, ticks in taken
    )


def _median(agent: TimedAgent, test: int, length: int, counter: CounterOption) -> float:
    """Return the median ticks of one call over many batches."""
    head = bytes([test]) + length.to_bytes(4, "little")
    window = round(WINDOW_US * counter.ticks_per_second / 1e6)
    asked = head + window.to_bytes(8, "little") + TRIALS.to_bytes(4, "little")
    batch = agent.ask(Request.CALIBRATE, asked, "calibrating", TIMING_SECONDS)
    keys, calls = batch.number(4), batch.number(4)
    if not keys * calls:
        raise AgentNonsense("calibrating it reports no calls to a batch")
    numbers = b"".join(number.to_bytes(4, "little") for number in (keys, calls, SAMPLES))
    what = f"timing {length} bytes"

    def timed() -> list[int]:
        reader = agent.time(head + numbers + NO_BEATS, what, TIMING_SECONDS)
        used, passed = agent.since_timing()
        ticks = [reader.number(8) for _ in range(SAMPLES + 1)]
        compare(what, sum(ticks) / counter.ticks_per_second, used, passed, LEAST_SHARE)
        return ticks[1:]

    ticks = believed(timed)
    took_time(what, ticks)
    return statistics.median(ticks) / (keys * calls)
