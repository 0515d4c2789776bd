# SPDX-License-Identifier: MIT
"""What a stream cipher takes, counted exactly: the eSTREAM measures in instructions, and stack.

The measures are those of `stream/task.py` but for agility, which is about
caches: an emulator has none. Keys, IVs and texts are random, and all outputs are kept for other
agents to repeat (`tally.py`). Work that a setup leaves to the first block after it counts for the
setup, and a long stream is longer than what a context could hold of it.
"""

from collections.abc import Iterator

from assay.check.session import StreamSession
from assay.execute.agent import Agent
from assay.measure.counted import CountedAgent, depths, with_room
from assay.measure.stream.tally import Desk, Tally
from assay.model import SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM, PACKET_BYTES
from assay.model.footprint import FunctionMemory, Steps

STREAM_BYTES = (4096, 1024)
ROOM = 64
AHEAD = 1 << 16  # bytes of a context that may hold keystream made before
TIMES_AHEAD = 4  # so many times as much is counted


def lay(agent: Agent, subject: StreamSubject, sizes: SizeChoice) -> Desk:
    """Make the buffers, for as long a message as there is room for."""
    session = StreamSession(agent, subject)
    ctx = session.context()
    key = agent.buffer("key", sizes.key_bits // 8 + ROOM)
    iv = agent.buffer("IV", sizes.iv_bits // 8 + ROOM)
    mac = agent.buffer("MAC", (sizes.mac_bits or 0) // 8 + ROOM)
    agent.flush()
    length, (source, to) = with_room(agent, STREAM_BYTES, {"input": 10, "output": 11})
    return Desk(session, sizes, ctx, key, iv, source, to, mac, length)


def count(counter: CountedAgent, subject: StreamSubject, sizes: SizeChoice) -> tuple[Steps, ...]:
    """Count every measure once."""
    desk = lay(counter.agent, subject, sizes)
    first = Tally(counter, desk, "a first packet")  # may load what the linker left open
    first.keysetup()
    first.packet(min(PACKET_BYTES[0], desk.length))
    return tuple(_counted(counter, desk))


def _counted(counter: CountedAgent, desk: Desk) -> Iterator[Steps]:
    yield _long(counter, desk)
    keyed = Tally(counter, desk, "the first block with a key")
    keyed.keysetup()
    keyed.ivsetup()
    keyed.blocks(1)
    for length in PACKET_BYTES:
        if length <= desk.length:
            amount = keyed.again(f"a packet of {length} bytes").packet(length)
            yield counter.steps(f"packet/{length}", f"a packet of {length} bytes", amount, length)
    key, iv = _setups(counter, desk)
    yield counter.steps("setup/key", "keysetup", key, 1)
    yield counter.steps("setup/iv", "ivsetup", iv, 1)


def _long(counter: CountedAgent, desk: Desk) -> Steps:
    """Count blocks of one stream, from behind what a context could hold of it."""
    blocks = desk.length // desk.session.subject.block_bytes
    work = blocks * desk.session.subject.block_bytes
    ahead = min(desk.session.subject.context_bytes, AHEAD)
    tally = Tally(counter, desk, "a long stream")
    tally.keysetup()
    tally.ivsetup()
    for _ in range(-(-ahead // work)):
        tally.blocks(blocks)
    calls = -(-TIMES_AHEAD * ahead // work)
    amount = sum(tally.blocks(blocks) for _ in range(calls))
    return counter.steps(LONG_STREAM, f"{blocks} blocks, {calls} times", amount, calls * work)


def _setups(counter: CountedAgent, desk: Desk) -> tuple[int, int]:
    """Count a key setup and an IV setup, each with what it left to the first block."""
    fresh = Tally(counter, desk, "the first block with a new key")
    key = fresh.keysetup()
    begun = fresh.ivsetup() + fresh.blocks(1)
    again = fresh.again("the first blocks with a new IV")
    iv, first, second = again.ivsetup(), again.blocks(1), again.blocks(1)
    late_key, late_iv = max(0, begun - iv - first), max(0, first - second)
    if desk.session.subject.authenticates:  # as the original measure does
        empty = fresh.again("a MAC of nothing")
        iv = empty.ivsetup() + empty.finalize()
    return key + late_key, iv + late_iv


def memory(agent: Agent, subject: StreamSubject, sizes: SizeChoice) -> tuple[FunctionMemory, ...]:
    """Return the stack that each function takes."""
    desk = lay(agent, subject, sizes)
    calls = {
        "keysetup": desk.keysetup,
        "ivsetup": desk.ivsetup,
        "blocks": lambda: desk.blocks(3),
        "packet": lambda: desk.packet(40),
        "ivsetup again": desk.ivsetup,
        "finalize": desk.finalize,
    }
    return depths(agent, calls)
