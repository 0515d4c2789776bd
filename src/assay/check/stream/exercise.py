# SPDX-License-Identifier: MIT
"""Some of everything, in aligned buffers: what is looked at for misaligned accesses."""

from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.sizes import accepted_sizes
from assay.execute.agent import Agent
from assay.model import StreamSubject

LENGTH = 100


def exercise(agent: Agent, subject: StreamSubject) -> None:
    """Load a key and an IV, encrypt and decrypt a message and a packet."""
    sizes = accepted_sizes(subject)[-1]
    session = StreamSession(agent, subject)
    ctx = session.context()
    key = agent.buffer("key", max(sizes.key_bits // 8, 16) + 64)
    iv = agent.buffer("iv", max(sizes.iv_bits // 8, 16) + 64)
    source = agent.buffer("input", LENGTH + 64)
    to = agent.buffer("output", LENGTH + 64)
    mac = agent.buffer("mac", (sizes.mac_bits or 0) // 8 + 64)
    session.keysetup(ctx, key, sizes)
    for action in (ENCRYPT, DECRYPT):
        session.ivsetup(ctx, iv)
        session.crypt_bytes(action, ctx, source, to, LENGTH)
        session.finalize(ctx, mac)
        authenticates = subject.authenticates
        session.crypt_packet(
            action, ctx, iv, source, to, LENGTH, mac=mac if authenticates else None
        )
    agent.flush()
