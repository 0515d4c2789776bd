# SPDX-License-Identifier: MIT
"""Whether digests are the published ones, as long as they should be; files of digests are made.

The messages of such a file are around every multiple of 64 bits. All usual block lengths, and the
lengths from which padding needs a further block, are multiples of 64 bits: 512 and 448, 1024 and
896, 1152, 1088, 832, 576, 64.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from assay.check.answers.vector_text import Vector, read_vectors
from assay.check.check import Check, CheckFailed, CheckOpen, CheckSkipped
from assay.check.evidence import compared_with
from assay.check.hash.sizes import ROOM_BYTES, HashBuffers, supported_sizes
from assay.check.hash.trial import HashTrial
from assay.check.kinds import Connect, Coverage, FileVerdict, Vectors
from assay.check.session import HashSession
from assay.execute.agent import AgentRefusal
from assay.model import HashSubject, Package, Verdict
from assay.model.compared import GONE, UNCOMPARED

SMALL_BYTES = 512  # what a board is asked to hash at most
FILLING = 0x5A
PER_MESSAGE = 128  # bytes whose time the beginning and the end of a message take

STEP = 64
LAST = 2304  # two blocks of 1152 bits, the longest block of the hashes that we know
AROUND = (-8, -1, 0, 1)
AT_ONCE = 32
PIECE_BYTES = 256  # where there is no room for whole messages

SHOWN_BYTES = 64


def verified(trial: HashTrial) -> str:
    """Hash every message of the verified vectors, the short ones first.

    Slow code gets fewer of them, and the remark says how many.
    """
    if not trial.vectors and trial.package.vectors:
        raise CheckOpen(f"{UNCOMPARED}: {trial.package.vectors} is gone", cure=GONE)
    if not trial.vectors:
        raise CheckOpen(
            f"{UNCOMPARED}: there is no verified.vectors in the folder or above it",
            cure="`assay vectors PACKAGE -o unverified.vectors` writes digests; compare them "
            "with another implementation's and name the file verified.vectors.",
        )
    known = trial.vectors
    if trial.on_board:
        known = tuple(one for one in known if len(one.message) <= SMALL_BYTES)
    if not known:
        raise CheckSkipped(f"no verified message has {SMALL_BYTES} bytes or fewer")
    longest = max(len(one.message) for one in known)
    budget = trial.budget()
    with trial.session() as session:
        desk = HashBuffers.of(session, longest, max(one.out_bits for one in known))
        answers = [
            (one, desk.hash(one.whole, rest=one.rest, out_bits=one.out_bits))
            for one in budget.each(session, sorted(known, key=_weight), _weight)
        ]
        for one, answer in answers:
            _compare(one, answer.data[: len(one.digest)], trial.package.reference)
    remarks = (compared_with(trial.package.reference), budget.remark("vectors"))
    return "; ".join(filter(None, remarks))


def _weight(one: Vector) -> int:
    """Return how many bytes take as long as it does."""
    return len(one.whole) + PER_MESSAGE


def _compare(one: Vector, got: bytes, reference: str) -> None:
    if got != one.digest:
        raise CheckFailed(
            f"the {one.out_bits}-bit digest of a message of {one.bits} bits is not the verified "
            "one",
            f"{reference or one.place}\nmessage  {one.message.hex()}\n"
            f"expected {one.digest.hex()}\nactual   {got.hex()}",
        )


def written(trial: HashTrial) -> str | None:
    """Look at which bytes behind `dst` are written, for every size."""
    if not trial.stated_sizes and not supported_sizes(trial.session):
        raise CheckFailed("no size from 128 to 512 bits gives a digest of that length")
    for size in trial.sizes:
        with trial.session() as session:
            desk = HashBuffers.of(session, 0, size, ROOM_BYTES)
            session.agent.fill(desk.to, FILLING)
            data = desk.hash().data
        beyond = [at for at in range(size // 8, ROOM_BYTES) if data[at] != FILLING]
        if beyond:
            raise CheckFailed(
                f"a digest of {size // 8} bytes also writes byte {beyond[0]} behind it"
            )
        if data[: size // 8] == bytes([FILLING]) * (size // 8):
            raise CheckFailed(f"for a digest of {size} bits nothing is written")
    if trial.stated_sizes or trial.api.sizes:
        return None
    return (
        f"the sizes {', '.join(map(str, trial.sizes))} were found out by trying; "
        f"`#define {trial.package.header.removesuffix('.h')}_SIZES` in the header states them"
    )


VERIFIED = (
    Check(
        name="digest/verified",
        asks="Are the digests those of the verified vectors, for all sizes and bit lengths?",
        why=(
            "A package with other digests computes another function. Short trials compare all "
            "vectors as well; boards, those with messages of up to 512 bytes."
        ),
        cure="Compare the evidence with the specification: padding, byte order, the last bits.",
        run=verified,
    ),
    Check(
        name="digest/length",
        asks="Does the last call write all bytes of the digest, and no more?",
        why="There is room for the digest alone; what is written behind it destroys other data.",
        cure="Write whole words only within the digest.",
        run=written,
    ),
)


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
    wanted = [
        Vector(size, length, message(length), b"", "") for size in trial.sizes for length in chosen
    ]
    for one, digest in digests(trial, wanted):
        said = one.message.hex() or "-"
        yield f"out={one.out_bits} len={one.bits} msg={said} md={digest.hex()}\n"


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
        desk = _desk(session, max(len(one.message) for one in asked), asked)
        size = desk.data.size_bytes
        for start in range(0, len(asked), AT_ONCE):
            batch = asked[start : start + AT_ONCE]
            answers = [
                desk.hash(*_pieces(one.whole, size), rest=one.rest, out_bits=one.out_bits)
                for one in batch
            ]
            for one, answer in zip(batch, answers, strict=True):
                yield one, answer.data[: one.out_bits // 8]


def _desk(session: HashSession, longest: int, asked: list[Vector]) -> HashBuffers:
    """Make buffers for the longest message, or for a piece of it if that is too much."""
    out_bits = max(one.out_bits for one in asked)
    desk = HashBuffers.of(session, longest, out_bits)
    try:
        session.agent.flush()
    except AgentRefusal:
        session.agent.forget_buffers()
        return HashBuffers.of(session, PIECE_BYTES, out_bits)
    return desk


def _pieces(whole: bytes, size: int) -> Iterator[bytes]:
    """Cut a message that is longer than its buffer; an empty one is one piece."""
    return (whole[start : start + size] for start in range(0, max(len(whole), 1), size))


def _wrong(one: Vector, actual: bytes) -> str:
    """Show place, message and both digests."""
    message = one.message[:SHOWN_BYTES].hex() or "(none)"
    dots = " ..." if len(one.message) > SHOWN_BYTES else ""
    return (
        f"{one.place}, a message of {one.bits} bits:\n   message {message}{dots}\n"
        f"  expected {one.digest.hex()}\n    actual {actual.hex()}"
    )


def verify_file(trial: HashTrial, path: Path) -> dict[int, Coverage | None]:
    """Compare every vector of the file, by size; None where the code writes no such digest.

    VectorFormatError says where the file is damaged.
    """
    vectors = read_vectors(path)
    sizes = sorted({one.out_bits for one in vectors})
    known = supported_sizes(trial.session, tuple(sizes))
    found = {size: Coverage() for size in known}
    for one, digest in digests(trial, (each for each in vectors if each.out_bits in found)):
        found[one.out_bits].count(None if digest == one.digest else _wrong(one, digest))
    return {size: found.get(size) for size in sizes}


def _text(package: Package, subject: HashSubject, connect: Connect, long: bool) -> Iterator[str]:
    with closing(HashTrial(package, subject, connect)) as trial:
        yield from file_text(trial, long=long)


def _compared(package: Package, subject: HashSubject, connect: Connect, path: Path) -> FileVerdict:
    """Compare with a file and say, for every size, how much agreed, and the first difference."""
    with closing(HashTrial(package, subject, connect)) as trial:
        found = verify_file(trial, path)
    compared = [one for one in found.values() if one]
    wrong = not compared or any(one.difference for one in compared)
    lines = tuple(line for size, one in found.items() for line in _lines(size, one))
    none = "" if compared else f"{path} has no vectors for any size of the package"
    return FileVerdict(lines, Verdict.FAIL if wrong else Verdict.PASS, none)


def _lines(size: int, one: Coverage | None) -> Iterator[str]:
    if one is None:
        yield f"{size}: the package writes no digest of this size"
        return
    yield f"{size}: {one.right} of {one.compared} vectors agree"
    if one.difference:
        yield f"  first difference: {one.difference}"


# The rules of calls must be kept, not those of digests or of size.
VECTORS = Vectors(
    ("digest/length", "lengths/", "close/", "context/", "agent/", "build/"), _text, _compared
)
