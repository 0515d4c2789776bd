# SPDX-License-Identifier: MIT
"""What a cipher's functions do to registers and flags that are their caller's."""

from assay.check import leaks, registers
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamFunction, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import ROOM

LENGTHS = (0, 1, 15, 100, 257)
MOST_BLOCKS = 9


def use(trial: Trial, session: StreamSession) -> None:
    """Call every function, with a few lengths and counts of blocks."""
    agent, subject = session.agent, session.subject
    room = max(*LENGTHS, MOST_BLOCKS * subject.block_bytes) + ROOM
    for sizes in trial.few_sizes:
        agent.forget_buffers()
        ctx = session.context()
        key = agent.buffer("key", sizes.key_bits // 8)
        iv = agent.buffer("IV", max(sizes.iv_bits // 8, 1))
        source, to = agent.buffer("input", room), agent.buffer("output", room)
        mac = agent.buffer("MAC", max((sizes.mac_bits or 0) // 8, 1))
        agent.write(key, trial.bytes(sizes.key_bits // 8))
        session.keysetup(ctx, key, sizes)
        for action in (ENCRYPT, DECRYPT):
            for length in LENGTHS:
                session.ivsetup(ctx, iv)
                session.crypt_bytes(action, ctx, source, to, length)
                session.finalize(ctx, mac)
                session.crypt_packet(action, ctx, iv, source, to, length,
                                     mac=mac if subject.authenticates else None)  # fmt: skip
            for blocks in (1, 2, MOST_BLOCKS):
                session.ivsetup(ctx, iv)
                session.crypt_blocks(action, ctx, source, to, blocks)
        if "keystream_bytes" in subject.functions and "keystream_blocks" in subject.functions:
            session.ivsetup(ctx, iv)
            session.keystream_blocks(ctx, to, 2)
            session.keystream_bytes(ctx, to, LENGTHS[-1])
        agent.flush()


def name(_: Trial, number: int) -> str:
    """Name a function."""
    return StreamFunction(number).name.lower()


CHECKS = (*registers.checks(use, name), leaks.check(use))
