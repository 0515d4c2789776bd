# SPDX-License-Identifier: MIT
"""One message at odd addresses, as the API allows: what is looked at for misaligned accesses."""

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent
from assay.model import HashSubject

LENGTH = 261
OUT_BITS = 256


def exercise(agent: Agent, subject: HashSubject, out_bits: int = OUT_BITS) -> None:
    """Hash a message whose address, length and digest are odd; the context is as the type asks."""
    session = HashSession(agent, subject)
    ctx = session.context(residue=1)
    data = agent.buffer("data", LENGTH, modulus=16, residue=1)
    to = agent.buffer("digest", out_bits // 8, modulus=16, residue=3)
    session.init(ctx, out_bits)
    session.update(ctx, data, LENGTH)
    session.close(ctx, to)
    agent.flush()
