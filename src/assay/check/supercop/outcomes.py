# SPDX-License-Identifier: MIT
"""Both runs of the checksum tests of a package on trial, made once and kept with the trial.

The tests of crypto_verify are five comparisons per loop, none of which is hashed.
SUPERCOP takes its strings from the operating system, in 10,000 and 1,000,000 loops; no
output depends on them. Here they are drawn once per process, in 1,000 and 10,000 loops.
"""

import functools
import math
import secrets
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.budget import Budget
from assay.check.check import CheckSkipped
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.supercop.judge import WrongBehaviour
from assay.check.supercop.plans import ALIGNMENT, FIRST, MARGIN, RESULT_BYTES
from assay.check.supercop.program import program
from assay.check.supercop.run import SILENCE_SECONDS, ChecksumResult, ProgramRunner, Stop
from assay.check.supercop.salsa20 import STATE_BYTES
from assay.check.supercop.settings import Asked, ProgramSettings, settings_of
from assay.compile.reasons import NO_ROOM
from assay.execute.agent import AgentError
from assay.model.operation import Op

LOOPS = (1000, 10_000)
LOOPS_ON_BOARDS = 100  # whose lines are slow
LOOPS_AT_ONCE = 2000
DIFFERENT = -1
NAMES = (
    "two random strings",
    "two equal strings",
    "strings with one byte drawn anew",
    "strings with two bytes drawn anew",
    "strings with three bytes drawn anew",
)

