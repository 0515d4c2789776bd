# SPDX-License-Identifier: MIT
"""Whether all ways to process a message agree.

For every vector: decrypt_packet inverts encrypt_packet, and encrypt_bytes,
decrypt_bytes and arbitrary splits into *_blocks and *_bytes do the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from assay.check.budget import Allotment
from assay.check.check import Check, CheckFailed, Origin
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.compare import first_difference
from assay.check.stream.vectors.inputs import (
    LONG_STREAM_BYTES,
    SHORT_STREAM_BYTES,
    VectorInput,
    vector_inputs,
)
from assay.check.stream.vectors.produce import VectorBuffers, compute, mac_bytes
from assay.check.stream.vectors.text import data_line
from assay.check.stream.ways import Laid, at_once, packet, pieces
from assay.execute.agent import PendingAnswer
from assay.model import SizeChoice

AT_ONCE = 8
SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class AlternativeWay:
    """One more way to process a vector, and what came out of it."""

    vector: VectorInput
    function: str
    complaint: str
    action: int
    output: PendingAnswer
    mac: PendingAnswer | None


@dataclass(frozen=True, slots=True)
class Reference:
    """What encrypt_packet made of a vector, and the attempts that must agree with it."""

    vector: VectorInput
    ciphertext: PendingAnswer
    mac: PendingAnswer | None
    attempts: tuple[AlternativeWay, ...]


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


def _pieces(
    action: int, session: StreamSession, laid: Laid, length: int, aad_length: int, number: int
) -> None:
    counts = split_blocks(number, length, session.subject.block_bytes)
    pieces(action, session, laid, length, aad_length, counts)


def _packet(
    action: int, session: StreamSession, laid: Laid, length: int, aad_length: int, _: int
) -> None:
    packet(action, session, laid, length, aad_length)


def _bytes(
    action: int, session: StreamSession, laid: Laid, length: int, aad_length: int, _: int
) -> None:
    at_once(action, session, laid, length, aad_length)


OTHER_TEXT = "{} generates different {}:"
WAYS = (
    ("decrypt_packet", "decrypted text differs from plaintext:", DECRYPT, _packet),
    ("encrypt_bytes", OTHER_TEXT, ENCRYPT, _bytes),
    ("decrypt_bytes", OTHER_TEXT, DECRYPT, _bytes),
    ("encrypt_blocks/bytes", OTHER_TEXT, ENCRYPT, _pieces),
    ("decrypt_blocks/bytes", OTHER_TEXT, DECRYPT, _pieces),
)


def attempt_all(
    session: StreamSession, desk: VectorBuffers, sizes: SizeChoice, vector: VectorInput
) -> Reference:
    """Queue a vector and all ways to process it; ciphertexts are copied inside the agent."""
    agent = session.agent
    done = compute(session, desk, sizes, vector)
    cipher = agent.buffer("ciphertext", len(vector.plaintext), number=desk.to.number + 20)
    agent.copy_bytes(cipher, desk.to, len(vector.plaintext))
    attempts = []
    session.keysetup(desk.ctx, desk.key, sizes)
    for function, complaint, action, way in WAYS:
        if action == DECRYPT:
            agent.copy_bytes(desk.source, cipher, len(vector.plaintext))
        else:
            agent.write(desk.source, vector.plaintext)
        agent.fill(desk.to, 0xEE, len(vector.plaintext))
        way(action, session, desk, len(vector.plaintext), len(vector.aad), vector.number)
        mac = agent.fetch(desk.mac, mac_bytes(sizes)) if done.mac else None
        output = agent.fetch(desk.to, len(vector.plaintext))
        attempts.append(AlternativeWay(vector, function, complaint, action, output, mac))
    return Reference(vector, done.ciphertext, done.mac, tuple(attempts))


def judge(sizes: SizeChoice, reference: Reference) -> None:
    """Compare every attempt with what it must give."""
    for attempt in reference.attempts:
        expected = reference.vector.plaintext
        if attempt.action == ENCRYPT:
            expected = reference.ciphertext.data
        if attempt.output.data != expected:
            text = "ciphertext" if attempt.action == ENCRYPT else "plaintext"
            complaint = attempt.complaint.format(attempt.function, text)
            raise _failure(sizes, attempt, complaint, expected, attempt.output.data)
        if attempt.mac and reference.mac and attempt.mac.data != reference.mac.data:
            complaint = f"{attempt.function} generates different MAC:"
            if attempt.function == "decrypt_packet":
                complaint = "decryption MAC differs from encryption MAC:"
            raise _failure(sizes, attempt, complaint, reference.mac.data, attempt.mac.data)


def _failure(
    sizes: SizeChoice, attempt: AlternativeWay, complaint: str, expected: bytes, actual: bytes
) -> CheckFailed:
    vector = attempt.vector
    at = first_difference(expected, actual)
    start = at // 64 * 64
    lines = [
        f"*** ERROR: encrypt_packet <-> {attempt.function}:\n*** {complaint}\n",
        f"Set {vector.set_number}, vector#{vector.number:3d}, sizes {sizes}, byte {at}:\n",
        data_line("key", vector.key),
        data_line("IV", vector.iv),
        data_line(f"expected[{start}..]", expected[start : start + 64]),
        data_line(f"actual[{start}..]", actual[start : start + 64]),
    ]
    return CheckFailed(f"{attempt.function} disagrees with encrypt_packet", "".join(lines))


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
    budget, wanted = trial.budget(SECONDS), trial.wide_sizes
    for left, sizes in zip(range(len(wanted), 0, -1), wanted, strict=True):
        with trial.session() as session, budget.share(session.agent, left) as share:
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
    session: StreamSession, sizes: SizeChoice, vectors: list[VectorInput], share: Allotment
) -> None:
    """Process the vectors of a size in every way, as far as there is time."""
    desk = VectorBuffers.lay(session, sizes, max(len(one.plaintext) for one in vectors))
    waiting: list[Reference] = []
    for vector in vectors:
        if not share.affords((1 + len(WAYS)) * vector.weight()):
            continue
        waiting.append(attempt_all(session, desk, sizes, vector))
        if len(waiting) == AT_ONCE or len(vector.plaintext) > 4096:
            for reference in waiting:
                judge(sizes, reference)
            waiting = []
    for reference in waiting:
        judge(sizes, reference)


CHECKS = (
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
