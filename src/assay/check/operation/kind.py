# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `operation`, and its checks in the order of telling.

Under valgrind the same is secret as with SUPERCOP's TIMECOP: public are public keys, nonces of
streams and boxes, and ciphertexts; all else that goes in, and all randomness, is secret;
`crypto_declassify` makes bytes public.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from assay.check import families
from assay.check.answers.read import read_answers
from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.verdicts import versions
from assay.check.answers.verify import verify
from assay.check.arena import Arena
from assay.check.bench import UnderValgrind
from assay.check.buffers import guard, inputs, places
from assay.check.calls import at_once, rare_failures, related
from assay.check.check import Check, run_checks, sharing
from assay.check.entropy import drawn, randomness
from assay.check.keystream import everywhere, repeats
from assay.check.kinds import Connect, FileVerdict, Kind, UnfitForVectors, Vectors
from assay.check.lengths import beyond, beyond_4_gib, dependence, splits
from assay.check.lengths.far import also_far, marked
from assay.check.memory import sanitized, valgrind
from assay.check.memory.passes import (
    counts_secrets,
    fence_all,
    made_public,
    other_lengths,
    watched,
)
from assay.check.object import linked
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession, describe, marks_secrets
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.check.schemes import kem, library, rejected
from assay.check.schemes.checks import CHECKS as SCHEMES
from assay.check.schemes.sums import CHECKS as SUMS
from assay.check.seal import bits, ends, lengths, plaintext
from assay.check.state import earlier
from assay.check.supercop import long
from assay.check.supercop.checks import CHECKS as CHECKSUM_TESTS
from assay.check.supercop.long import unless_sparse
from assay.check.supercop.outcomes import outcomes
from assay.compile.visible import Visible
from assay.errors import AssayError
from assay.execute.agent import Agent, AgentError
from assay.execute.places import Register
from assay.execute.valgrind import Complaint
from assay.model import OperationSubject, Package, Verdict, overall
from assay.model.api import Way
from assay.model.operation import ABSENT, OF_OPTIONAL
from assay.model.operations import OPERATIONS

MESSAGE_BYTES = 64
ROOM_BYTES = 1 << 16  # more than any output for such a message, but for a few large keys
LARGEST_CONSTANT = 1 << 24

RULES = tuple(one for one in CHECKSUM_TESTS if not one.name.startswith("checksum/"))
NAMES = ("checksumsmall", "checksumbig")
SANITIZED_LENGTHS = (0, 1, 15, 16, 64, 77, 200, 1025, 4097)
MANY_LENGTHS, SANITIZED_SECONDS = range(700), 5.0
SECRET_LENGTHS = (0, 1, 37, 64, 200, 1100)
REFUSED = (37,)  # of what is changed on its way


def use(trial: OperationTrial, connect: Callable[[], Agent]) -> None:
    """Call everything; an agent that a report has ended is launched again.

    Then one is asked of many lengths, and of what is refused.
    """
    for (batch,) in [tuple(trial.uses((length,))) for length in SANITIZED_LENGTHS]:
        with connect() as agent, suppress(AgentError):  # an error that is reported ends it
            Arena(trial.converse(agent)).outcome(batch[0])
    with connect() as agent, suppress(AgentError):
        session, budget = trial.converse(agent), trial.budget(SANITIZED_SECONDS)
        refused = trial.refused(session, REFUSED)
        for routine in (*refused, *trial.too_short(refused)):
            Arena.alone(session).outcome(routine)
        for length in budget.each(session, trial.some(MANY_LENGTHS)):
            Arena.alone(session).outcome(trial.last_use((length,))[0])


def use_marked(
    trial: OperationTrial, checked: UnderValgrind, visible: Visible, found: list[Complaint]
) -> None:
    """Call everything in turn: what a call has written is public or secret by its role then."""
    with watched(checked, visible, found) as (agent, report):
        if not marks_secrets(agent):
            raise AgentError("the agent was compiled without valgrind's headers")
        session = OperationSession(agent, trial.subject)
        told = found if visible is Visible.PLAIN and counts_secrets(agent) else None
        _use_all(trial, session, (*SECRET_LENGTHS, *marked(trial)), REFUSED, told)
        if visible is Visible.PLAIN:
            for length in other_lengths(trial, report):
                _use_all(trial, session, (length,), (length,), told)


def _use_all(
    trial: OperationTrial,
    session: OperationSession,
    lengths: tuple[int, ...],
    refused: tuple[int, ...],
    told: list[Complaint] | None,
) -> None:
    """Call everything with messages of these lengths, and what is to be refused."""
    for _ in trial.computations(session, lengths, partial(_marked, session, told)):
        pass
    for routine in trial.refused(session, refused):
        _marked(session, told, Arena.alone(session), routine)


def _marked(
    session: OperationSession, told: list[Complaint] | None, arena: Arena, routine: Routine
) -> RoutineOutcome:
    """Perform a call with its secret inputs marked; tell of keys that it declares public."""
    arena.ready(routine)
    script = Script()
    for name, variable in routine.variables.items():
        if variable.secret and variable.value is not None:
            script.secret(arena.buffer(name), variable.size)
    session.run(script)
    fence_all(arena, routine)
    results = arena.go(routine.steps)
    outcome = arena.taken(routine, results).value
    if told is not None:
        told += (one for one in made_public(arena, routine) if one not in told)
    arena.forget()
    return outcome


def exercise(agent: Agent, subject: OperationSubject) -> None:
    """Call every function once, on zeros."""
    session = OperationSession(agent, subject)
    operation = OPERATIONS[subject.operation]
    constants = [value for _, value in subject.constants if value < LARGEST_CONSTANT]
    room = ROOM_BYTES + sum(constants)
    for function in operation.functions:
        script = Script()
        arguments = [
            _argument(session, number, one.way, room)
            for number, one in enumerate(function.parameters)
        ]
        script.call(session.number(function.suffix), arguments)
        session.run(script)


