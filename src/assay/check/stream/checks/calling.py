# SPDX-License-Identifier: MIT
"""Whether thousands of calls leave anything behind."""

from assay.check.check import Check, CheckFailed
from assay.check.stream.session import ENCRYPT
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import ROOM

CALLS = 4096
FEW_CALLS = 512
LENGTH = 40


def run(trial: Trial) -> None:
    """Encrypt a message, then others thousands of times, then the first one again."""
    sizes = trial.sizes[-1]
    calls = CALLS if trial.thorough and not trial.on_board else FEW_CALLS
    with trial.session() as session:
        agent = session.agent
        ctx = session.context()
        key, iv = agent.buffer("key", sizes.key_bits // 8), agent.buffer("IV", sizes.iv_bits // 8)
        source, to = agent.buffer("input", LENGTH + ROOM), agent.buffer("output", LENGTH + ROOM)
        for one in (key, iv, source):
            agent.write(one, trial.bytes(one.size_bytes))

        def once() -> bytes:
            session.keysetup(ctx, key, sizes)
            session.ivsetup(ctx, iv)
            session.crypt_bytes(ENCRYPT, ctx, source, to, LENGTH)
            return agent.read(to, LENGTH)

        first = once()
        for _ in range(calls // 2):
            session.ivsetup(ctx, iv)
            session.crypt_bytes(ENCRYPT, ctx, source, to, LENGTH)
        agent.flush()
        if once() != first:
            raise CheckFailed(f"after {calls} calls the same key and IV give another stream")


CHECKS = (
    Check(
        name="state/calls",
        asks="Does the cipher give the same result after thousands of calls?",
        why="Short tests miss a static counter that overflows or a table that fills up.",
        cure="Keep all state in the context.",
        run=run,
    ),
)
