# SPDX-License-Identifier: MIT
"""Under valgrind: what is secret of an operation.

The same rules as SUPERCOP's TIMECOP: public are public keys, nonces of streams and boxes,
and ciphertexts; all else that goes in, and all randomness, is secret; `crypto_declassify`
makes bytes public.
"""

from collections.abc import Callable

from assay.check import valgrind_checks
from assay.check.bench import UnderValgrind
from assay.check.operation.checks.walking import fresh, groups
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession, marks_secrets
from assay.check.operation.tasks import TimedGroup
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import ReferenceWalk
from assay.check.valgrind_passes import watched
from assay.execute.agent import AgentError
from assay.execute.valgrind import Complaint

LENGTHS = (0, 1, 37, 64, 200)


def _exercised(
    trial: OperationTrial, checked: UnderValgrind, divisions: bool, found: list[Complaint]
) -> None:
    with watched(checked, divisions, found) as agent:
        if not marks_secrets(agent):
            raise AgentError("the agent was compiled without valgrind's headers")
        session = OperationSession(agent, trial.subject)
        for one in groups(trial, LENGTHS):
            agent.forget_buffers()
            walk = ReferenceWalk(session, one)
            inputs, told = fresh(trial, one), 0
            for task in (each for each in one.tasks if not each.forged):
                read = {name: inputs[name] for name in walk.reads(task)}
                hide = _hiding(trial, walk, one, read) if trial.package.goals else None
                _, wrote, told = walk.call(task, read, told, before=hide)
                inputs |= wrote


def _hiding(
    trial: OperationTrial, walk: ReferenceWalk, one: TimedGroup, read: dict[str, bytes]
) -> Callable[[Script], None]:
    public = trial.operation.public

    def before(script: Script) -> None:
        for name in read:
            if name not in public:
                script.secret(walk.places[name], one.variables[name])

    return before


CHECKS = valgrind_checks.checks(_exercised)
