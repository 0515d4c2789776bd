# SPDX-License-Identifier: MIT
"""Runs a program on an agent: chunks are sent, judged or recognised, and hashed.

A program runs once per trial, in an agent of its own, since the tests begin with a
fresh process. What a chunk's answer was before it need not be judged again.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.budget import Budget
from assay.check.operation.script import Script
from assay.check.operation.session import SCRIPT_SECONDS, OperationSession
from assay.check.supercop.judge import Judge, WrongBehaviour, readable
from assay.check.supercop.plans import ALIGNMENT
from assay.check.supercop.program import Chunk, LoopCall, Program, program
from assay.check.supercop.salsa20 import STATE_BYTES, engine
from assay.check.supercop.settings import Asked
from assay.execute.agent import AgentError, AgentSilent

SILENCE_SECONDS = SCRIPT_SECONDS
REQUEST_SECONDS = 2.0  # that a request should take at most
GROWTH = 8
CHECKSUM_BYTES = 32

Open = Callable[[], AbstractContextManager[OperationSession]]


class Stop(Struct, frozen=True):
    """Where a run ended before its end: the question that was asked, and the account."""

    question: str
    account: str
    misaligned: bool = False


class ChecksumResult(Struct):
    """What a run found. `checksum` is hexadecimal, None if the run did not end.

    From the loop `once_from` on every call was made once, since the code is slow, and the last
    `left_out` loops were not run.
    """

    loops: int = 0
    calls: int = 0
    checksum: str | None = None
    findings: dict[str, WrongBehaviour] = field(default_factory=dict)
    stop: Stop | None = None
    once_from: int | None = None
    left_out: int = 0


def calls(unit: LoopCall) -> int:
    """Count the calls of a unit."""
    return len(unit.plan.parts) + len(unit.modifications)


class ProgramRunner:
    """Runs programs in sessions; learns how long requests may be."""

    def __init__(
        self,
        opened: Open,
        made: Program,
        budget: Budget | None = None,
        most_seconds: float = math.inf,
    ) -> None:
        """Run `made` in sessions that `opened` gives.

        Once the budget is used up, no call is repeated any more; once it is used up to
        `most_seconds`, what is left of the program is left out.
        """
        self._open = opened
        self._program = made
        self._budget = budget
        self._most_seconds = most_seconds
        self._ended_early = False
        self._units = 1
        self._asking = ""

    def run(self) -> ChecksumResult:
        """Run everything; a fault is found out about by running again."""
        outcome, judge = ChecksumResult(), Judge(self._program.settings)
        at = 0
        try:
            with self._begun() as session:
                state = bytes(STATE_BYTES)
                for chunk in self._chunks(session):
                    at = chunk.number
                    answer = self._send(session, chunk)
                    state = self._absorb(judge, chunk, answer, state)
                    outcome.loops = chunk.units[-1].loop + 1
                    outcome.calls += sum(map(calls, chunk.units))
                if self._ended_early:
                    outcome.left_out = max(self._program.settings.loops - outcome.loops, 1)
                else:
                    outcome.checksum = state[:CHECKSUM_BYTES].hex()
        except AgentError as error:
            outcome.stop = self._locate(at, error, judge)
        outcome.findings = judge.findings
        after = self._program.settings.after
        outcome.once_from = after if 0 < after < outcome.loops else None
        return outcome

    def _chunks(self, session: OperationSession) -> Iterator[Chunk]:
        """Yield all chunks; if the time is used up, go on with a program that repeats no call."""
        budget, made = self._budget, self._program
        if budget is None:
            yield from made.chunks()
            return
        for chunk in made.chunks():
            with budget.spending(session.agent):
                yield chunk
            if budget.over:
                yield from self._unrepeated(session, budget, chunk.units[-1].loop + 1)
                return

    def _unrepeated(
        self, session: OperationSession, budget: Budget, after: int
    ) -> Iterator[Chunk]:
        """Yield the chunks from a loop on that make each call once, as long as there is time."""
        self._program = program(self._program.settings.hurried(after))
        for chunk in self._program.chunks():
            if chunk.units[0].loop < after:
                continue
            if budget.used > self._most_seconds:
                self._ended_early = True
                return
            with budget.spending(session.agent):
                yield chunk

    @contextmanager
    def _begun(self) -> Iterator[OperationSession]:
        """Open a fresh session with both buffers, and random numbers from their start."""
        with self._open() as session:
            for number, size in enumerate(self._program.rooms):
                label = ("the first place", "the second place")[number]
                session.agent.buffer(label, size, modulus=ALIGNMENT, number=number)
            script = Script()
            script.seed()
            session.run(script, SILENCE_SECONDS)
            yield session

    def _absorb(self, judge: Judge, chunk: Chunk, answer: bytes, state: bytes) -> bytes:
        """Judge an answer unless it is known to be right; give the checksum's next state."""
        key = (chunk.number, hashlib.sha256(answer).digest(), state)
        known = self._program.known.get(key)
        if known is not None:
            return known
        complaints = judge.complaints
        offsets, lengths = judge.judge(chunk, answer)
        text = readable(judge.settings, chunk, answer)
        following = engine().absorb(state, text, offsets, lengths)
        if judge.complaints == complaints:
            self._program.remember(key, following)
        return following

    def _send(self, session: OperationSession, chunk: Chunk) -> bytes:
        """Send a chunk, in as many requests as its calls are slow; give the whole answer."""
        answers = []
        units = chunk.units
        while units:
            group, units = units[: self._units], units[self._units :]
            started = time.perf_counter()
            answers.append(self._request(session, chunk, group))
            seconds = max(time.perf_counter() - started, 1e-6)
            fitting = int(REQUEST_SECONDS * len(group) / seconds)
            self._units = max(1, min(fitting, GROWTH * self._units))
        return b"".join(answers) if len(answers) > 1 else answers[0]

    def _request(self, session: OperationSession, chunk: Chunk, units: list[LoopCall]) -> bytes:
        first, last = units[0], units[-1]
        self._asking = f"loops {first.loop} to {last.loop} were on their way"
        expected = last.answer_at + last.answer_bytes - first.answer_at
        whole = len(units) == len(chunk.units)
        payload = chunk.payload if whole else chunk.payload[first.start : last.end]
        answer = session.run(
            Script(payload, last.steps - first.steps + 1, expected), SILENCE_SECONDS
        )
        if len(answer) != expected:
            raise AgentError(f"the agent answered {len(answer)} bytes where {expected} were due")
        return answer

    def _locate(self, number: int, error: AgentError, judge: Judge) -> Stop:
        """Find the call that faulted, and whether it does with aligned pointers, too."""
        if isinstance(error, AgentSilent):
            return Stop(Asked.RETURNS, f"{error}; {self._asking}")
        found = self._walk(number, judge)
        if found is None:
            return Stop(Asked.RETURNS, f"{error} (not when asked again)")
        question, account, loop = found
        if Asked.LENGTHS in judge.findings:  # what follows uses them
            return Stop(Asked.LENGTHS, account)
        aligned = ProgramRunner(self._open, program(replace(self._program.settings, shift=False)))
        return Stop(question, account, misaligned=aligned.passes(loop))

    def _walk(self, number: int, judge: Judge) -> tuple[str, str, int] | None:
        """Run up to a chunk, and that one part by part; judge the calls before the last.

        Give what was asked when it ended, the account and the loop.
        """
        question: str = Asked.RETURNS
        place, loop = "at the start", 0
        answers: list[bytes] = []
        chunk = Chunk(number)
        try:
            with self._begun() as session:
                for chunk in self._program.chunks():
                    if chunk.number == number:
                        break
                    self._send(session, chunk)
                payload = bytes(chunk.payload)
                for unit in chunk.units:
                    for question, what, script in unit.parts(payload):  # noqa: B007 - told below
                        place, loop = self._place(unit, what), unit.loop
                        answers.append(session.run(Script(script, 1), SILENCE_SECONDS))
        except AgentError as error:
            judge.judge(*_finished(chunk, b"".join(answers)))
            return question, f"{place}: {error}", loop
        return None

    def _place(self, unit: LoopCall, what: str) -> str:
        name = self._program.settings.operation + unit.plan.call.suffix
        lengths = ", ".join(f"{one} {size}" for one, size in unit.lengths.items())
        return f"{name} {what}".strip() + f", loop {unit.loop} (bytes: {lengths})"

    def passes(self, loop: int) -> bool:
        """Return whether everything up to a loop runs without a fault."""
        try:
            with self._begun() as session:
                for chunk in self._program.chunks():
                    self._send(session, chunk)
                    if chunk.units[-1].loop >= loop:
                        break
        except AgentError:
            return False
        return True


def _finished(chunk: Chunk, answer: bytes) -> tuple[Chunk, bytes]:
    """Return the units of a chunk whose whole answers there are."""
    units = [one for one in chunk.units if one.answer_at + one.answer_bytes <= len(answer)]
    return Chunk(chunk.number, chunk.payload, units, len(answer)), answer
