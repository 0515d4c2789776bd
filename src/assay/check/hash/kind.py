# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `hash`: with digests that are made, and compared with a file.

The messages are around every multiple of 64 bits. All usual block lengths, and the lengths from
which padding needs a further block, are multiples of 64 bits: 512 and 448, 1024 and 896, 1152,
1088, 832, 576, 64.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assay.check.hash.checks import CHECKS
from assay.check.hash.trial import HashTrial, exercise
from assay.check.hash.vectors import Vector, read_vectors, supported_sizes
from assay.check.kinds import Connect, FileVerdict, Kind, Vectors
from assay.check.session import HashSession
from assay.check.session import describe_hash as describe
from assay.execute.agent import AgentRefusal, Buffer, PendingAnswer
from assay.model import HashSubject, Package, Verdict
from assay.model.wire import HashFunction

STEP = 64
LAST = 2304  # two blocks of 1152 bits, the longest block of the hashes that we know
AROUND = (-8, -1, 0, 1)
AT_ONCE = 32
PIECE_BYTES = 256  # where there is no room for whole messages

SHOWN_BYTES = 64


def lengths(*, long: bool = False, bits: bool = True) -> tuple[int, ...]:
    """Return the lengths in bits; every one with `long`, whole bytes only without `bits`."""
    if long:
        return tuple(range(0, LAST + 1, 1 if bits else 8))
    near = {at + by for at in range(0, LAST + 1, STEP) for by in (*AROUND, 8)}
    return tuple(sorted(n for n in near if 0 <= n <= LAST and (bits or n % 8 == 0)))


