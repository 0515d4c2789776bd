# SPDX-License-Identifier: MIT
"""Under valgrind: messages are secret, and contexts hold garbage before `init`."""

from assay.check import valgrind_checks
from assay.check.hash.session import HashSession
from assay.check.hash.trial import HashTrial
from assay.check.valgrind_passes import in_two_passes
from assay.execute.agent import Agent, AgentError
from assay.execute.valgrind import Complaint, mark

LENGTHS = (1, 55, 64, 127, 300)


def use(trial: HashTrial, agent: Agent, secrets: bool) -> list[Complaint]:
    """Hash a few messages in two pieces; give the digests that are not of what was written."""
    session, size = HashSession(agent, trial.subject), trial.sizes[-1]
    ctx = session.context()
    data, to = agent.buffer("data", LENGTHS[-1]), agent.buffer("digest", size // 8)
    found = []
    for length in LENGTHS:
        agent.write(data, trial.bytes(LENGTHS[-1]))
        for unwritten in (ctx, to):
            heard = mark(agent, unwritten, secret=not secrets).heard
        if not heard:
            raise AgentError("the agent was compiled without valgrind's headers")
        mark(agent, data, secret=secrets)
        session.init(ctx, size)
        session.update(ctx, data, length // 2)
        session.update(ctx, data, length - length // 2)
        session.close(ctx, to)
        count = mark(agent, to, secret=False).undefined
        if count and not secrets:
            what = f"{count} bytes of the digest depend on uninitialised memory"
            found.append(Complaint(what, False, True, ()))
        mark(agent, data, secret=False)
    return found


CHECKS = valgrind_checks.checks(in_two_passes(use))
