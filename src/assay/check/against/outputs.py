# SPDX-License-Identifier: MIT
"""What a build computes, as digests: the same whatever compiles it, and wherever it runs.

The inputs follow from the package's contents, so every configuration and machine has the same
ones, and code cannot know them. Slow code answers the first of the questions alone; two builds
are compared by what both have answered.
"""

import hashlib
from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from assay.check.against.questions import DRAW_BYTES, DRAWS, LENGTH, draws_of
from assay.check.against.side import SEED_BYTES, UNALTERED, ComparedSide, RandomInputs, UseOutcome
from assay.check.check import CheckFailed, CheckSkipped
from assay.check.routine import BOARD_LONGEST
from assay.execute.agent import AgentError, AgentRefusal
from assay.model.api import Role

LENGTHS = (
    *(64, 0, 1, 1000, 8, 257, 4097, 16, 63, 65, 129, 20_011, 2, 3, 7, 15, 17, 31, 32, 33, 48, 55),
    *(56, 100, 111, 112, 127, 128, 255, 256, 511, 512, 999, 1023, 1024, 1025, 1500, 2048, 3000),
    *(4095, 4096, 5000, 8191, 8192, 8193, 12_345, 16_384, 32_768, 65_535, 65_536, 70_000),
    *(131_072, 200_003),
)
SECONDS = (0, 5, 16, 33, 129)  # of associated data, or of an output of any length
WITHOUT_MESSAGE = 16  # questions about operations that have none
ALTERED_EVERY = 4
POSITIONS = 1 << 16
SIZES = 4  # of keys and nonces, whose uses are repeated inside the agent
ROUNDS = (64, 4096, 32_768)
DIGITS, NAME_DIGITS = 16, 8

Digests = tuple[tuple[str, str], ...]


def digests(side: ComparedSide, key: str) -> Digests:
    """Return what was computed, by the names of the questions; `key` chooses the inputs.

    What faults or hangs ends it: that is for other checks.
    """
    found: dict[str, str] = {}
    try:
        found["sizes"] = _sizes(side)
        for name, question in questions(side, key):
            found |= _answer(side, name, question)
            if side.budget.over:
                break
        found |= dict(_rounds(side, key))
    except (AgentError, CheckFailed, CheckSkipped):
        pass
    computed = len(found) > 1  # more than the sizes, for which nothing is called
    return tuple(found.items()) if computed else ()


def questions(side: ComparedSide, key: str) -> Iterator[tuple[str, RandomInputs]]:
    """Yield what every build of a package is asked, by name, in a fixed order."""
    has_message, has_second = side.trial.measured
    lengths = LENGTHS if has_message else (0,) * WITHOUT_MESSAGE
    for number, length in enumerate(lengths):
        if side.trial.on_board and length > BOARD_LONGEST:
            continue
        random = Random(f"{key} question {number}")
        second = SECONDS[number % len(SECONDS)] if has_second else 0
        seed = random.randbytes(SEED_BYTES)
        altered = random.randrange(POSITIONS) if number % ALTERED_EVERY == 1 else UNALTERED
        asked = side.drawn(RandomInputs(length, second, seed=seed, sizes=number), random)
        yield _named(number, asked), asked
        if altered != UNALTERED:
            changed = replace(asked, altered=altered)
            yield _named(number, changed), changed


def _named(number: int, question: RandomInputs) -> str:
    """Name a question by its inputs: one of an older list, of other inputs, is another one."""
    inputs = hashlib.sha256(repr(question).encode()).hexdigest()[:NAME_DIGITS]
    what = "a changed ciphertext, " if question.altered != UNALTERED else ""
    return f"question {number} ({what}{question.length} bytes, {inputs})"


def _sizes(side: ComparedSide) -> str:
    """Digest the sizes of what the functions read and write."""
    uses = side.uses(side.drawn(RandomInputs(LENGTH, LENGTH), Random(0)))
    sizes = [
        (use.name, name, one.size)
        for use in uses
        for name, one in use.variables.items()
        if one.role is not Role.STATE
    ]
    return hashlib.sha256(repr(sizes).encode()).hexdigest()[:DIGITS]


def _answer(side: ComparedSide, name: str, question: RandomInputs) -> dict[str, str]:
    """Ask one question; nothing where the build has no room for it."""
    forged = question.altered != UNALTERED
    try:
        uses = side.forgeries(question) if forged else list(side.uses(question))
        (answers,) = side.perform([(question, uses)])
    except AgentRefusal:
        return {}
    return {name: _digest(answers)} if answers else {}


def _digest(answers: list[UseOutcome]) -> str:
    """Digest what calls returned, as far as it is defined, and their outputs if all succeeded."""
    digest = hashlib.sha256()
    for one in answers:
        digest.update(f"{one.routine.name} {one.accepted} ".encode())
        for name, value in one.outcome.outputs.items() if all(one.accepted) else ():
            digest.update(f"{name} {len(value)} ".encode() + value)
    return digest.hexdigest()[:DIGITS]


def _rounds(side: ComparedSide, key: str) -> Iterator[tuple[str, str]]:
    """Yield digests of uses with many keys and messages, which the agent draws."""
    if side.trial.on_board:
        return
    seen: set[str] = set()
    for sizes in range(SIZES):
        random = Random(f"{key} sizes {sizes}")
        held = tuple(random.randbytes(DRAW_BYTES) for _ in range(DRAWS))
        uses = side.uses(RandomInputs(LENGTH, LENGTH, held, sizes=sizes))
        for use in side.trial.representative(uses):
            names = [name for name, _ in draws_of(use, held)]
            if use.name in seen or not names:
                continue
            seen.add(use.name)
            seed = random.getrandbits(63)
            for rounds in ROUNDS:
                if side.budget.over:
                    return
                value = side.digest(use, names, seed, rounds)
                yield f"{use.name}, {rounds} times, sizes {sizes}", f"{value:0{DIGITS}x}"
