# SPDX-License-Identifier: MIT
"""What becomes of keys and ciphertexts when `randombytes` fails, from any of its calls on.

SUPERCOP's `randombytes` returns nothing: nobody can report that it failed, and neither can code
that declares one without a result. Code that declares one with a result must look at it. That of
NIST's and PQClean's layouts has a result, too, which their reference code ignores: a finding.
Whatever crashes, ends the program or goes on for ever costs availability, and nothing else: a
remark.
"""

import posixpath
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

from assay.check.check import Check, CheckFailed, CheckFinding
from assay.check.operation.calling import CallAnswer, CallInputs, Repeated
from assay.check.operation.script import GeneratorFault
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.execute.agent import AgentFault, AgentLost, AgentSilent
from assay.package.conditions import active_text
from assay.package.text import read_text

LENGTH = 37
SECONDS, DEEP_SECONDS = 20.0, 300.0  # by the clock
MOST_CALLS = 4  # from which on it fails
HANG_SECONDS = (1.5, 5.0)  # at least and at most; in between, so many times as long as usual
USUAL_TIMES = 10
SEEDS = (bytes(32), bytes([0xA5] * 32))
DECLARED = re.compile(rb"\b(?:int|size_t|ssize_t|bool)\s+randombytes\s*\(")
SILENT = re.compile(rb"\bvoid\s+randombytes\s*\(")
REPORTING = ("nist", "pqclean")  # layouts


def run_generator(trial: OperationTrial) -> str:
    """Make keys and ciphertexts while the generator fails."""
    trial.require_randomness()
    remarks: list[str] = []
    told = told_of_failures(trial)
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    for fault, routine in budget.by_clock(product(GeneratorFault, _drawing(trial))):
        with suppress(AgentLost), trial.fresh_session() as session:
            remarks += _try(session, routine, fault, told)
    if told is None:
        whose = "its own" if trial.details.layout in REPORTING else "SUPERCOP's"
        remarks.append(f"it does not see that randombytes failed: {whose} returns nothing")
    return "; ".join(filter(None, (*dict.fromkeys(remarks), budget.remark("uses"))))


def told_of_failures(trial: OperationTrial) -> type[CheckFailed] | None:
    """Return what ignoring the result of `randombytes` is; None if it has none.

    What the package's own macros leave out is not declared; code that declares both all the
    same means SUPERCOP's under its macro.
    """
    places = {posixpath.normpath(name): path for name, path in trial.package.places.items()}

    def read(name: str) -> str | None:
        tried = (posixpath.normpath(f"{one}/{name}") for one in (".", *trial.details.folders))
        path = next((places[one] for one in tried if one in places), None)
        return read_text(path) if path is not None and path.is_file() else None

    texts = [active_text(name, read).encode("latin-1") for name in trial.package.sources]
    if any(DECLARED.search(text) and not SILENT.search(text) for text in texts):
        return CheckFailed
    silent = any(map(SILENT.search, texts))
    return CheckFinding if trial.details.layout in REPORTING and not silent else None


def _drawing(trial: OperationTrial) -> list[Routine]:
    with trial.session() as session:
        return [one for one in trial.calls(session, LENGTH).values() if trial.must_draw(one)]


def _try(
    session: OperationSession,
    routine: Routine,
    fault: GeneratorFault,
    told: type[CheckFailed] | None,
) -> Iterator[str]:
    """Fail from each call on; yield a remark if nothing comes out. The agent may be lost then."""
    began, call = time.monotonic(), Repeated(session, routine)
    draws = call.answer(CallInputs()).draws
    least, most = HANG_SECONDS
    seconds = min(max(least, USUAL_TIMES * (time.monotonic() - began)), most)
    for first in range(min(draws, MOST_CALLS)):
        failing = [CallInputs(seed=seed, fault=fault, fails_from=first) for seed in SEEDS]
        try:
            answers = [call.answer(one, seconds) for one in failing]
        except AgentSilent:
            yield f"{routine.name} does not end if randombytes {SAYS[fault]}"
            return
        except (AgentFault, AgentLost):
            yield f"{routine.name} crashes or ends the program if randombytes {SAYS[fault]}"
            return
        if fault is not GeneratorFault.REPEATS and told is not None:
            _judge(routine, first, answers, told)


SAYS = {
    GeneratorFault.STAYS_AWAY: "returns -1 and writes nothing",
    GeneratorFault.ZEROS: "returns -1 and writes zeros",
    GeneratorFault.REPEATS: "gives the same bytes in every call",
}


def _judge(
    routine: Routine, first: int, answers: list[CallAnswer], told: type[CheckFailed]
) -> None:
    one, other = answers
    if one.result or other.result:
        return
    if one.outputs == other.outputs:
        raise told(f"{routine.name} returns 0 and gives equal outputs if randombytes fails")
    raise told(f"{routine.name} returns 0 if call {first + 1} of randombytes fails")


CHECK = Check(
    "calls/generator",
    "Is a generator that fails reported, or does it cost nothing but availability?",
    (
        "Random bytes can be missing early after a start or in a sandbox. Keys that are made "
        "without them are everybody's keys. SUPERCOP's randombytes returns nothing, so only code "
        "whose randombytes returns a number can report it."
    ),
    "Look at what randombytes returns, erase what was made, and return another result than 0.",
    run_generator,
)
