# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `stream`."""

from assay.check.kinds import Kind
from assay.check.stream import session
from assay.check.stream.checks import CHECKS
from assay.check.stream.exercise import exercise
from assay.check.stream.trial import Trial
from assay.execute.agent import Agent, AgentLost
from assay.model import StreamSubject


def describe(agent: Agent) -> StreamSubject:
    """Ask for a description; AgentLost if nothing could be asked of such a cipher."""
    subject = session.describe(agent)
    sizes = (
        subject.key_bits and subject.iv_bits and (subject.mac_bits or not subject.authenticates)
    )
    if not sizes or not subject.block_bytes or not subject.buffer_bytes:
        raise AgentLost(
            f"by its header a block has {subject.block_bytes} bytes, the buffer "
            f"{subject.buffer_bytes}, and there are {len(subject.key_bits)} key sizes"
        )
    return subject


KIND = Kind(describe, Trial, CHECKS, exercise)
