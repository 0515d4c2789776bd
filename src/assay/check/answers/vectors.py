# SPDX-License-Identifier: MIT
"""Whether the vectors equal the verified file's, and all ways to process them agree.

For every vector: decrypt_packet inverts encrypt_packet, and encrypt_bytes,
decrypt_bytes and arbitrary splits into *_blocks and *_bytes do the same.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import NoReturn

from msgspec import Struct

from assay.check.answers.vector_files import (
    Computed,
    compare_combination,
    compute,
    first_difference,
    message_of,
    read_combinations,
    vector_arena,
)
from assay.check.answers.vector_inputs import (
    LONG_STREAM_BYTES,
    SHORT_STREAM_BYTES,
    VectorInput,
    vector_inputs,
)
from assay.check.answers.vector_text import data_line
from assay.check.arena import Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckOpen, Origin
from assay.check.evidence import compared_with
from assay.check.routine import Routine
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, accepted_sizes, nearest_sizes
from assay.check.stream.trial import Trial
from assay.errors import VectorFormatError
from assay.model import Package, SizeChoice, StreamSubject
from assay.model.compared import GONE, UNCOMPARED

CURE = (
    "`assay vectors PACKAGE -o unverified.test-vectors` writes them; compare them with the "
    "designers' and name the file verified.test-vectors."
)
ANOTHER = (
    "If it is another version, give it another ECRYPT_NAME and its own vectors; or fix the code."
)
VERIFYING_SECONDS = 8.0
USUAL = (SizeChoice(128, 64, 64), SizeChoice(256, 128, 128))  # what the original measures
AT_ONCE = 8
COMPARING_SECONDS = 6.0


# ---------------------------------------------------------------- the verified file


def vectors_verified(trial: Trial) -> str | None:
    """Every vector of every size in the file must come out as the file has it.

    A short trial takes the sizes nearest to the usual ones, with all their vectors; boards
    have no room for the longest. Slow code gets fewer vectors, and the remark says how many.
    """
    path = trial.package.vectors
    if path is None:
        raise CheckOpen(f"{UNCOMPARED}: the package has no verified vector file", cure=CURE)
    try:
        recorded = read_combinations(path)
    except VectorFormatError as error:
        if trial.package.reference or not path.is_file():
            raise CheckOpen(f"{UNCOMPARED}: {error}", cure=GONE) from None
        raise CheckFailed(f"{path.name}: {error}", cure=error.cure) from None
    wanted = accepted_sizes(trial.subject)
    if not trial.thorough:
        wanted = tuple(one for one in nearest_sizes(trial.subject, USUAL) if one in wanted)
    tested = [sizes for sizes in wanted if sizes in recorded]
    if not tested and trial.package.reference:
        raise CheckOpen(
            f"{UNCOMPARED}: {trial.package.reference} has none of the package's sizes", cure=CURE
        )
    if not tested:
        names = ", ".join(map(str, recorded))
        raise CheckFailed(f"{path.name} has none of the package's sizes, only {names}")
    longest = SHORT_STREAM_BYTES if trial.on_board else LONG_STREAM_BYTES
    budget, right, wrong = trial.budget(VERIFYING_SECONDS), 0, None
    for left, sizes in zip(range(len(tested), 0, -1), tested, strict=True):
        with trial.session() as session, budget.share(left) as share:
            coverage = compare_combination(session, recorded[sizes], longest, share)
        right, wrong = right + coverage.right, wrong or coverage.difference
        if wrong and (right or not _by_name_alone(trial.package)):
            break
        if coverage.compared == 0:
            raise CheckFailed(f"{path.name} has no vector that can be compared for {sizes}")
    if wrong:
        _raise(trial.package, wrong, right)
    remarks = (compared_with(trial.package.reference), budget.remark("vectors"))
    return "; ".join(filter(None, remarks))


def _by_name_alone(package: Package) -> bool:
    """Return whether nothing but ECRYPT_NAME says which cipher it is: no folder is called so."""
    primitive = package.reference.split("/")[-2:-1]
    return bool(primitive) and primitive[0] not in package.root.resolve().parts[-2:]


def _raise(package: Package, wrong: object, right: int) -> NoReturn:
    """Raise for a difference: open where a name alone chose vectors of which none is right."""
    origin = package.reference or "the verified file"
    if right or not _by_name_alone(package):
        raise CheckFailed(f"a vector differs from {origin}", str(wrong))
    reason = f"{UNCOMPARED}: no vector of {origin}, which ECRYPT_NAME chose, is right"
    raise CheckOpen(f"{reason}: the code is wrong, or another version", str(wrong), ANOTHER)


# ---------------------------------------------------------------- all ways agree


class Reference(Struct, frozen=True):
    """What encrypt_packet made of a vector, and what other ways did, which must agree with it."""

    done: Computed
    attempts: dict[str, PendingOutcome]


def split_blocks(number: int, length: int, block_bytes: int) -> Iterator[int]:
    """Yield the original's pseudo-random block counts; a 0 ends them, the rest goes as bytes."""
    state = (number + 1) * 1381 & 0xFFFFFFFF
    while length >= block_bytes:
        blocks = state % (length // block_bytes + 1)
        yield blocks
        if blocks == 0:
            return
        length -= blocks * block_bytes
        state = state * 1487 & 0xFFFFFFFF


WAYS = (
    "decrypt_packet",
    "encrypt_bytes",
    "decrypt_bytes",
    "encrypt_blocks/bytes",
    "decrypt_blocks/bytes",
)


def _in_all_ways(
    arena: Arena, subject: StreamSubject, sizes: SizeChoice, vector: VectorInput
) -> Reference:
    """Queue a vector, and all ways to process it under the same key.

    What one way has encrypted the next one decrypts where it lies; up to the first that is
    wrong, all have the right inputs.
    """
    message = message_of(subject, sizes, vector)
    done = compute(arena, subject, sizes, vector)
    back = arena.turned("input", "output")
    arena.go(message.by("encrypt_packet").steps[:1])
    attempts = {}
    for function in WAYS:
        verb, _, _ = function.partition("_")
        routine = _routine(message, function, verb, vector.number)
        attempts[function] = (arena if verb == "encrypt" else back).again(routine)
    return Reference(done, attempts)


def _routine(message: CipherMessage, function: str, verb: str, number: int) -> Routine:
    """Return a way; one in pieces is split as the original splits a vector of this number."""
    if not function.endswith("/bytes"):
        return message.by(function)
    length, block = len(message.text), message.unit
    whole = [blocks * block for blocks in split_blocks(number, length, block)]
    data = (len(message.aad),) if message.aad else ()
    pieces = (*whole, length - sum(whole))
    return message.cut(f"{verb}_blocks and _bytes", f"{verb}_bytes", pieces, data)


def _judge(sizes: SizeChoice, reference: Reference) -> None:
    """Compare every attempt with what it must give."""
    vector, (ciphertext, mac) = reference.done.vector, reference.done.values
    for function, attempt in reference.attempts.items():
        outputs, first = attempt.value.outputs, function == "decrypt_packet"
        text, expected = ("plaintext", vector.plaintext)
        if function.startswith("encrypt"):
            text, expected = ("ciphertext", ciphertext)
        if outputs["output"] != expected:
            complaint = f"{function} generates different {text}:"
            complaint = "decrypted text differs from plaintext:" if first else complaint
            raise _failure(sizes, vector, function, complaint, (expected, outputs["output"]))
        if mac is not None and outputs["MAC"] != mac:
            complaint = f"{function} generates different MAC:"
            complaint = "decryption MAC differs from encryption MAC:" if first else complaint
            raise _failure(sizes, vector, function, complaint, (mac, outputs["MAC"]))


def _failure(
    sizes: SizeChoice, vector: VectorInput, function: str, complaint: str,
    differing: tuple[bytes, bytes],
) -> CheckFailed:  # fmt: skip
    expected, actual = differing
    at = first_difference(expected, actual)
    start = at // 64 * 64
    lines = [
        f"*** ERROR: encrypt_packet <-> {function}:\n*** {complaint}\n",
        f"Set {vector.set_number}, vector#{vector.number:3d}, sizes {sizes}, byte {at}:\n",
        data_line("key", vector.key),
        data_line("IV", vector.iv),
        data_line(f"expected[{start}..]", expected[start : start + 64]),
        data_line(f"actual[{start}..]", actual[start : start + 64]),
    ]
    return CheckFailed(f"{function} disagrees with encrypt_packet", "".join(lines))


def first_of_each_set(vectors: Iterator[VectorInput]) -> Iterator[VectorInput]:
    """Pick the first two vectors of each set, and one of those that are long."""
    for _, whole in groupby(vectors, key=lambda vector: vector.set_number):
        first, second = islice(whole, 2)
        yield first
        if len(second.plaintext) < LONG_STREAM_BYTES:
            yield second


def ways_agree(trial: Trial) -> str:
    """Process the vectors in every way, short ones first; the remark says what is left out.

    All vectors of the first and last sizes; of the sizes between, and in a short
    trial, the first of each set. Long streams stay off a board's serial line.
    """
    budget, wanted = trial.budget(COMPARING_SECONDS), trial.wide_sizes
    for left, sizes in zip(range(len(wanted), 0, -1), wanted, strict=True):
        with trial.session() as session, budget.share(left) as share:
            _ways_agree(session, sizes, _chosen(trial, sizes), share)
    return budget.remark("vectors")


def _chosen(trial: Trial, sizes: SizeChoice) -> list[VectorInput]:
    """Choose the vectors of a size, short ones first."""
    longest = SHORT_STREAM_BYTES if trial.on_board else LONG_STREAM_BYTES
    vectors = vector_inputs(trial.subject, sizes)
    if not trial.thorough or sizes not in trial.few_sizes:
        vectors = first_of_each_set(vectors)
    fitting = (one for one in vectors if len(one.plaintext) <= longest)
    return sorted(fitting, key=VectorInput.weight)


def _ways_agree(
    session: StreamSession,
    sizes: SizeChoice,
    vectors: list[VectorInput],
    share: Budget,
) -> None:
    """Process the vectors of a size in every way, as far as there is time."""
    arena = vector_arena(session, max(len(one.plaintext) for one in vectors))
    waiting: list[Reference] = []
    for vector in share.each(session, vectors, VectorInput.weight):
        waiting.append(_in_all_ways(arena, session.subject, sizes, vector))
        if len(waiting) == AT_ONCE or len(vector.plaintext) > 4096:
            for reference in waiting:
                _judge(sizes, reference)
            waiting = []
    for reference in waiting:
        _judge(sizes, reference)


CHECKS = (
    Check(
        name="vectors/verified",
        asks="Are the test vectors equal to the verified ones, for all sizes?",
        why="This is correctness: the cipher computes what its designers say, on this compiler, "
        "with these options, on this machine.",
        cure=(
            "Look at the first difference. On big-endian machines the usual cause is a word "
            "stored without U32TO8_LITTLE and its family; at a single optimisation level it is "
            "undefined behaviour (shifts, aliasing, overflow). If the verified file itself is "
            "wrong, make a new one (make vectors) and have it verified."
        ),
        run=vectors_verified,
        origin=Origin.ESTREAM,
    ),
    Check(
        name="vectors/consistent",
        asks=(
            "Do packets, bytes and blocks give the same output, and does decryption invert "
            "encryption?"
        ),
        why=(
            "Users mix the functions of the API. Vectors come from encrypt_packet alone, so "
            "they never show a bug in any other function."
        ),
        cure=(
            "Compare the named function with encrypt_packet. Common causes: state left by a "
            "*_blocks call, the block counter, the direction of process_bytes, a tail shorter "
            "than a block, and an ECRYPT_ivsetup that does not reset what encryption changed."
        ),
        run=ways_agree,
        origin=Origin.ESTREAM,
    ),
)
