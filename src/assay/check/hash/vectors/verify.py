# SPDX-License-Identifier: MIT
"""Computing the digests of a file's messages again, size by size."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assay.check.hash.sizes import supported_sizes
from assay.check.hash.trial import HashTrial
from assay.check.hash.vectors.parse import Vector, read_vectors
from assay.check.hash.vectors.produce import digests, file_text
from assay.check.kinds import Connect, FileVerdict, Vectors
from assay.model import HashSubject, Package, Verdict

SHOWN_BYTES = 64


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
