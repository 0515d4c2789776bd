# SPDX-License-Identifier: MIT
"""Counting calls of a stream cipher one by one, and keeping what they wrote.

What a stream or packet came to is repeated by agents that count nothing, with other calls: blocks
of random numbers and bytes at the end, never the same calls on the same data.
"""

from collections.abc import Callable, Iterator
from functools import partial
from random import SystemRandom

from msgspec import Struct, field

from assay.check.keystream.carry import Onward
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, accepted_sizes
from assay.check.uses import called
from assay.execute.agent import Agent, Buffer
from assay.measure.counted import CountedAgent, difference_in
from assay.model import SizeChoice, StreamSubject
from assay.model.wire import StreamFunction


class Desk(Struct, frozen=True):
    """A session with buffers for one size choice; `length` is the longest message."""

    session: StreamSession
    sizes: SizeChoice
    ctx: Buffer
    key: Buffer
    iv: Buffer
    source: Buffer
    to: Buffer
    mac: Buffer
    length: int

    def keysetup(self) -> None:
        """Load the key."""
        self.session.call(StreamFunction.KEYSETUP, self.ctx, self.key, *self.sizes.bits())

    def ivsetup(self) -> None:
        """Load the IV."""
        self.session.call(StreamFunction.IVSETUP, self.ctx, self.iv)

    def blocks(self, blocks: int) -> None:
        """Encrypt whole blocks."""
        self.session.call(StreamFunction.ENCRYPT_BLOCKS, self.ctx, self.source, self.to, blocks)

    def packet(self, length: int) -> None:
        """Encrypt a packet."""
        mac = self.mac if self.session.subject.authenticates else None
        places = (self.ctx, self.iv, None, self.source, self.to, mac)
        self.session.call(StreamFunction.ENCRYPT_PACKET, *places, 0, length)

    def finalize(self) -> None:
        """Write the MAC, where there is one."""
        if self.session.subject.authenticates:
            self.session.call(StreamFunction.FINALIZE, self.ctx, self.mac)


class Tally(Struct):
    """One stream or packet under a key and an IV that are drawn, call by call."""

    counter: CountedAgent
    desk: Desk
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
    message = CipherMessage(subject, sizes, told.key, told.iv, b"", b"")
    stream = Onward.begun(StreamSession(agent, subject), message, longest)
    output = b"".join(map(stream.encrypted, _parts(bytes(told.text), stream.unit, longest)))
    differs = difference_in(f"the output of {told.name}", bytes(told.output), output)
    if told.mac is None or differs:
        return differs
    stream.arena.go((called(StreamFunction.FINALIZE, {}),))
    mac = stream.arena.get("MAC", len(told.mac)).data
    return difference_in(f"the MAC of {told.name}", told.mac, mac)


def _parts(text: bytes, block: int, longest: int) -> Iterator[bytes]:
    """Cut a text: random numbers of blocks, and what is left of a block."""
    random, at = SystemRandom(), 0
    while at < len(text):
        whole = min(len(text) - at, longest) // block
        length = random.randint(1, whole) * block if whole else len(text) - at
        yield text[at : at + length]
        at += length
