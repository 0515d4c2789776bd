# SPDX-License-Identifier: MIT
"""A use of everything that a package has, for what is seen from outside meanwhile."""

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial

LENGTHS = (0, 1, 15, 64, 129, 257, 1027)


def use(
    trial: AnyTrial,
    session: BaseSession,
    lengths: tuple[int, ...] = LENGTHS,
    budget: Budget | None = None,
) -> None:
    """Use every function with a few lengths; whether results are right is not asked here.

    Where time is up, that is one length.
    """
    for batch in trial.uses(lengths):
        session.agent.forget_buffers()
        arena = Arena(session)
        for routine in batch if budget is None else budget.each(session, batch):
            arena.use(routine)
        session.settle()