def message(length: int) -> bytes:
    """Return the message of `length` bits: byte i is 53h i + i/64 + 5 length, modulo 256.

    Bits behind the last are 0.
    """
    count = -(-length // 8)
    data = bytearray((0x53 * i + i // 64 + 5 * length) & 0xFF for i in range(count))
    if length % 8:
        data[-1] &= 0xFF00 >> length % 8 & 0xFF
    return bytes(data)


def file_text(trial: HashTrial, *, long: bool = False) -> Iterator[str]:
    """Write the file: a comment, then one line for each size and length."""
    yield f"# {trial.package.primitive}: made by {trial.package.selector}, not verified; "
    yield "messages as docs/reference/vectors.md says\n"
    chosen = lengths(long=long, bits=takes_bits(trial))
    wanted = [_unknown(size, length) for size in trial.sizes for length in chosen]
    for one, digest in digests(trial, wanted):
        said = one.message.hex() or "-"
        yield f"out={one.out_bits} len={one.bits} msg={said} md={digest.hex()}\n"


def _unknown(size: int, length: int) -> Vector:
    """Ask for a digest that is not known yet."""
    return Vector(size, length, message(length), b"", "")


def takes_bits(trial: HashTrial) -> bool:
    """Return whether messages may end inside a byte: BLAKE2s, for one, is not defined for them.

    The verified vectors tell; where there are none, code that ignores `n` takes none.
    """
    if trial.vectors:
        return any(one.bits % 8 for one in trial.vectors)
    if trial.refuses_bits:
        return False
    size = trial.sizes[-1]
    asked = [Vector(size, bits, b"\x80", b"", "") for bits in (0, 1)]
    none, one = (digest for _, digest in digests(trial, asked))
    return none != one


def digests(trial: HashTrial, wanted: Iterable[Vector]) -> Iterator[tuple[Vector, bytes]]:
    """Compute the digest of every message, in order."""
    asked = list(wanted)
    if not asked:
        return
    with trial.session() as session:
        ctx = session.context()
        data = _room(session, max(len(one.message) for one in asked))
        to = session.agent.buffer("digest", max(one.out_bits for one in asked) // 8)
        for start in range(0, len(asked), AT_ONCE):
            batch = asked[start : start + AT_ONCE]
            answers = [_hash(session, (ctx, data, to), one) for one in batch]
            for one, answer in zip(batch, answers, strict=True):
                yield one, answer.data


def _room(session: HashSession, longest: int) -> Buffer:
    """Make a buffer for the longest message, or for a piece if that is too much."""
    try:
        data = session.agent.buffer("data", max(longest, 1))
        session.agent.flush()
    except AgentRefusal:
        data = session.agent.buffer("data", PIECE_BYTES)
    return data


def _hash(session: HashSession, desk: tuple[Buffer, Buffer, Buffer], one: Vector) -> PendingAnswer:
    """Queue one message, in pieces if it is longer than its buffer."""
    ctx, data, to = desk
    session.call(HashFunction.INIT, ctx, one.out_bits)
    whole = one.whole
    for start in range(0, max(len(whole), 1), data.size_bytes):
        piece = whole[start : start + data.size_bytes]
        session.agent.write(data, piece)
        session.call(HashFunction.UPDATE, ctx, data, len(piece))
    session.call(HashFunction.CLOSE, ctx, to, *one.rest)
    return session.agent.fetch(to, one.out_bits // 8)


@dataclass(frozen=True, slots=True)
class WrongDigest:
    """A digest that is not what the file says."""

    vector: Vector
    actual: bytes

    def __str__(self) -> str:
        """Show place, message and both digests."""
        one = self.vector
        message = one.message[:SHOWN_BYTES].hex() or "(none)"
        dots = " ..." if len(one.message) > SHOWN_BYTES else ""
        return (
            f"{one.place}, a message of {one.bits} bits:\n   message {message}{dots}\n"
            f"  expected {one.digest.hex()}\n    actual {self.actual.hex()}"
        )


@dataclass(frozen=True, slots=True)
class SizeAgreement:
    """How many of a size's vectors agree; `supported` is whether the code writes such digests."""

    out_bits: int
    vectors: int
    agree: int
    difference: WrongDigest | None
    supported: bool = True


def verify_file(trial: HashTrial, path: Path) -> tuple[SizeAgreement, ...]:
    """Compare every vector of the file, the smallest size first.

    VectorFormatError says where the file is damaged.
    """
    vectors = read_vectors(path)
    sizes = sorted({one.out_bits for one in vectors})
    known = supported_sizes(trial.session, tuple(sizes))
    return tuple(
        _outcome(trial, size, [one for one in vectors if one.out_bits == size], known)
        for size in sizes
    )


def _outcome(
    trial: HashTrial, size: int, vectors: list[Vector], known: tuple[int, ...]
) -> SizeAgreement:
    if size not in known:
        return SizeAgreement(size, len(vectors), 0, None, supported=False)
    wrong = [
        WrongDigest(one, digest) for one, digest in digests(trial, vectors) if digest != one.digest
    ]
    return SizeAgreement(
        size, len(vectors), len(vectors) - len(wrong), wrong[0] if wrong else None
    )


def _text(package: Package, subject: HashSubject, connect: Connect, long: bool) -> Iterator[str]:
    with closing(HashTrial(package, subject, connect)) as trial:
        yield from file_text(trial, long=long)


def _compared(package: Package, subject: HashSubject, connect: Connect, path: Path) -> FileVerdict:
    """Compare with a file and say, for every size, how much agreed, and the first difference."""
    with closing(HashTrial(package, subject, connect)) as trial:
        found = verify_file(trial, path)
    compared = [one for one in found if one.supported]
    wrong = not compared or any(one.difference for one in compared)
    lines = tuple(line for one in found for line in _lines(one))
    none = "" if compared else f"{path} has no vectors for any size of the package"
    return FileVerdict(lines, Verdict.FAIL if wrong else Verdict.PASS, none)


def _lines(one: SizeAgreement) -> Iterator[str]:
    if not one.supported:
        yield f"{one.out_bits}: the package writes no digest of this size"
        return
    yield f"{one.out_bits}: {one.agree} of {one.vectors} vectors agree"
    if one.difference:
        yield f"  first difference: {one.difference}"


# The rules of calls must be kept, not those of digests or of size.
VECTORS = Vectors(
    ("digest/length", "lengths/", "close/", "context/", "agent/", "build/"), _text, _compared
)
KIND = Kind(describe, HashTrial, CHECKS, exercise, VECTORS)
