# SPDX-License-Identifier: MIT
"""The functions of a hash, called through an agent.

Every method but `describe` queues a call; faults surface when something is read.
"""

from assay.check.session import LARGEST_BYTES, BaseSession, ImplausibleSizeError
from assay.execute.agent import Agent, AgentLost, Buffer, BufferPlace
from assay.execute.protocol import FrameError, Request
from assay.model import HashSubject
from assay.model.wire import HashFunction

Where = Buffer | BufferPlace


def describe(agent: Agent) -> HashSubject:
    """Ask the agent what it contains; AgentLost if the answer makes no sense."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    try:
        kind, api, name = (reader.text() for _ in range(3))
        if kind != "hash":
            raise FrameError(f"kind {kind!r}")
        context, alignment = (reader.number(4) for _ in range(2))
    except FrameError as error:
        raise AgentLost(f"the description makes no sense: {error}") from None
    if context > LARGEST_BYTES:
        raise ImplausibleSizeError("the size of the context", context, LARGEST_BYTES)
    if not context or not alignment:
        raise AgentLost(f"a context has {context} bytes, aligned to {alignment}")
    return HashSubject(api or "", name or "", context, alignment)


class HashSession(BaseSession):
    """A conversation about one hash function. Lengths are in bytes, sizes in bits."""

    functions = HashFunction

    def __init__(self, agent: Agent, subject: HashSubject) -> None:
        """Speak with `agent` about `subject`."""
        self.agent = agent
        self.subject = subject

    def context(self, label: str = "ctx", *, residue: int = 0) -> Buffer:
        """Make a buffer for a context, at `residue` from twice the alignment that it needs."""
        step = self.subject.context_alignment
        size = self.subject.context_bytes
        modulus = max(2 * step, 16)
        return self.agent.buffer(label, size, modulus=modulus, residue=residue * step)

    def init(self, ctx: Where, out_bits: int) -> None:
        """Begin a message."""
        self.agent.call(HashFunction.INIT, (ctx,), (out_bits,))

    def whole(self, data: Where, bits: int, to: Where, out_bits: int) -> None:
        """Hash a message of so many bits in one call, where the API has a function for that."""
        self.agent.call(HashFunction.WHOLE, (data, to), (out_bits, bits & 0xFFFFFFFF, bits >> 32))

    def refused(self) -> bool:
        """Return whether a call since this was last asked did not return success, now."""
        return self.agent.answer(HashFunction.REFUSED).number(4) != 0

    def update(self, ctx: Where, data: Where | None, length: int) -> None:
        """Take further bytes."""
        self.agent.call(HashFunction.UPDATE, (ctx, data), (length,))

    def close(self, ctx: Where, to: Where, bits: int = 0, count: int = 0) -> None:
        """Take the last `count` bits, from the top of `bits`, and write the digest."""
        self.agent.call(HashFunction.CLOSE, (ctx, to), (bits, count))
