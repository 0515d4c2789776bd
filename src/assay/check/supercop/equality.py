# SPDX-License-Identifier: MIT
"""The tests of crypto_verify: five comparisons per loop, none of which is hashed.

SUPERCOP takes its strings from the operating system, in 10,000 and 1,000,000 loops; no
output depends on them. Here they are drawn once per process, in 1,000 and 10,000 loops.
"""

import functools
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.check.supercop.judge import WrongBehaviour
from assay.check.supercop.plans import ALIGNMENT, FIRST, MARGIN, RESULT_BYTES
from assay.check.supercop.run import SILENCE_SECONDS, Prepared
from assay.check.supercop.settings import Asked

LOOPS = (1000, 10_000)
LOOPS_ON_BOARDS = 100  # whose lines are slow
LOOPS_AT_ONCE = 2000
COMPARISONS = 5
DIFFERENT = -1
NAMES = (
    "two random strings",
    "two equal strings",
    "strings with one byte drawn anew",
    "strings with two bytes drawn anew",
    "strings with three bytes drawn anew",
)


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """A script, and the whole answer that is right."""

    payload: bytes
    count: int
    answer: bytes


@functools.lru_cache(maxsize=8)
def scripts(size: int, loops: int) -> tuple[RightAnswer, ...]:
    """Write the scripts for strings of `size` bytes."""
    random = Random(secrets.randbits(256))
    return tuple(
        _script(random, size, min(LOOPS_AT_ONCE, loops - start))
        for start in range(0, loops, LOOPS_AT_ONCE)
    )


def room(size: int) -> int:
    """Return the size of the buffer in which both strings stand."""
    return _second(size) + size + MARGIN


def _second(size: int) -> int:
    return -(-(ALIGNMENT + 1 + size + 2 * MARGIN) // ALIGNMENT) * ALIGNMENT + 1


def _script(random: Random, size: int, loops: int) -> RightAnswer:
    script, answers = Script(), []
    x, y = ALIGNMENT + 1, _second(size)
    for _ in range(loops):
        before, whole = random.randbytes(MARGIN), size + 2 * MARGIN
        one, other = random.randbytes(size), bytearray(random.randbytes(size))
        script.write(FIRST.at(x - MARGIN), before + one + before)
        script.write(FIRST.at(y - MARGIN), before + bytes(other) + before)
        for number in range(COMPARISONS):
            if number == 1:
                other[:] = one
                script.copy(FIRST.at(y), FIRST.at(x), size)
            elif number > 1:
                place = random.randrange(size)
                other[place] = random.randrange(256)
                script.write(FIRST.at(y + place), bytes(other[place : place + 1]))
            script.call(0, (FIRST.at(x), FIRST.at(y)))
            result = 0 if one == other else DIFFERENT
            answers.append(result.to_bytes(RESULT_BYTES, "little", signed=True))
        script.read(FIRST.at(x - MARGIN), whole)
        script.read(FIRST.at(y - MARGIN), whole)
        answers += [before + one + before, before + bytes(other) + before]
    return RightAnswer(script.payload, script.count, b"".join(answers))


def findings(one: RightAnswer, answer: bytes, size: int) -> Iterator[tuple[str, WrongBehaviour]]:
    """Describe what is wrong in an answer."""
    results = COMPARISONS * RESULT_BYTES
    stride = results + 2 * (size + 2 * MARGIN)
    for at in range(0, len(one.answer), stride):
        for number in range(COMPARISONS):
            start = at + number * RESULT_BYTES
            got, right = (
                int.from_bytes(text[start : start + RESULT_BYTES], "little", signed=True)
                for text in (answer, one.answer)
            )
            if got != right:
                text = f"crypto_verify returns {got}, not {right}, for {NAMES[number]}"
                yield Asked.RETURNS, WrongBehaviour(text)
        if answer[at + results : at + stride] != one.answer[at + results : at + stride]:
            yield (
                Asked.INPUTS,
                WrongBehaviour("crypto_verify changes its inputs or bytes around them"),
            )


def compare(session: OperationSession, size: int, loops: int) -> dict[str, WrongBehaviour]:
    """Make all comparisons; give the first finding of each question."""
    found: dict[str, WrongBehaviour] = {}
    session.agent.buffer("the strings", room(size), modulus=ALIGNMENT, number=FIRST.number)
    for one in scripts(size, loops):
        answer = session.run(Prepared(one.payload, one.count), SILENCE_SECONDS)
        if answer != one.answer:
            for question, finding in findings(one, answer, size):
                found.setdefault(question, finding)
    return found
