# SPDX-License-Identifier: MIT
"""Whether a cipher wrote while it was timed what it writes when it is not.

With the ticks of a long stream and of packets the agent tells the last call that was timed:
key, IV, input and output. Another agent, which was asked for nothing before, is given the
first three by single calls and must come to the fourth. Inputs follow from a seed that the
bench chose, and each is the output of the call before. So code that leaves work undone, or
that repeats remembered answers, once it takes itself to be timed, is found.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.check.stream.session import ENCRYPT, StreamSession
from assay.execute.agent import Agent, Buffer
from assay.execute.protocol import FrameError, PayloadReader
from assay.measure.task import WrongOutput
from assay.model import SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM, is_self_synchronising

SKIPPED_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class LastCall:
    """The last call of a timed series; `before` bytes of the same stream went before it."""

    measure: str
    sizes: SizeChoice
    key: bytes
    iv: bytes
    source: bytes
    output: bytes
    before: int


def read_last(
    reader: PayloadReader, measure: str, sizes: SizeChoice, length: int, before: int
) -> LastCall:
    """Take what follows the ticks: a call of `length` bytes, `before` of the stream before it."""
    key, iv, source, output = (reader.bytes(reader.number(4)) for _ in range(4))
    wanted = (-(-sizes.key_bits // 8), -(-sizes.iv_bits // 8), length, length)
    if tuple(map(len, (key, iv, source, output))) != wanted:
        raise FrameError("the last call that was timed is not the one that was asked for")
    return LastCall(measure, sizes, key, iv, source, output, before)


def prove(agent: Agent, subject: StreamSubject, calls: Iterable[LastCall]) -> None:
    """Have an agent do the calls one by one; WrongOutput names the first that differs."""
    session = StreamSession(agent, subject)
    for call in calls:
        packet = call.measure.startswith("packet/")
        written = _packet(session, call) if packet else _stream(session, call)
        if written != call.output:
            both = zip(written, call.output, strict=True)
            at = next(place for place, (a, b) in enumerate(both) if a != b)
            raise WrongOutput(
                f"while {call.measure} was timed it wrote another output than when it was not: "
                f"the last call differs from byte {at} on"
            )
        agent.forget_buffers()


def provable(subject: StreamSubject, sizes: SizeChoice, measure: str) -> bool:
    """Return whether the output of the last call follows from its input and place alone."""
    if measure.startswith("packet/"):
        return True
    depends = is_self_synchronising(subject.api) or sizes.mac_bits is not None
    return measure == LONG_STREAM and not depends


def _packet(session: StreamSession, call: LastCall) -> bytes:
    agent, size = session.agent, len(call.source)
    ctx, iv = _keyed(session, call)
    source, to = agent.buffer("input", size), agent.buffer("output", size)
    agent.write(source, call.source)
    mac = agent.buffer("mac", (call.sizes.mac_bits or 0) // 8) if call.sizes.mac_bits else None
    session.crypt_packet(ENCRYPT, ctx, iv, source, to, size, mac=mac)
    return agent.read(to)


def _stream(session: StreamSession, call: LastCall) -> bytes:
    """Skip what went before with large calls, and do the last one."""
    agent, block = session.agent, session.subject.block_bytes
    ctx, iv = _keyed(session, call)
    session.ivsetup(ctx, iv)
    step = SKIPPED_AT_ONCE // block * block or block
    skipped, unused = agent.buffer("skipped", step), agent.buffer("unused", step)
    for at in range(0, call.before, step):
        length = min(step, call.before - at)
        session.crypt_blocks(ENCRYPT, ctx, skipped, unused, length // block)
    size = len(call.source)
    source, to = agent.buffer("input", size), agent.buffer("output", size)
    agent.write(source, call.source)
    session.crypt_blocks(ENCRYPT, ctx, source, to, size // block)
    return agent.read(to)


def _keyed(session: StreamSession, call: LastCall) -> tuple[Buffer, Buffer]:
    agent = session.agent
    ctx = session.context()
    key, iv = agent.buffer("key", len(call.key)), agent.buffer("iv", len(call.iv))
    agent.write(key, call.key)
    agent.write(iv, call.iv)
    session.keysetup(ctx, key, call.sizes)
    return ctx, iv
