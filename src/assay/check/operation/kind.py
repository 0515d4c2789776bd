# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `operation`: with known answers, and checksums of outputs."""

import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from assay.check.answers.read import read_answers
from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.verdicts import versions
from assay.check.answers.verify import verify
from assay.check.check import run_checks
from assay.check.kinds import Connect, FileVerdict, Kind, UnfitForVectors, Vectors
from assay.check.operation.checks import CHECKS
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession, describe
from assay.check.operation.trial import OperationTrial
from assay.check.supercop.checks import CHECKS as CHECKSUM_TESTS
from assay.check.supercop.outcomes import outcomes
from assay.errors import AssayError
from assay.execute.agent import Agent, AgentError
from assay.execute.places import Register
from assay.model import OperationSubject, Package, Verdict, overall
from assay.model.api import Function, Way
from assay.model.operation import ABSENT, OF_OPTIONAL
from assay.model.operations import OPERATIONS

MESSAGE_BYTES = 64
ROOM_BYTES = 1 << 16  # more than any output for such a message, but for a few large keys
LARGEST_CONSTANT = 1 << 24

RULES = tuple(one for one in CHECKSUM_TESTS if not one.name.startswith("checksum/"))
NAMES = ("checksumsmall", "checksumbig")


def exercise(agent: Agent, subject: OperationSubject) -> None:
    """Call every function once, on zeros."""
    session = OperationSession(agent, subject)
    operation = OPERATIONS[subject.operation]
    constants = [value for _, value in subject.constants if value < LARGEST_CONSTANT]
    room = ROOM_BYTES + sum(constants)
    for function in operation.functions:
        script = Script()
        arguments = [_argument(session, number, way, room) for number, way in _ways(function)]
        script.call(session.number(function.suffix), arguments)
        session.run(script)


def _ways(function: Function) -> list[tuple[int, Way]]:
    return [(number, one.way) for number, one in enumerate(function.parameters)]


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
