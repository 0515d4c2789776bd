# SPDX-License-Identifier: MIT
"""Rules of the Shabal paper: bits of `ub` that are no input (A.1.2), several users (A.2.3)."""

from assay.check.check import Check, CheckFailed, CheckSkipped, Origin
from assay.check.hash.trial import HashTrial, unless
from assay.execute.agent import AgentRefusal
from assay.model.api import Promise
from assay.model.wire import HashFunction

WORD = 16  # the least an `unsigned` can have

LENGTHS = (3000, 1000)
TIMES, DEEP_TIMES = 1, 3  # 32 interruptions each, one for each tick of the system
PATIENCE_SECONDS = 30.0


def unused(trial: HashTrial) -> None:
    """Close with 0 to 7 bits, the rest of `ub` once clear and then full of anything."""
    if trial.refuses_bits:
        raise CheckSkipped("the code takes whole bytes only: see digest/partial-bytes")
    for size in trial.few_sizes:
        for length in (0, 63, 64) if trial.thorough else (1,):
            message = trial.bytes(length)
            with trial.desk(length, size) as desk:
                for count in range(8):
                    bits = trial.random.randrange(256) & ~(0xFF >> count)
                    plain = desk.digest(message, bits, count)
                    for other in _others(trial, bits, count):
                        got = desk.digest(message, other, count)
                        if got != plain:
                            raise CheckFailed(
                                f"with n = {count} the digest depends on bits of ub that are "
                                f"no input: {bits:#x} and {other:#x} differ",
                                f"message  {message.hex()}\n{bits:#06x}   {plain.hex()}\n"
                                f"{other:#06x}   {got.hex()}",
                            )


def _others(trial: HashTrial, bits: int, count: int) -> tuple[int, ...]:
    """Return values of `ub` with the same input bits: below them, above a byte, and both."""
    low = 0xFF >> count
    garbage = trial.random.getrandbits(WORD) & (low | 0xFF00)
    return bits | low, bits | 0xFF00, bits | garbage


BITS = (
    Check(
        name="close/unused-bits",
        asks="Are the bits of the last byte that are no input ignored?",
        why="The paper's example: the bits 1101 may be given as 208 and as 4565, with more bits "
        "above the byte.",
        cure="Mask: ((ub >> (7 - n)) | 1) << (7 - n), and take the low byte.",
        run=unused,
        origin=Origin.PAPER,
    ),
)


def in_handler(trial: HashTrial) -> None:
    """Hash in a signal handler that interrupts another hash at random places."""
    _beside(trial, HashFunction.HANDLER, "a signal handler")


def in_thread(trial: HashTrial) -> None:
    """Hash in two threads at once."""
    _beside(trial, HashFunction.THREADS, "another thread")


def _beside(trial: HashTrial, how: HashFunction, what: str) -> None:
    """Let both sides hash, each digest compared with the first that it made alone."""
    size = trial.sizes[-1]
    with trial.fresh_session(sealed=False) as session:
        ctx = session.context()
        data, other = (
            session.agent.buffer(label, length)
            for label, length in zip(("data", "other"), LENGTHS, strict=True)
        )
        session.agent.write(data, trial.bytes(LENGTHS[0]))
        session.agent.write(other, trial.bytes(LENGTHS[1]))
        session.call(HashFunction.INIT, ctx, size)
        places, numbers = (ctx, data, None, other), (*LENGTHS, size)
        session.agent.flush()
        total = [0, 0, 0, 0]
        for _ in range(DEEP_TIMES if trial.deep else TIMES):
            try:
                reader = session.agent.answer(how, places, numbers, PATIENCE_SECONDS)
            except AgentRefusal:
                raise CheckSkipped(f"{what} is not to be had on this target") from None
            total = [number + reader.number(4) for number in total]
    _judge(what, *total)


def _judge(what: str, rounds: int, wrong: int, other_rounds: int, other_wrong: int) -> None:
    if not rounds or not other_rounds:
        raise CheckSkipped(f"{what} did not get its turn")
    if wrong or other_wrong:
        raise CheckFailed(
            f"with {what} at the same time, digests are wrong: {wrong} of {rounds} and "
            f"{other_wrong} "
            f"of {other_rounds}"
        )


REENTRANT = (
    Check(
        name="reentrant/signal",
        asks="May a signal handler hash while it interrupts a hash (A.2.3)?",
        why=(
            "A handler may run between any two instructions and overwrite static data and data "
            "below the stack pointer. Some 32 interruptions are tried, with `--deep` 96."
        ),
        cure=(
            "Keep everything in the context, and everything on the stack above the stack pointer."
        ),
        run=in_handler,
        origin=Origin.PAPER,
        excuse=unless(Promise.REENTRANT),
    ),
    Check(
        name="reentrant/threads",
        asks="May two threads hash at once, each with its own context (A.2.3)?",
        why="Applications do so without further precautions.",
        cure="Keep everything in the context.",
        run=in_thread,
        origin=Origin.PAPER,
        excuse=unless(Promise.REENTRANT),
    ),
)
