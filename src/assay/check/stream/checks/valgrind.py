# SPDX-License-Identifier: MIT
"""Under valgrind: what is secret of a cipher, and what nobody has written.

Secret are the key, the plaintext and all that is computed from them. Public are the IV,
associated data, ciphertexts, MACs and all lengths.
"""

from collections.abc import Iterator

from assay.check import valgrind_checks
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import ROOM
from assay.check.valgrind_passes import in_two_passes
from assay.execute.agent import Agent, AgentError, Buffer
from assay.execute.valgrind import Complaint, mark

LENGTHS = (1, 37, 64, 200)
MOST_BLOCKS = 3


def use(trial: Trial, agent: Agent, secrets: bool) -> list[Complaint]:
    """Encrypt and decrypt; give the outputs that are not of what was written."""
    session = StreamSession(agent, trial.subject)
    found: list[Complaint] = []
    room = max(*LENGTHS, MOST_BLOCKS * trial.subject.block_bytes) + ROOM
    for sizes in trial.wide_sizes:
        agent.forget_buffers()
        ctx = session.context()
        key = agent.buffer("key", sizes.key_bits // 8)
        iv = agent.buffer("IV", max(sizes.iv_bits // 8, 1))
        source, to = agent.buffer("input", room), agent.buffer("output", room)
        mac = agent.buffer("MAC", max((sizes.mac_bits or 0) // 8, 1))
        agent.write(key, trial.bytes(key.size_bytes))
        agent.write(iv, trial.bytes(iv.size_bytes))
        hidden = mark(agent, key if secrets else ctx, secret=True)
        if not hidden.heard:
            raise AgentError("the agent was compiled without valgrind's headers")
        session.keysetup(ctx, key, sizes)
        for action, length, blocks in _calls():
            agent.write(source, trial.bytes(room))
            mark(agent, to, secret=True)
            if secrets and action == ENCRYPT:
                mark(agent, source, secret=True)
            session.ivsetup(ctx, iv)
            if blocks:
                length = blocks * trial.subject.block_bytes  # noqa: PLW2901
                session.crypt_blocks(action, ctx, source, to, blocks)
            else:
                session.crypt_bytes(action, ctx, source, to, length)
                session.finalize(ctx, mac)
            if not secrets:
                found += _undefined(agent, to, length)
            mark(agent, source, secret=False)
        mark(agent, ctx, secret=False)
    return found


def _calls() -> Iterator[tuple[int, int, int]]:
    """Yield actions, bytes, and blocks in their place."""
    for action in (ENCRYPT, DECRYPT):
        yield from ((action, length, 0) for length in LENGTHS)
        yield action, 0, MOST_BLOCKS


def _undefined(agent: Agent, to: Buffer, length: int) -> list[Complaint]:
    count = mark(agent, to, length, secret=False).undefined
    if count == 0:
        return []
    what = f"{count} of {length} bytes of the output depend on uninitialised memory"
    return [Complaint(what, False, True, ())]


CHECKS = valgrind_checks.checks(in_two_passes(use))
