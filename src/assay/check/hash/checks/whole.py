# SPDX-License-Identifier: MIT
"""What only some APIs have: one call for a whole message, results, and the sizes refused."""

from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.hash.trial import HashBuffers, HashTrial, wrong_digest
from assay.model.wire import HashFunction

LENGTHS = (0, 1, 31, 63, 64, 65, 111, 127, 128, 129, 200, 287)
FEW = (0, 64, 129)
NO_SIZES = (0, 1, 7, 100_000, (1 << 16) + 256)
BYTES = (0, 1, 63, 64)
ONE_CALL = "Hash"


def _only_with_results(trial: HashTrial) -> None:
    if not trial.api.has(ONE_CALL):
        raise CheckInapplicable(f"the API {trial.api.name} has no such function")


def one_call(trial: HashTrial) -> None:
    """Hash messages of all sizes in one call, and in three."""
    _only_with_results(trial)
    for size in trial.sizes:
        for length in LENGTHS if trial.thorough else FEW:
            message = trial.bytes(length)
            with trial.desk(length, size) as desk:
                expected = desk.digest(message)
                session = desk.session
                session.agent.fill(desk.to, 0)
                desk.whole(8 * length)
                _same(desk, expected, message, 8 * length)


def _same(desk: HashBuffers, expected: bytes, message: bytes, bits: int) -> None:
    got = desk.session.agent.read(desk.to)
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
    """Begin messages with sizes of a digest that no hash has."""
    _only_with_results(trial)
    with trial.session() as session:
        ctx = session.context()
        for size in NO_SIZES:
            session.refused()
            session.call(HashFunction.INIT, ctx, size)
            if not session.refused():
                raise CheckFinding(f"Init accepts a digest of {size} bits")


def partial_bytes(trial: HashTrial) -> None:
    """Hash messages that end inside a byte, in one call and with the last bits apart."""
    _only_with_results(trial)
    if trial.refuses_bits:
        if any(one.bits % 8 for one in trial.vectors):
            raise CheckFailed("messages that end inside a byte are refused, and it has vectors")
        raise CheckFinding("messages must be whole bytes: others are refused")
    for size in trial.few_sizes:
        for length in BYTES if trial.thorough else BYTES[1:3]:
            _partial(trial, size, length)


def _partial(trial: HashTrial, size: int, length: int) -> None:
    message = trial.bytes(length + 1)
    with trial.desk(len(message), size) as desk:
        session, seen = desk.session, {desk.digest(message[:-1])}
        for count in range(1, 8):
            last = message[-1] & 0xFF00 >> count
            apart = desk.digest(message[:-1], last, count)
            session.agent.write(desk.data, message[:-1] + bytes([last]))
            desk.whole(8 * length + count)
            _same(desk, apart, message, 8 * length + count)
            if apart in seen:
                raise CheckFailed(
                    f"{8 * length + count} bits have the digest of fewer bits, and the functions "
                    "return SUCCESS",
                    f"message  {message[:-1].hex()}{last:02x}\ndigest   {apart.hex()}",
                )
            seen.add(apart)


CHECKS = (
    Check(
        name="digest/one-call",
        asks="Does the function for whole messages give the same digest as the others?",
        why="Known answers are often computed with one of them only.",
        cure="Let Hash call Init, Update and Final.",
        run=one_call,
    ),
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
