# SPDX-License-Identifier: MIT
"""What only some APIs have: a call for a whole message, results, sizes refused, Annex A's rules.

The Shabal paper says that bits of `ub` that are no input are ignored (A.1.2), and that several may
use the code at the same time (A.2.3).
"""

from functools import partial

from msgspec.structs import replace

from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckSkipped,
    refusal_means,
)
from assay.check.hash.sizes import HashBuffers
from assay.check.hash.trial import ONE_CALL, HashTrial, paper_rule, unless, wrong_digest
from assay.check.lengths.far import affordable
from assay.model.api import Promise
from assay.model.wire import HashFunction

MOST_REST, REST_SECONDS = 146, 0.3  # bytes before the bits: two more than a block has
LONG, FEW_RESTS = 5003, 24  # bytes before some of these
WORD = 16  # the least an `unsigned` can have

BESIDE_LENGTHS = (3000, 1000)
TIMES, DEEP_TIMES = 1, 3  # 32 interruptions each, one for each tick of the system
PATIENCE_SECONDS = 30.0

LENGTHS = (0, 1, 31, 63, 64, 65, 111, 127, 128, 129, 200, 287)
FEW = (0, 64, 129)
NO_SIZES = (0, 1, 7, 100_000, (1 << 16) + 256)
BYTES = (0, 1, 63, 64)


def unused(trial: HashTrial) -> str:
    """Close with 0 to 7 bits, the rest of `ub` once clear and then full of anything."""
    remark = ""
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
                    idle = [
                        bit
                        for bit in range(count)
                        if desk.digest(message, bits ^ 0x80 >> bit, count) == plain
                    ]
                    if 0 < len(idle) < count:  # some hashes take whole bytes only
                        raise CheckFailed(
                            f"with n = {count} bit {idle[0] + 1} of ub does not matter",
                            f"message  {message.hex()}\n{bits:#06x}   {plain.hex()}",
                        )
        remark = _at_each_rest(trial, size) or remark
    return remark


def _at_each_rest(trial: HashTrial, size: int) -> str:
    """Change each bit behind as many bytes as a block can have; return what was left out.

    Some hashes take whole bytes only, but then behind each number of bytes. Some stand behind
    5,003 more.
    """
    lengths = trial.some(range(MOST_REST))
    if affordable(trial) > LONG + MOST_REST:
        lengths += [LONG + one for one in lengths[:FEW_RESTS]]
    text, budget = trial.bytes(max(lengths)), trial.budget(REST_SECONDS)
    whole: dict[bool, int] = {}
    with trial.desk(max(lengths), size) as desk:
        for length in budget.each(desk.session, lengths):
            count, bits = trial.random.randrange(2, 8), trial.random.randrange(256)
            changed = (bits, *(bits ^ 0x80 >> bit for bit in range(count)))
            pending = [desk.hash(text[:length], rest=(one, count)) for one in changed]
            plain, *others = (one.data for one in pending)
            idle = [bit for bit, one in enumerate(others) if one == plain]
            whole.setdefault(len(idle) == count, length)
            if 0 < len(idle) < count:
                raise CheckFailed(
                    f"behind {length} bytes, with n = {count}, bit {idle[0] + 1} of ub does not "
                    "matter",
                    f"message  {text[:length].hex()}\n{bits:#06x}   {plain.hex()}",
                )
    if len(whole) > 1:
        raise CheckFailed(
            f"bits behind {whole[True]} bytes do not matter, and those behind {whole[False]} do"
        )
    return budget.remark("numbers of bytes before the bits")


def _others(trial: HashTrial, bits: int, count: int) -> tuple[int, ...]:
    """Return values of `ub` with the same input bits: below them, above a byte, and both."""
    low = 0xFF >> count
    garbage = trial.random.getrandbits(WORD) & (low | 0xFF00)
    return bits | low, bits | 0xFF00, bits | garbage


BITS = (
    paper_rule(
        name="close/unused-bits",
        asks="Are the bits of the last byte that are no input ignored, and all others used?",
        why="The paper's example: the bits 1101 may be given as 208 and as 4565, with more bits "
        "above the byte. The bits are asked behind each number of bytes that a block can hold.",
        cure="Mask: ((ub >> (7 - n)) | 1) << (7 - n), and take the low byte.",
        run=unused,
    ),
)


def beside(trial: HashTrial, how: HashFunction, what: str) -> None:
    """Let both sides hash, each digest compared with the first that it made alone.

    The other side is a signal handler, which interrupts at random places, or a thread.
    """
    size = trial.sizes[-1]
    with trial.fresh_session(sealed=False) as session:
        ctx = session.context()
        data, other = (
            session.agent.buffer(label, length)
            for label, length in zip(("data", "other"), BESIDE_LENGTHS, strict=True)
        )
        session.agent.write(data, trial.bytes(BESIDE_LENGTHS[0]))
        session.agent.write(other, trial.bytes(BESIDE_LENGTHS[1]))
        session.call(HashFunction.INIT, ctx, size)
        places, numbers = (ctx, data, None, other), (*BESIDE_LENGTHS, size)
        session.agent.flush()
        total = [0, 0, 0, 0]
        for _ in range(DEEP_TIMES if trial.deep else TIMES):
            with refusal_means(CheckSkipped(f"{what} is not to be had on this target")):
                reader = session.agent.answer(how, places, numbers, PATIENCE_SECONDS)
            total = [number + reader.number(4) for number in total]
    rounds, wrong, other_rounds, other_wrong = total
    if not rounds or not other_rounds:
        raise CheckSkipped(f"{what} did not get its turn")
    if wrong or other_wrong:
        raise CheckFailed(
            f"with {what} at the same time, digests are wrong: {wrong} of {rounds} and "
            f"{other_wrong} "
            f"of {other_rounds}"
        )


