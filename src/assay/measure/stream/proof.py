# SPDX-License-Identifier: MIT
"""Whether a cipher wrote while it was timed what it writes when it is not.

The bench chooses one call of each timed series, and nobody knows which while it is timed. The
agent tells its key, IV, input, output and MAC; of setups and agility, what the context that was
used encrypts next. Another agent, which was asked for nothing before, is given the first three by
single calls, in buffers as those of the checks, and must come to the others. So code that leaves
work undone wherever a series is timed or repeated is found, unless it is right about nearly all
calls.
"""

from collections.abc import Iterable

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.keystream.carry import Onward
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage
from assay.execute.agent import Agent
from assay.execute.protocol import FrameError, PayloadReader
from assay.measure.audit import require_same
from assay.measure.loops import TimedSeries
from assay.measure.stream.untimed import AUDIT
from assay.model import SizeChoice, StreamSubject
from assay.model.apis import AGILITY_BYTES, is_self_synchronising

SKIPPED_AT_ONCE = 1 << 18
AGILITY = "agility"
KEYS, AGILITY_POOL_BYTES = 100, 1 << 24


class ChosenCall(Struct, frozen=True):
    """A call of a timed series; `before` bytes of the same stream went before it."""

    sizes: SizeChoice
    key: bytes
    iv: bytes
    source: bytes
    output: bytes
    mac: bytes
    before: int


def chosen_call(series: TimedSeries, block: int, contexts: int) -> ChosenCall:
    """Return the call that was chosen of a series, as the agent tells it."""
    sizes, length = series.sizes, series.measure.call_bytes or short_bytes(block)
    reader = PayloadReader(series.end)
    key, iv, source, output, mac = (reader.bytes(reader.number(4)) for _ in range(5))
    bits = (sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
    wanted = (*(-(-one // 8) for one in bits), length, length)
    if tuple(map(len, (key, iv, mac, source, output))) != wanted:
        raise FrameError("the chosen call is not the one that was asked for")
    return ChosenCall(sizes, key, iv, source, output, mac, _before(series, contexts))


def _before(series: TimedSeries, contexts: int) -> int:
    """Return how many bytes of its stream went before the chosen call."""
    if series.measure.length or not series.measure.call_bytes or _is_audit(series):
        return 0  # a packet has a stream of its own, and behind a setup it begins
    if series.measure.name == AGILITY:  # contexts take turns
        uses = 1 + (series.calls - 1 - series.chosen[0] % contexts) // contexts
        return uses * series.measure.call_bytes
    batch, call = divmod(series.chosen[0], series.batch.tests)
    per_key = series.batch.per_key
    return (batch * per_key + call % per_key) * series.measure.call_bytes


def _is_audit(series: TimedSeries) -> bool:
    return series.measure.name.startswith(AUDIT)


def prove(agent: Agent, subject: StreamSubject, timed: Iterable[TimedSeries]) -> None:
    """Have an agent do the chosen calls one by one; WrongOutput names the first that differs."""
    session = StreamSession(agent, subject)
    for series in timed:
        call = chosen_call(series, subject.block_bytes, contexts_of(subject))
        who, packet = f"while {series.measure.name} was timed it", series.measure.length
        output, mac = _packet(session, call) if packet else (_stream(session, call), call.mac)
        require_same(who, "output", call.output, output, _told)
        require_same(who, "MAC", call.mac, mac, _told)
        agent.forget_buffers()


def _told(at: int) -> str:
    return f": the call that was chosen differs from byte {at} on"


def provable(subject: StreamSubject, series: TimedSeries) -> bool:
    """Return whether the output of a call follows from its input and place alone."""
    if series.measure.length or not series.measure.call_bytes:
        return True
    if series.measure.call_bytes % subject.block_bytes:
        return False  # nothing says what follows a part of a block
    return not is_self_synchronising(subject.api) and series.sizes.mac_bits is None


def short_bytes(block: int) -> int:
    """Return the length of a short text: 256 bytes in whole blocks, or of a longer block."""
    return AGILITY_BYTES if block > AGILITY_BYTES else -(-AGILITY_BYTES // block) * block


def contexts_of(subject: StreamSubject) -> int:
    """Return how many contexts agility has (harness/agent/stream_pool.c)."""
    return max(KEYS, AGILITY_POOL_BYTES // subject.context_bytes)


def _message(session: StreamSession, call: ChosenCall) -> CipherMessage:
    return CipherMessage(session.subject, call.sizes, call.key, call.iv, b"", call.source)


def _packet(session: StreamSession, call: ChosenCall) -> tuple[bytes, bytes]:
    outputs = Arena(session).outcome(_message(session, call).by("encrypt_packet")).outputs
    return outputs["output"], outputs.get("MAC", b"")


def _stream(session: StreamSession, call: ChosenCall) -> bytes:
    """Skip what went before with large calls, and do the last one."""
    block, size = session.subject.block_bytes, len(call.source)
    step = SKIPPED_AT_ONCE // block * block or block
    stream = Onward.begun(session, _message(session, call), max(step, size))
    for at in range(0, call.before, step):
        stream.blocks(min(step, call.before - at) // block)
    return stream.encrypted(call.source)
