# SPDX-License-Identifier: MIT
"""Counting calls of a stream cipher one by one, and keeping what they wrote.

What a stream or packet came to is repeated by agents that count nothing, with other calls: blocks
of random numbers and bytes at the end, never the same calls on the same data.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import SystemRandom
from typing import Protocol

from assay.check.session import StreamSession
from assay.check.stream.routines import accepted_sizes
from assay.execute.agent import Agent, Buffer
from assay.measure.counted import CountedAgent, difference_in
from assay.model import SizeChoice, StreamSubject
from assay.model.wire import StreamFunction


class CountedDesk(Protocol):
    """Buffers of a session, and the calls that use them."""

    @property
    def session(self) -> StreamSession: ...  # noqa: D102 - the arguments of the API
    @property
    def sizes(self) -> SizeChoice: ...  # noqa: D102
    @property
    def ctx(self) -> Buffer: ...  # noqa: D102
    @property
    def key(self) -> Buffer: ...  # noqa: D102
    @property
    def iv(self) -> Buffer: ...  # noqa: D102
    @property
    def source(self) -> Buffer: ...  # noqa: D102
    @property
    def to(self) -> Buffer: ...  # noqa: D102
    @property
    def mac(self) -> Buffer: ...  # noqa: D102
    @property
    def length(self) -> int: ...  # noqa: D102
    def keysetup(self) -> None: ...  # noqa: D102
    def ivsetup(self) -> None: ...  # noqa: D102
    def blocks(self, blocks: int) -> None: ...  # noqa: D102
    def packet(self, length: int) -> None: ...  # noqa: D102
    def finalize(self) -> None: ...  # noqa: D102


@dataclass(slots=True)
class Tally:
    """One stream or packet under a key and an IV that are drawn, call by call."""

    counter: CountedAgent
    desk: CountedDesk
    name: str
    key: bytes = b""
    iv: bytes = b""
    mac: bytes | None = None
    text: bytearray = field(default_factory=bytearray)
    output: bytearray = field(default_factory=bytearray)

    def again(self, name: str) -> "Tally":
        """Return another stream under the same key, which is loaded already."""
        return Tally(self.counter, self.desk, name, self.key)

    def keysetup(self) -> int:
        """Count the setup of a new key."""
        agent, desk = self.counter.agent, self.desk
        self.key = self.counter.draw(desk.key, -(-desk.sizes.key_bits // 8))
        return self._take(desk.keysetup, lambda: agent.nothing((desk.ctx, desk.key), (0, 0, 0)))

    def ivsetup(self) -> int:
        """Count the setup of a new IV."""
        agent, desk = self.counter.agent, self.desk
        self._draw_iv()
        self.counter.proofs.append(partial(_differs, self, desk.sizes, desk.length))
        return self._take(desk.ivsetup, lambda: agent.nothing((desk.ctx, desk.iv)))

    def blocks(self, blocks: int) -> int:
        """Count the encryption of whole blocks."""
        agent, desk = self.counter.agent, self.desk
        length = blocks * desk.session.subject.block_bytes
        self.text += self.counter.draw(desk.source, length)
        amount = self._take(
            partial(desk.blocks, blocks),
            lambda: agent.nothing((desk.ctx, desk.source, desk.to), (blocks,)),
        )
        self.output += agent.read(desk.to, length)
        return amount

    def packet(self, length: int) -> int:
        """Count the encryption of a packet with a new IV."""
        agent, desk = self.counter.agent, self.desk
        self._draw_iv()
        self.text += self.counter.draw(desk.source, length)
        amount = self._take(
            partial(desk.packet, length), lambda: agent.nothing((desk.ctx,) * 6, (0, 0))
        )
        self.output += agent.read(desk.to, length)
        self._read_mac()
        self.counter.proofs.append(partial(_differs, self, desk.sizes, desk.length))
        return amount

    def finalize(self) -> int:
        """Count what writes the MAC."""
        agent, desk = self.counter.agent, self.desk
        amount = self._take(desk.finalize, lambda: agent.nothing((desk.ctx, desk.mac)))
        self._read_mac()
        return amount

    def _draw_iv(self) -> None:
        self.iv = self.counter.draw(self.desk.iv, -(-self.desk.sizes.iv_bits // 8))

    def _read_mac(self) -> None:
        if self.desk.session.subject.authenticates:
            length = -(-(self.desk.sizes.mac_bits or 0) // 8)
            self.mac = self.counter.agent.read(self.desk.mac, length)

    def _take(self, work: Callable[[], None], idle: Callable[[], None]) -> int:
        return self.counter.take(work, idle)


def _differs(
    told: Tally, sizes: SizeChoice, longest: int, agent: Agent, subject: StreamSubject
) -> str:
    """Have a stream encrypted by other calls, and return what differs."""
    if sizes not in accepted_sizes(subject):
        return ""
    session = StreamSession(agent, subject)
    ctx = session.context()
    key, iv = agent.buffer("key", len(told.key)), agent.buffer("IV", len(told.iv))
    agent.write(key, told.key)
    agent.write(iv, told.iv)
    session.call(StreamFunction.KEYSETUP, ctx, key, *sizes.bits())
    session.call(StreamFunction.IVSETUP, ctx, iv)
    output = _encrypted(session, ctx, bytes(told.text), longest)
    differs = difference_in(f"the output of {told.name}", bytes(told.output), output)
    if told.mac is None or differs:
        return differs
    mac = agent.buffer("MAC", len(told.mac))
    session.call(StreamFunction.FINALIZE, ctx, mac)
    return difference_in(f"the MAC of {told.name}", told.mac, agent.read(mac))


def _encrypted(session: StreamSession, ctx: Buffer, text: bytes, longest: int) -> bytes:
    """Encrypt a text: random numbers of blocks, and what is left of a block as bytes."""
    agent, block, random = session.agent, session.subject.block_bytes, SystemRandom()
    source, to = agent.buffer("input", longest), agent.buffer("output", longest)
    output, at = bytearray(), 0
    while at < len(text):
        whole = min(len(text) - at, longest) // block
        length = random.randint(1, whole) * block if whole else len(text) - at
        agent.write(source, text[at : at + length])
        if whole:
            session.call(StreamFunction.ENCRYPT_BLOCKS, ctx, source, to, length // block)
        else:
            session.call(StreamFunction.ENCRYPT_BYTES, ctx, source, to, length)
        output += agent.read(to, length)
        at += length
    return bytes(output)
