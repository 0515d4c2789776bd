# SPDX-License-Identifier: MIT
"""Both runs of the checksum tests of a package on trial, made once and kept with the trial."""

from dataclasses import dataclass, field, replace

from assay.check.check import CheckSkipped
from assay.check.operation.checksum import equality
from assay.check.operation.checksum.program import program
from assay.check.operation.checksum.run import ChecksumResult, ProgramRunner, Stop
from assay.check.operation.checksum.salsa20 import STATE_BYTES
from assay.check.operation.checksum.settings import ProgramSettings, settings_of
from assay.check.operation.checksum.tasks import (
    CONSISTENT,
    DETERMINISTIC,
    EARLIER,
    FORGERIES,
    INPUTS,
    LENGTHS,
    MARGINS,
    OVERLAP,
    RETURNS,
    TASKS,
)
from assay.check.operation.trial import OperationTrial
from assay.execute.agent import AgentError

NOTE = "checksum"
VERIFY = "crypto_verify"
OF_NOTHING = bytes(STATE_BYTES // 2).hex()


@dataclass(slots=True)
class Outcomes:
    """What the small and the big run found; the big one is missing if the small one stopped.

    In a short trial the big run makes every call once: the checksum is compared all the
    same, and what takes a second call is asked of the short lengths only. Forgeries are
    left out of it, too, if the check of them is not run.

    Emulators take minutes for the big one, which is therefore asked in deep trials only.
    `asked` are the questions that the operation's tests ask; `skipped` says why nothing
    could be run.
    """

    runs: list[ChecksumResult] = field(default_factory=list)
    asked: frozenset[str] = frozenset()
    skipped: str = ""


def outcomes(trial: OperationTrial) -> Outcomes:
    """Run the tests, or give what they found before; CheckSkipped if they cannot be run."""
    found = trial.notes.get(NOTE)
    if found is None:
        found = trial.notes[NOTE] = Outcomes()
        try:
            _run(trial, found)
        except CheckSkipped as skipped:
            found.skipped = str(skipped)
    if found.skipped:
        raise CheckSkipped(found.skipped)
    return found


def _run(trial: OperationTrial, found: Outcomes) -> None:
    for big in (False, True):
        if big and emulated(trial) and not trial.deep:
            return
        if trial.subject.operation == VERIFY:
            found.asked = frozenset({RETURNS, INPUTS})
            found.runs.append(_equality(trial, big=big))
        else:
            settings = _settings(trial, big=big)
            found.asked = questions(settings)
            found.runs.append(ProgramRunner(trial.fresh_session, program(settings)).run())
        if found.runs[-1].stop:
            return


def earlier_checksum(trial: OperationTrial, *, big: bool) -> str | None:
    """Return the checksum of the tests as they were before SUPERCOP changed them.

    None where it did not change them, and where they do not run to the end.
    """
    if trial.subject.operation not in EARLIER:
        return None
    settings = replace(_settings(trial, big=big), earlier=True)
    return ProgramRunner(trial.fresh_session, program(settings)).run().checksum


def emulated(trial: OperationTrial) -> bool:
    """Return whether the code runs in an emulator."""
    return trial.bench is not None and bool(trial.bench.target.emulator)


def _settings(trial: OperationTrial, *, big: bool) -> ProgramSettings:
    swapped = False
    if TASKS[trial.subject.operation].items:
        with trial.session() as session:
            swapped = not session.agent.little_endian
    brief = big and not trial.thorough
    return settings_of(
        trial.subject,
        trial.details,
        big=big,
        swapped=swapped,
        brief=brief,
        bare=brief and not FORGERIES.startswith(trial.only),
    )


def _equality(trial: OperationTrial, *, big: bool) -> ChecksumResult:
    """Run the tests of crypto_verify, whose checksum is that of nothing."""
    loops, size = equality.LOOPS[big], trial.subject.constant("BYTES")
    found = ChecksumResult(loops, loops * equality.COMPARISONS)
    try:
        with trial.fresh_session() as session:
            found.findings = equality.compare(session, size, loops)
        found.checksum = OF_NOTHING
    except AgentError as error:
        found.stop = Stop(RETURNS, str(error))
    return found


def questions(settings: ProgramSettings) -> frozenset[str]:
    """Return the questions that the tests with these settings ask."""
    asked: set[str] = {RETURNS}
    for call in settings.task.calls:
        roles = settings.task.roles(call)
        asked.update(question for _, _, question in call.equal)
        answers = {
            INPUTS: bool(roles["in"]),
            MARGINS: bool(roles["out"] or roles["both"]),
            LENGTHS: bool(roles["length"]),
            DETERMINISTIC: settings.deterministic(call),
            OVERLAP: settings.overlap(call) and bool(roles["out"]),
            FORGERIES: bool(call.forged) and settings.operation != "crypto_kem",
            CONSISTENT: bool(call.cleared or call.xor or call.again),
        }
        asked.update(question for question, yes in answers.items() if yes)
    return frozenset(asked)