def _argument(session: OperationSession, number: int, way: Way, room: int) -> Argument:
    if way is Way.LENGTH:
        return MESSAGE_BYTES
    if way is Way.LENGTH_OUT:
        return Register(0)
    return session.agent.buffer(f"argument {number}", room, number=number)


def answered(
    agent: Agent, subject: OperationSubject, file: AnswerFile, seconds: float = math.inf
) -> FileAgreement:
    """Ask an agent for every answer of a file, for so many seconds."""
    return verify(OperationSession(agent, subject), file, seconds)


def _compared(_: Package, subject: OperationSubject, connect: Connect, path: Path) -> FileVerdict:
    """Compare with a file of known answers; return the counts and the first wrong one."""
    file = read_answers(path)
    try:
        with connect() as agent:
            found = answered(agent, subject, file)
    except AgentError as error:
        raise AssayError(
            str(error), error.cure or "`assay check` shows more about the package."
        ) from None
    verdict = Verdict.PASS if found.good else Verdict.OPEN
    return FileVerdict(tuple(_lines(found)), Verdict.FAIL if found.failed else verdict)


def _lines(found: FileAgreement) -> Iterator[str]:
    yield found.sentence()
    yield from (f"  {line}" for line in found.reasons())
    if found.evidence is None:
        return
    first, *values = found.evidence.lines()
    yield f"first wrong: {first}"
    yield from values
    if both := versions(found.evidence):
        yield f"  they are the answers of {both[0]}, and the package computes {both[1]}"
    for what, count in found.wrong.items():
        yield f"  {count} wrong: {what}"


def _text(package: Package, subject: OperationSubject, connect: Connect, _: bool) -> Iterator[str]:
    """Yield the lines of both checksums."""
    with closing(OperationTrial(package, subject, connect)) as trial:
        checks = tuple(run_checks(RULES, trial))
        worst = overall(one.verdict for one in checks)
        if worst is not Verdict.PASS:
            raise UnfitForVectors(tuple(one for one in checks if one.verdict is worst))
        runs = outcomes(trial).runs
    sums = [f"{run.checksum}" for run in runs if run.checksum]
    yield from (f"{name} {value}\n" for name, value in zip(NAMES, sums, strict=True))


def _differing(package: Package, text: str) -> tuple[str, ...]:
    """Name the checksums that the primitive's own files have otherwise."""
    if package.details is None:
        return ()
    files = (package.details.checksum_small, package.details.checksum_big)
    return tuple(
        name
        for name, line, known in zip(NAMES, text.splitlines(), files, strict=True)
        if known is not None and line != f"{name} {known}"
    )


VECTORS = Vectors(("agent/", "build/"), _text, _compared, _differing, brief=True)


def undefined(subject: OperationSubject) -> tuple[str, ...]:
    """Name the sizes that api.h would have to define, and does not: they count as 0."""
    operation, own = OPERATIONS[subject.operation], set(subject.functions)
    optional = {one.suffix for one in operation.optional}
    unused = ABSENT | (OF_OPTIONAL if optional and not optional & own else frozenset())
    wanted = (one for one in operation.constants if one.endswith("BYTES") and one not in unused)
    known = dict(subject.constants)
    return tuple(f"CRYPTO_{one}" for one in wanted if one not in known)


CHECKS: tuple[Check[OperationTrial], ...] = (
    linked.names(),  # the first, for randombytes of one's own makes other checksums
    *sharing("checksum", long.asked(CHECKSUM_TESTS)),
    *also_far((bits.CHANGED_BITS,)),
    lengths.LENGTHS_CHECK,
    ends.CHECK,
    lengths.PAIRS_CHECK,
    *also_far((bits.CHANGED_INPUTS, plaintext.PLAINTEXT)),
    plaintext.UNDONE,
    *SCHEMES,
    *SUMS,
    beyond_4_gib.LONG,
    library.CHECK,
    *kem.CHECKS,
    rejected.CHECK,
    related.RELATED,
    *also_far((randomness.RANDOMNESS,), few=True),
    rare_failures.CHECK,
    drawn.CHECK,
    randomness.NONCES,
    drawn.GENERATOR,
    *also_far((places.ALIGNED,), few=True),
    *also_far((guard.CHECK,)),
    places.DISTANCE,
    randomness.DRAWN_IN_PLACE,
    *also_far((inputs.READ_ONLY,)),
    unless_sparse(beyond.BEYOND_4_KIB),
    unless_sparse(beyond.BEYOND_4_MIB),
    beyond.BEYOND_2_GIB,
    beyond_4_gib.BEYOND_4_GIB,
    unless_sparse(repeats.KEYSTREAM),
    *also_far((everywhere.CHECK,), few=True),
    everywhere.OWN_BYTES,
    unless_sparse(dependence.DEPENDENCE),
    splits.EVERY,
    *also_far((splits.SPLITS,)),
    splits.NULL,
    related.ORDER,
    *families.STATE,
    *also_far((earlier.STATIC_MEMORY,), few=True),
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *also_far((at_once.CHECK,)),
    at_once.FIRST_CHECK,
    *families.OBJECT,
    *linked.CHECKS,
    *families.ABI,
    *valgrind.checks(use_marked),
    *sanitized.checks(use),
)

KIND = Kind(
    describe,
    OperationTrial,
    CHECKS,
    exercise,
    VECTORS,
    answers=answered,
    may_not_fit=True,
    undefined=undefined,
)
