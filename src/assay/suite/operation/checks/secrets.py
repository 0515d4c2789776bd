# SPDX-License-Identifier: MIT
"""Under valgrind: whether time depends on secrets, and whether memory is read uninitialised.

The same rules as SUPERCOP's TIMECOP: public are public keys, nonces of streams and boxes,
and ciphertexts; all else that goes in, and all randomness, is secret; `crypto_declassify`
makes bytes public.
"""

from collections.abc import Callable

from assay.execute.agent import AgentError, AgentFault
from assay.execute.memcheck import Complaint
from assay.suite.bench import Memchecked
from assay.suite.check import Check, CheckFailed, CheckSkipped
from assay.suite.operation.checks.walking import fresh, groups
from assay.suite.operation.script import Script
from assay.suite.operation.session import OperationSession, marks_secrets
from assay.suite.operation.tasks import Group
from assay.suite.operation.trial import OperationTrial
from assay.suite.operation.walk import Walk

KEY = "memcheck"
LENGTHS = (0, 1, 37, 64, 200)
GOALS = {"constbranch", "constindex"}
SHOWN = 4
PUBLIC = {
    "crypto_stream": "nc",
    "crypto_secretbox": "nc",
    "crypto_aead": "c",
    "crypto_box": "yzncd",
    "crypto_dh": "cd",
    "crypto_sign": "pc",
    "crypto_encrypt": "pc",
    "crypto_kem": "pc",
}


def run_secrets(trial: OperationTrial) -> None:
    """Fail where a branch or an address depends on what is secret."""
    declared = GOALS & set(trial.details.goals)
    if not declared:
        raise CheckSkipped("no goal is declared: constbranch, constindex")
    found = [one for one in complaints(trial) if one.secret]
    if found:
        raise CheckFailed(
            f"{found[0].what.lower()}, and it is secret, in {found[0].where[0]}; "
            f"declared is {' and '.join(sorted(declared))}",
            _evidence(found),
        )


def run_initialised(trial: OperationTrial) -> None:
    """Fail where code depends on memory that nobody wrote, or leaves a block of the heap."""
    found = [one for one in complaints(trial) if not one.secret]
    if found:
        where = found[0].where[0] if found[0].where else "the package"
        raise CheckFailed(f"{found[0].what.lower()} in {where}", _evidence(found))


def _evidence(found: list[Complaint]) -> str:
    lines = [f"{one.what}\n    " + "\n    ".join(one.where) for one in found[:SHOWN]]
    more = len(found) - SHOWN
    return "\n".join([*lines, *([f"and {more} more places"] if more > 0 else [])])


def complaints(trial: OperationTrial) -> tuple[Complaint, ...]:
    """Give what valgrind says of a few calls; it is run once per trial."""
    if not trial.deep:
        raise CheckSkipped("it takes a while: `--deep` asks it")
    if KEY not in trial.notes:
        trial.notes[KEY] = _examined(trial)
    found = trial.notes[KEY]
    if isinstance(found, CheckSkipped):
        raise found
    return tuple(found)


def _examined(trial: OperationTrial) -> tuple[Complaint, ...] | CheckSkipped:
    checked = trial.bench.memchecked if trial.bench else None
    if checked is None:
        return CheckSkipped("there is no valgrind for this target")
    try:
        return _exercised(trial, checked)
    except AgentFault as fault:
        if fault.signal == "SIGILL":
            return CheckSkipped("it uses instructions that valgrind does not know")
        return CheckSkipped(f"under valgrind: {fault}")
    except AgentError as error:
        return CheckSkipped(f"under valgrind: {error}")


def _exercised(trial: OperationTrial, checked: Memchecked) -> tuple[Complaint, ...]:
    with checked() as (agent, report):
        if not marks_secrets(agent):
            raise AgentError("the agent was compiled without valgrind's headers")
        session = OperationSession(agent, trial.subject)
        declared = GOALS & set(trial.details.goals)
        for one in groups(trial, LENGTHS):
            agent.forget_buffers()
            walk = Walk(session, one)
            inputs, told = fresh(trial, one), 0
            for task in (each for each in one.tasks if not each.forged):
                read = {name: inputs[name] for name in walk.reads(task)}
                hide = _hiding(trial, walk, one, read) if declared else None
                _, wrote, told = walk.call(task, read, told, before=hide)
                inputs |= wrote
        return report.read()


def _hiding(
    trial: OperationTrial, walk: Walk, one: Group, read: dict[str, bytes]
) -> Callable[[Script], None]:
    public = PUBLIC.get(trial.subject.operation, "")

    def before(script: Script) -> None:
        for name in read:
            if name not in public:
                script.secret(walk.places[name], one.variables[name])

    return before


SECRETS_CHECK = Check(
    "secrets/timing",
    "Do branches and addresses depend on public data only, as the goal files declare?",
    "Time then tells secrets: a cache or a branch predictor shows which way was taken.",
    "Replace the branch by masks and the table by computation; declassify what is public "
    "with crypto_declassify; or remove the goal files.",
    run_secrets,
)
INITIALISED_CHECK = Check(
    "memory/initialised",
    "Does nothing depend on memory that nobody has written?",
    "It works until a compiler or a caller leaves something else there.",
    "Initialise what the account names.",
    run_initialised,
)
