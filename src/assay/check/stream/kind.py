# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `stream`."""

from assay.check.arena import Arena
from assay.check.kinds import Kind
from assay.check.session import StreamSession, describe_stream
from assay.check.stream.checks import CHECKS
from assay.check.stream.routines import accepted_sizes, fresh_message
from assay.check.stream.trial import Trial
from assay.check.stream.vector_files import VECTORS
from assay.execute.agent import Agent, AgentLost
from assay.model import StreamSubject

EXERCISED_BYTES = 100
EXERCISED = ("encrypt_bytes", "encrypt_packet", "decrypt_bytes", "decrypt_packet")


def describe(agent: Agent) -> StreamSubject:
    """Ask for a description; AgentLost if nothing could be asked of such a cipher."""
    subject = describe_stream(agent)
    sizes = (
        subject.key_bits and subject.iv_bits and (subject.mac_bits or not subject.authenticates)
    )
    if not sizes or not subject.block_bytes or not subject.buffer_bytes:
        raise AgentLost(
            f"by its header a block has {subject.block_bytes} bytes, the buffer "
            f"{subject.buffer_bytes}, and there are {len(subject.key_bits)} key sizes"
        )
    return subject


def exercise(agent: Agent, subject: StreamSubject) -> None:
    """Encrypt and decrypt a message and a packet of zeros, in aligned buffers."""
    arena = Arena(StreamSession(agent, subject))
    message = fresh_message(bytes, subject, accepted_sizes(subject)[-1], EXERCISED_BYTES)
    for name in EXERCISED:
        arena.use(message.by(name))
    agent.flush()


KIND = Kind(describe, Trial, CHECKS, exercise, VECTORS)