REENTRANT = (
    paper_rule(
        name="reentrant/signal",
        asks="May a signal handler hash while it interrupts a hash (A.2.3)?",
        why=(
            "A handler may run between any two instructions and overwrite static data and data "
            "below the stack pointer. Some 32 interruptions are tried, with `--deep` 96."
        ),
        cure=(
            "Keep everything in the context, and everything on the stack above the stack pointer."
        ),
        run=partial(beside, how=HashFunction.HANDLER, what="a signal handler"),
        excuse=unless(Promise.REENTRANT),
    ),
    paper_rule(
        name="reentrant/threads",
        asks="May two threads hash at once, each with its own context (A.2.3)?",
        why="Applications do so without further precautions.",
        cure="Keep everything in the context.",
        run=partial(beside, how=HashFunction.THREADS, what="another thread"),
        excuse=unless(Promise.REENTRANT),
    ),
)


def _only_with_results(trial: HashTrial) -> None:
    if not trial.api.has(ONE_CALL):
        raise CheckInapplicable(f"the API {trial.api.name} has no such function")


def _same(desk: HashBuffers, expected: bytes, message: bytes, bits: int) -> None:
    desk.session.agent.write(desk.data, message)
    desk.whole(bits)
    got = desk.session.agent.read(desk.to)
    if desk.session.agent.read(desk.data)[: len(message)] != message:
        raise CheckFailed(f"Hash of {bits} bits changes the message that it is given")
    if got != expected:
        raise wrong_digest(
            desk.session,
            f"Hash gives another digest of {bits} bits than Init, Update and Final",
            f"message  {message.hex()}\nexpected {expected.hex()}\nactual   {got.hex()}",
        )


def results(trial: HashTrial) -> None:
    """Look at what the functions return when all is well."""
    _only_with_results(trial)
    for size in trial.sizes:
        for length in LENGTHS if trial.thorough else FEW:
            message = trial.bytes(length)
            with trial.desk(length, size) as desk:
                desk.session.refused()
                desk.digest(message)
                if desk.session.refused():
                    raise CheckFailed(
                        f"for {length} bytes and a digest of {size} bits, Init, Update or Final "
                        "does not return SUCCESS"
                    )
                desk.whole(8 * length)
                if desk.session.refused():
                    raise CheckFailed(f"Hash of {length} bytes does not return SUCCESS")


def refused_sizes(trial: HashTrial) -> None:
    """Begin messages with sizes of a digest that no hash has, and hash whole ones, twice."""
    _only_with_results(trial)
    with trial.session() as session:
        ctx = session.context()
        for size in NO_SIZES:
            session.refused()
            session.call(HashFunction.INIT, ctx, size)
            if not session.refused():
                raise CheckFinding(f"Init accepts a digest of {size} bits")
    for size in [one for one in NO_SIZES for _ in range(2)]:
        with trial.desk(0, trial.sizes[-1]) as desk:
            replace(desk, out_bits=size).whole(0)
            if not desk.session.refused():
                raise CheckFinding(f"Hash accepts a digest of {size} bits")


def partial_bytes(trial: HashTrial) -> str:
    """Hash messages that end inside a byte, in one call and with the last bits apart."""
    _only_with_results(trial)
    if trial.refuses_bits:
        if any(one.bits % 8 for one in trial.vectors):
            raise CheckFailed("messages that end inside a byte are refused, and it has vectors")
        raise CheckFinding("messages must be whole bytes: others are refused")
    remark = ""
    for size in trial.sizes:
        for length in BYTES if trial.thorough else BYTES[1:3]:
            _partial(trial, size, length)
        remark = _at_each_rest(trial, size) or remark
    return remark


def _partial(trial: HashTrial, size: int, length: int) -> None:
    message = trial.bytes(length + 1)
    with trial.desk(len(message), size) as desk:
        seen = {desk.digest(message[:-1])}
        for count in range(1, 8):
            last = message[-1] & 0xFF00 >> count
            apart = desk.digest(message[:-1], last, count)
            _same(desk, apart, message, 8 * length + count)
            if apart in seen:
                raise CheckFailed(
                    f"{8 * length + count} bits have the digest of fewer bits, and the functions "
                    "return SUCCESS",
                    f"message  {message[:-1].hex()}{last:02x}\ndigest   {apart.hex()}",
                )
            seen.add(apart)
            for bit in range(count):
                other = last ^ 0x80 >> bit
                if desk.digest(message[:-1], other, count) == apart:
                    raise CheckFailed(
                        f"bit {bit + 1} of the last {count} does not matter",
                        f"message  {message[:-1].hex()}{last:02x}\ndigest   {apart.hex()}",
                    )


CHECKS = (
    Check(
        name="digest/results",
        asks="Do the functions return SUCCESS when nothing is wrong?",
        why="Callers stop at any other result, as the competition's test program does.",
        cure="Return SUCCESS at the end of every function, of Update without data, too.",
        run=results,
    ),
    Check(
        name="digest/refused-sizes",
        asks="Does Init refuse sizes of a digest that the function does not have?",
        why="A caller with a wrong size gets something that looks like a digest.",
        cure="Return BAD_HASHBITLEN for every hashbitlen that is not supported.",
        run=refused_sizes,
    ),
    Check(
        name="digest/partial-bytes",
        asks="Is a message hashed rightly that ends inside a byte, its last bits in a call of "
        "their own?",
        why="The API counts bits, and the competition's known answers have all lengths.",
        cure="Take the upper databitlen % 8 bits of the last byte, or return FAIL if the function "
        "is not defined for such messages.",
        run=partial_bytes,
    ),
)
