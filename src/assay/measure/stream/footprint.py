# SPDX-License-Identifier: MIT
"""What a stream cipher takes, counted exactly: the eSTREAM measures in instructions, and stack.

The measures are those of `stream/task.py` but for agility, which is about
caches: an emulator has none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from assay.check.stream.session import ENCRYPT, StreamSession
from assay.execute.agent import Agent, Buffer
from assay.measure.counted import SMALL_PAINT_BYTES, CountedAgent, deepest, with_room
from assay.model import SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM, PACKET_BYTES
from assay.model.footprint import Steps

STREAM_BYTES = (4096, 1024)
ROOM = 64
PAINT_BYTES = 6000


@dataclass(frozen=True, slots=True)
class Desk:
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
        self.session.keysetup(self.ctx, self.key, self.sizes)

    def ivsetup(self) -> None:
        """Load the IV, and finalise where there is a MAC, as the original measure does."""
        self.session.ivsetup(self.ctx, self.iv)
        self.session.finalize(self.ctx, self.mac)

    def blocks(self, blocks: int) -> None:
        """Encrypt whole blocks."""
        self.session.crypt_blocks(ENCRYPT, self.ctx, self.source, self.to, blocks)

    def packet(self, length: int) -> None:
        """Encrypt a packet."""
        mac = self.mac if self.session.subject.authenticates else None
        self.session.crypt_packet(
            ENCRYPT, self.ctx, self.iv, self.source, self.to, length, mac=mac
        )


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
    return tuple(_counted(counter, desk))


def _counted(counter: CountedAgent, desk: Desk) -> Iterator[Steps]:
    agent, subject = counter.agent, desk.session.subject
    desk.keysetup()
    desk.ivsetup()
    blocks = desk.length // subject.block_bytes
    work = blocks * subject.block_bytes
    three = (desk.ctx, desk.source, desk.to)
    yield counter.steps(
        LONG_STREAM, f"{blocks} blocks", lambda: desk.blocks(blocks),
        lambda: agent.nothing(three, (blocks,)), work,
    )  # fmt: skip
    for length in PACKET_BYTES:
        if length <= desk.length:
            yield counter.steps(
                f"packet/{length}", f"a packet of {length} bytes", partial(desk.packet, length),
                lambda: agent.nothing((desk.ctx,) * 6, (0, 0)), length,
            )  # fmt: skip
    yield counter.steps(
        "setup/key", "keysetup", desk.keysetup,
        lambda: agent.nothing((desk.ctx, desk.key), (0, 0, 0)), 1,
    )  # fmt: skip
    yield counter.steps("setup/iv", "ivsetup", desk.ivsetup, _idle_ivsetup(agent, desk), 1)


def _idle_ivsetup(agent: Agent, desk: Desk) -> Callable[[], None]:
    """Make as many calls as an IV setup has."""

    def idle() -> None:
        agent.nothing((desk.ctx, desk.iv))
        if desk.session.subject.authenticates:
            agent.nothing((desk.ctx, desk.mac))

    return idle


def stack(agent: Agent, subject: StreamSubject, sizes: SizeChoice, *, small: bool) -> int:
    """Return the stack in bytes that the deepest function takes."""
    desk = lay(agent, subject, sizes)
    calls = (
        desk.keysetup,
        lambda: desk.session.ivsetup(desk.ctx, desk.iv),
        lambda: desk.blocks(3),
        lambda: desk.packet(40),
    )
    return deepest(agent, SMALL_PAINT_BYTES if small else PAINT_BYTES, calls)