NOTE = "checksum"
REPEATED_SECONDS = 4.0  # of work in both runs; then calls are not repeated any more
# After so many of both runs the small or the big one of a hurried trial ends.
ENDS_SECONDS = {False: 20.0, True: 6.0}
SHORTER = (1024, 256, 64, 16)
OF_NOTHING = bytes(STATE_BYTES // 2).hex()


class RightAnswer(Struct, frozen=True):
    """A script, and the parts of the answer that is right, each with what is compared there.

    What has no name are both strings with the bytes around them.
    """

    payload: bytes
    count: int
    parts: tuple[tuple[str, bytes], ...]


@functools.lru_cache(maxsize=8)
def scripts(size: int, loops: int) -> tuple[RightAnswer, ...]:
    """Write the scripts for strings of `size` bytes."""
    random = Random(secrets.randbits(256))
    return tuple(
        _right_answers(random, size, min(LOOPS_AT_ONCE, loops - start))
        for start in range(0, loops, LOOPS_AT_ONCE)
    )


def room(size: int) -> int:
    """Return the size of the buffer in which both strings stand."""
    return _second(size) + size + MARGIN


def _second(size: int) -> int:
    return -(-(ALIGNMENT + 1 + size + 2 * MARGIN) // ALIGNMENT) * ALIGNMENT + 1


def _right_answers(random: Random, size: int, loops: int) -> RightAnswer:
    script, parts = Script(), list[tuple[str, bytes]]()
    x, y = ALIGNMENT + 1, _second(size)
    for _ in range(loops):
        before, whole = random.randbytes(MARGIN), size + 2 * MARGIN
        one, other = random.randbytes(size), bytearray(random.randbytes(size))
        script.write(FIRST.at(x - MARGIN), before + one + before)
        script.write(FIRST.at(y - MARGIN), before + bytes(other) + before)
        for number, name in enumerate(NAMES):
            if number == 1:
                other[:] = one
                script.copy(FIRST.at(y), FIRST.at(x), size)
            elif number > 1:
                place = random.randrange(size)
                other[place] = random.randrange(256)
                script.write(FIRST.at(y + place), bytes(other[place : place + 1]))
            script.call(0, (FIRST.at(x), FIRST.at(y)))
            result = 0 if one == other else DIFFERENT
            parts.append((name, result.to_bytes(RESULT_BYTES, "little", signed=True)))
        script.read(FIRST.at(x - MARGIN), whole)
        script.read(FIRST.at(y - MARGIN), whole)
        parts.append(("", before + one + before + before + bytes(other) + before))
    return RightAnswer(script.payload, script.count, tuple(parts))


def compare_strings(session: OperationSession, size: int, loops: int) -> dict[str, WrongBehaviour]:
    """Make all comparisons; give the first finding of each question."""
    found: dict[str, WrongBehaviour] = {}
    session.agent.buffer("the strings", room(size), modulus=ALIGNMENT, number=FIRST.number)
    for one in scripts(size, loops):
        answer, at = session.run(Script(one.payload, one.count), SILENCE_SECONDS), 0
        for name, right in one.parts:
            got, at = answer[at : at + len(right)], at + len(right)
            if got != right:
                question = Asked.RETURNS if name else Asked.INPUTS
                found.setdefault(question, _wrong(name, right, got))
    return found


def _wrong(name: str, right: bytes, got: bytes) -> WrongBehaviour:
    """Describe what is wrong in a part of an answer."""
    if not name:
        return WrongBehaviour(f"{Op.VERIFY} changes its inputs or bytes around them")
    returned, due = (int.from_bytes(each, "little", signed=True) for each in (got, right))
    return WrongBehaviour(f"{Op.VERIFY} returns {returned}, not {due}, for {name}")


class Outcomes(Struct):
    """What the small and the big run found; the big one is missing if the small one stopped.

    In a short trial the big run makes every call once: the checksum is compared all the
    same, and what takes a second call is asked of the short lengths only. Forgeries are
    left out of it, too, if the check of them is not run. So it is for slow code once
    REPEATED_SECONDS are used up. If the checksum is wrong, all is asked again as SUPERCOP does:
    code may draw random bytes in a repeated call.

    In a hurried trial slow code is not asked all of that, after ENDS_SECONDS.

    Emulators take minutes for the big one, which is therefore asked in deep trials only.
    `asked` are the questions that the operation's tests ask, `unrepeated` those that were not
    asked of all inputs; `skipped` says why nothing could be run. Where a target has no room for
    SUPERCOP's lengths, of which `no_room` tells, those drawn are `most` at most.
    """

    runs: list[ChecksumResult] = field(default_factory=list)
    asked: frozenset[str] = frozenset()
    unrepeated: frozenset[str] = frozenset()
    skipped: str = ""
    most: int = 0
    no_room: str = ""

    def remark(self, question: str) -> str:
        """Return of how many inputs a question was not asked; empty if of all."""
        if self.most:
            return f"messages of {self.most} bytes at most: there is no room for longer ones"
        left = sum(one.left_out for one in self.runs)
        if question in self.unrepeated:
            left += sum(
                one.loops - one.once_from for one in self.runs if one.once_from is not None
            )
        total = sum(one.loops + one.left_out for one in self.runs)
        return f"the code is slow: {left} of {total} inputs left out" if left else ""

    @property
    def ended_early(self) -> bool:
        """Return whether a run was ended, as the code is slow, and what follows it left out."""
        return any(one.left_out for one in self.runs)


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
    budget = None if trial.deep else trial.budget(REPEATED_SECONDS)
    for big in (False, True):
        if big and emulated(trial) and not trial.deep:
            return
        if not trial.operation.tests.calls:
            found.asked = frozenset({Asked.RETURNS, Asked.INPUTS})
            found.runs.append(_equality(trial, big=big))
        else:
            settings = _settings(trial, big=big)
            found.asked |= questions(settings)
            found.runs.append(_fitting(trial, settings, budget, found))
            hurried = found.runs[-1].once_from
            if hurried is not None:
                found.unrepeated = found.asked - questions(settings.hurried(hurried))
        if found.runs[-1].stop or found.ended_early:
            return


def _fitting(
    trial: OperationTrial, settings: ProgramSettings, budget: Budget | None, found: Outcomes
) -> ChecksumResult:
    """Run a program of tests; if the target has no room for it, one with shorter messages."""
    shorter = (one for one in SHORTER if one < settings.longest)
    while True:
        try:
            return _program(trial, settings, budget)
        except CheckSkipped as skipped:
            most = next(shorter, None) if str(skipped).startswith(NO_ROOM) else None
            if most is None:
                raise
            found.no_room = found.no_room or str(skipped)
            found.most = most
            settings = replace(settings, most=most)


def _program(
    trial: OperationTrial, settings: ProgramSettings, budget: Budget | None
) -> ChecksumResult:
    """Run a program of tests; if calls were left out and the checksum is wrong, all of it."""
    bounded = None if settings.brief else budget
    most = ENDS_SECONDS[settings.big] if trial.extent.hurried else math.inf
    found = ProgramRunner(trial.fresh_session, program(settings), bounded, most).run()
    left_out = settings.brief or found.once_from is not None
    expected = trial.details.checksum_big if settings.big else trial.details.checksum_small
    if settings.most or not left_out or expected is None or found.checksum in (None, expected):
        return found
    return ProgramRunner(trial.fresh_session, program(settings.whole)).run()


def earlier_checksum(trial: OperationTrial, *, big: bool) -> str | None:
    """Return the checksum of the tests as they were before SUPERCOP changed them.

    None where it did not change them, and where they do not run to the end.
    """
    if not trial.operation.tests.undamaged_in:
        return None
    settings = replace(_settings(trial, big=big), earlier=True)
    return ProgramRunner(trial.fresh_session, program(settings)).run().checksum


def emulated(trial: OperationTrial) -> bool:
    """Return whether the code runs in an emulator."""
    return trial.bench is not None and bool(trial.bench.target.emulator)


def _settings(trial: OperationTrial, *, big: bool) -> ProgramSettings:
    swapped = False
    if trial.operation.tests.items:
        with trial.session() as session:
            swapped = not session.agent.little_endian
    brief = big and not trial.thorough
    return settings_of(
        trial.subject,
        trial.details,
        big=big,
        swapped=swapped,
        brief=brief,
        bare=brief and not Asked.FORGERIES.startswith(trial.extent.only),
    )


def _equality(trial: OperationTrial, *, big: bool) -> ChecksumResult:
    """Run the tests of crypto_verify, whose checksum is that of nothing."""
    size = trial.subject.constant("BYTES")
    loops = LOOPS_ON_BOARDS if trial.on_board else LOOPS[big]
    found = ChecksumResult(loops, loops * len(NAMES))
    try:
        with trial.fresh_session() as session:
            found.findings = compare_strings(session, size, loops)
        found.checksum = OF_NOTHING
    except AgentError as error:
        found.stop = Stop(Asked.RETURNS, str(error))
    return found


def questions(settings: ProgramSettings) -> frozenset[str]:
    """Return the questions that the tests with these settings ask to the end."""
    asked: set[str] = {Asked.RETURNS}
    twice, forgeries = not settings.brief, settings.forgeries
    for call in settings.task.calls:
        asked.update(question for _, _, question in call.equal)
        answers = {
            Asked.INPUTS: bool(call.read),
            Asked.MARGINS: bool(call.written or call.changed),
            Asked.LENGTHS: bool(call.measured),
            Asked.DETERMINISTIC: settings.deterministic(call) and twice,
            Asked.OVERLAP: settings.overlap(call) and bool(call.written) and twice,
            Asked.FORGERIES: call.refuses and forgeries,
            Asked.CONSISTENT: bool(call.cleared or call.xor or (call.again and twice)),
        }
        asked.update(question for question, yes in answers.items() if yes)
    return frozenset(asked)
