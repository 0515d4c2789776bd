# SPDX-License-Identifier: MIT
"""The functions of a stream cipher, called through an agent.

Every method but `describe` queues a call; faults surface when something is read.
Flags mirror subject/stream.h.
"""

from assay.check.session import LARGEST_BYTES, BaseSession, ImplausibleSizeError
from assay.execute.agent import Agent, AgentLost, Buffer, BufferPlace
from assay.execute.protocol import FrameError, PayloadReader, Request
from assay.model import SizeChoice, StreamSubject
from assay.model.wire import StreamFunction

Where = Buffer | BufferPlace

ENCRYPT, DECRYPT = 0, 1
MOST_SIZES = 1024  # as in harness/agent/stream.c


FLAGS = (
    "generates-keystream",
    "supports-aad",
    "incremental-aad",
    "default-block-macros",
    "default-all-in-one",
    "single-byte-function",
    "single-packet-function",
    "assay-rules",
)


def describe(agent: Agent) -> StreamSubject:
    """Ask the agent what it contains; AgentLost if the answer makes no sense."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    try:
        return _description(reader)
    except FrameError as error:
        raise AgentLost(f"the description makes no sense: {error}") from None


def _description(reader: PayloadReader) -> StreamSubject:
    kind, api, name, profile = (reader.text() for _ in range(4))
    if kind != "stream":
        raise FrameError(f"kind {kind!r}")
    context, block, buffer, flags, functions = (reader.number(4) for _ in range(5))
    for what, size in (("context", context), ("block", block), ("buffer", buffer)):
        if size > LARGEST_BYTES:
            raise ImplausibleSizeError(f"the size of the {what}", size, LARGEST_BYTES)
    used = reader.number(4)
    maxima, sizes = zip(*(_sizes(reader) for _ in range(3)), strict=True)
    return StreamSubject(
        api=api or "",
        name=name or "",
        profile=profile,
        key_bits=sizes[0],
        iv_bits=sizes[1],
        mac_bits=sizes[2],
        max_key_bits=maxima[0],
        max_iv_bits=maxima[1],
        max_mac_bits=maxima[2],
        context_bytes=context,
        block_bytes=block,
        buffer_bytes=buffer,
        flags=frozenset(name for bit, name in enumerate(FLAGS) if flags >> bit & 1),
        functions=frozenset(one.name.lower() for one in StreamFunction if functions >> one & 1),
        used_bits=used,
    )


def _sizes(reader: PayloadReader) -> tuple[int, tuple[int, ...]]:
    maximum, count = reader.number(4), reader.number(4)
    if count > MOST_SIZES:
        raise FrameError(f"{count} sizes of one sort")
    return maximum, tuple(reader.number(4) for _ in range(count))


class StreamSession(BaseSession):
    """A conversation about one stream cipher. Lengths are in bytes, sizes in bits."""

    functions = StreamFunction

    def __init__(self, agent: Agent, subject: StreamSubject) -> None:
        """Call ECRYPT_init, once per process as the API says."""
        self.agent = agent
        self.subject = subject
        agent.call(StreamFunction.INIT)

    def context(self, label: str = "ctx") -> Buffer:
        """Make a buffer for a context."""
        return self.agent.buffer(label, self.subject.context_bytes)

    def keysetup(self, ctx: Where, key: Where, sizes: SizeChoice) -> None:
        """Load a key."""
        numbers = (sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
        self.agent.call(StreamFunction.KEYSETUP, (ctx, key), numbers)

    def ivsetup(self, ctx: Where, iv: Where) -> None:
        """Load an IV, any number of times per key."""
        self.agent.call(StreamFunction.IVSETUP, (ctx, iv))

    def crypt_bytes(self, action: int, ctx: Where, source: Where, to: Where, length: int) -> None:
        """Encrypt or decrypt `length` bytes; the last call before the next ivsetup."""
        self.agent.call(
            StreamFunction(StreamFunction.ENCRYPT_BYTES + action), (ctx, source, to), (length,)
        )

    def crypt_blocks(self, action: int, ctx: Where, source: Where, to: Where, blocks: int) -> None:
        """Encrypt or decrypt whole blocks; any number of calls."""
        self.agent.call(
            StreamFunction(StreamFunction.ENCRYPT_BLOCKS + action), (ctx, source, to), (blocks,)
        )

    def crypt_packet(
        self,
        action: int,
        ctx: Where,
        iv: Where,
        source: Where,
        to: Where,
        length: int,
        *,
        aad: tuple[Where | None, int] = (None, 0),
        mac: Where | None = None,
    ) -> None:
        """Do ivsetup, AAD, data and MAC in one call."""
        function = StreamFunction(StreamFunction.ENCRYPT_PACKET + action)
        self.agent.call(function, (ctx, iv, aad[0], source, to, mac), (aad[1], length))

    def keystream_bytes(self, ctx: Where, to: Where, length: int) -> None:
        """Write keystream."""
        self.agent.call(StreamFunction.KEYSTREAM_BYTES, (ctx, to), (length,))

    def keystream_blocks(self, ctx: Where, to: Where, blocks: int) -> None:
        """Write whole blocks of keystream."""
        self.agent.call(StreamFunction.KEYSTREAM_BLOCKS, (ctx, to), (blocks,))

    def authenticate_bytes(self, ctx: Where, aad: Where, length: int) -> None:
        """Authenticate associated data; once, or repeatedly where the cipher says so."""
        self.agent.call(StreamFunction.AUTHENTICATE_BYTES, (ctx, aad), (length,))

    def authenticate_blocks(self, ctx: Where, aad: Where, blocks: int) -> None:
        """Authenticate whole blocks of associated data."""
        self.agent.call(StreamFunction.AUTHENTICATE_BLOCKS, (ctx, aad), (blocks,))

    def finalize(self, ctx: Where, mac: Where) -> None:
        """Write the MAC; nothing for ciphers without one."""
        if self.subject.authenticates:
            self.agent.call(StreamFunction.FINALIZE, (ctx, mac))
