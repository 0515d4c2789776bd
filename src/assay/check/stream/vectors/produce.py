# SPDX-License-Identifier: MIT
"""Computing vectors through an agent, and writing the file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.sizes import accepted_sizes
from assay.check.stream.vectors.inputs import (
    LARGEST_FILL_BITS,
    LONG_STREAM_BYTES,
    VectorInput,
    vector_inputs,
)
from assay.check.stream.vectors.text import (
    BANNER,
    END,
    primitive_block,
    set_heading,
    vector_block,
)
from assay.execute.agent import Agent, Buffer, PendingAnswer
from assay.model import SizeChoice, StreamSubject

LONGEST_AAD_BYTES = 64
ROOM = 64


@dataclass(frozen=True, slots=True)
class VectorBuffers:
    """The buffers of one size combination, with their everyday alignment."""

    ctx: Buffer
    key: Buffer
    iv: Buffer
    aad: Buffer
    source: Buffer
    to: Buffer
    mac: Buffer

    @classmethod
    def lay(
        cls, session: StreamSession, sizes: SizeChoice, longest: int = LONG_STREAM_BYTES
    ) -> "VectorBuffers":
        """Make the buffers for messages of up to `longest` bytes; names are what reports show.

        They are roomy: what looks or writes beyond a size is the business of the
        checks that are about it, and vectors come out as they did originally.
        """
        make = session.agent.buffer
        return cls(
            session.context(),
            make("key", LARGEST_FILL_BITS // 8 + ROOM),
            make("IV", LARGEST_FILL_BITS // 8 + ROOM),
            make("AAD", LONGEST_AAD_BYTES + ROOM),
            make("input", longest + ROOM),
            make("output", longest + ROOM),
            make("MAC", mac_bytes(sizes) + ROOM),
        )


@dataclass(frozen=True, slots=True)
class Computed:
    """A vector's output; `mac` is None for APIs without one."""

    vector: VectorInput
    ciphertext: PendingAnswer
    mac: PendingAnswer | None


def compute(
    session: StreamSession, desk: VectorBuffers, sizes: SizeChoice, vector: VectorInput
) -> Computed:
    """Queue one vector: fresh keysetup, then encrypt_packet."""
    agent = session.agent
    agent.write(desk.key, vector.key + vector.key_behind)
    agent.write(desk.iv, vector.iv + vector.iv_behind)
    _put(agent, desk.source, vector.plaintext)
    agent.write(desk.aad, vector.aad)
    session.keysetup(desk.ctx, desk.key, sizes)
    aad = (desk.aad, len(vector.aad)) if vector.aad else (None, 0)
    length = len(vector.plaintext)
    session.crypt_packet(
        ENCRYPT, desk.ctx, desk.iv, desk.source, desk.to, length, aad=aad, mac=desk.mac
    )
    mac = agent.fetch(desk.mac, mac_bytes(sizes)) if session.subject.authenticates else None
    return Computed(vector, agent.fetch(desk.to, length), mac)


def _put(agent: Agent, buffer: Buffer, data: bytes) -> None:
    """Write data; what is one byte again and again need not go over the wire."""
    if data and data.count(data[0]) == len(data):
        agent.fill(buffer, data[0], len(data))
    else:
        agent.write(buffer, data)


def mac_bytes(sizes: SizeChoice) -> int:
    """Return the length of a MAC."""
    return ((sizes.mac_bits or 0) + 7) // 8


def combination_text(session: StreamSession, sizes: SizeChoice, *, long: bool) -> Iterator[str]:
    """Write one combination's part of the file, set by set."""
    desk = VectorBuffers.lay(session, sizes)
    yield "\n" + primitive_block(session.subject, sizes)
    last_set = 0
    for vector in vector_inputs(session.subject, sizes, long=long):
        for number in range(last_set + 1, vector.set_number + 1):
            yield set_heading(number)  # of an empty set, too: set 5 where there is no IV
        last_set = vector.set_number
        done = compute(session, desk, sizes, vector)
        yield vector_block(vector, done.ciphertext.data, done.mac.data if done.mac else None)
    yield END


def file_text(
    connect: Callable[[], Agent],
    subject: StreamSubject,
    *,
    long: bool = False,
    advance: Callable[[SizeChoice], None] = lambda _: None,
) -> Iterator[str]:
    """Write the whole vector file, a fresh agent for every combination of sizes."""
    yield BANNER
    for sizes in accepted_sizes(subject):
        advance(sizes)
        with connect() as agent:
            yield from combination_text(StreamSession(agent, subject), sizes, long=long)
