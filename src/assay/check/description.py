# SPDX-License-Identifier: MIT
"""What agents say they contain: the answer to DESCRIBE, for every kind.

Flags mirror subject/stream.h.
"""

from assay.check.session import LARGEST_BYTES, ImplausibleSizeError
from assay.execute.agent import Agent, AgentLost
from assay.execute.protocol import FrameError, PayloadReader, Request
from assay.model import HashSubject, StreamSubject
from assay.model.wire import StreamFunction

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


def describe_stream(agent: Agent) -> StreamSubject:
    """Ask the agent what it contains; AgentLost if the answer makes no sense."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    try:
        return _stream(reader)
    except FrameError as error:
        raise AgentLost(f"the description makes no sense: {error}") from None


def _stream(reader: PayloadReader) -> StreamSubject:
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


def describe_hash(agent: Agent) -> HashSubject:
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
