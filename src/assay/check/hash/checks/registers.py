# SPDX-License-Identifier: MIT
"""What a hash's functions do to registers and flags that are their caller's."""

from assay.check import leaks, registers
from assay.check.hash.session import HashFunction, HashSession
from assay.check.hash.trial import HashTrial

LENGTHS = (0, 1, 55, 64, 127, 1027)


def use(trial: HashTrial, session: HashSession) -> None:
    """Hash messages of a few lengths, in two pieces each."""
    agent, size = session.agent, trial.sizes[-1]
    ctx = session.context()
    data, to = agent.buffer("data", LENGTHS[-1]), agent.buffer("digest", size // 8)
    agent.write(data, trial.bytes(LENGTHS[-1]))
    for length in LENGTHS:
        session.init(ctx, size)
        session.update(ctx, data, length // 2)
        session.update(ctx, data, length - length // 2)
        session.close(ctx, to)
    agent.flush()


def name(_: HashTrial, number: int) -> str:
    """Name a function."""
    return HashFunction(number).name.lower()


CHECKS = (*registers.checks(use, name), leaks.check(use))
